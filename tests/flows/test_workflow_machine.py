"""The workflow follows its model: whatever people do in whatever order, the rows agree.

WORKFLOW_RUNS and WORKFLOW_STEPS ask for more runs and longer ones, as PROMISES_SCALE does; they
are drawn anew then.
"""

import os
import random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.amounts import tries
from tests.flows.workflow_acts import WithLadder, Workflow
from tests.soak.tally import Tally

IS_FULL = int(os.environ.get("PROMISES_SCALE", "1")) > 1
# Half of them for each of the two machines.
RUNS = int(os.environ.get("WORKFLOW_RUNS", "150" if IS_FULL else "0"))
STEPS = int(os.environ.get("WORKFLOW_STEPS", "50" if IS_FULL else "30"))


class KeysDecide(random.Random):
    """Draws nothing: what is as good as another goes by its key."""

    def random(self) -> float:
        return 0.0


@pytest.mark.promise("P29")
@pytest.mark.slow
@pytest.mark.embedded
@pytest.mark.django_db
@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(Workflow, id="plain", marks=pytest.mark.exhaustive),
        pytest.param(WithLadder, id="ladder"),
    ],
)
def test_it_follows_its_model(machine: type[Workflow], quick_passwords: None, tally: Tally) -> None:
    tally.tried(runs=RUNS or tries(8, share=2), steps=(RUNS or tries(8, share=2)) * STEPS)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=RUNS or tries(8, share=2),
            stateful_step_count=STEPS,
            derandomize=not RUNS,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.promise("P29")
@pytest.mark.slow
@pytest.mark.django_db
def test_a_rating_that_is_changed_after_its_lock_is_found_out(
    monkeypatch: pytest.MonkeyPatch, quick_passwords: None
) -> None:
    monkeypatch.setattr("annotator.rating.services.is_locked", lambda _: False)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        run_state_machine_as_test(
            Workflow,
            settings=settings(
                max_examples=30,
                stateful_step_count=STEPS,
                derandomize=True,
                database=None,
                deadline=None,
                # The first run that differs is enough; the shortest one would take minutes.
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )


@pytest.fixture(autouse=True)
def drawn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which candidate of a reference is given is drawn; a run tried again must draw the same."""
    monkeypatch.setattr("random.SystemRandom", KeysDecide)
