"""A schedule goes a whole round with real programs, each of which is killed once on the way."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.jobs.rows import JobStatus
from scoring.models import Chain, Freeze, ModelVersion, Promotion, TrainingRun
from scoring.training.model_versions.promotions import promoted_in
from tests.conftest import signed_in
from tests.flows.programs import Programs, wait_until
from tests.scoring.schedules.conftest import CRITERION, frozen, make_loop

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]
BEGUN = (JobStatus.RUNNING, JobStatus.SUCCEEDED)


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    found = Programs(tmp_path)
    yield found
    found.end()


def test_newly_settled_candidates_become_a_model_that_an_admin_promotes(
    served_here: None, programs: Programs
) -> None:
    loop = make_loop(24)
    rita, ada = signed_in(loop.rita), signed_in(loop.ada)
    asked: dict[str, Any] = {"dataset": "trial@1", "after_settled": 30, "asks_with_concerns": True}
    address = "/api/v1/campaigns/trial/schedule/"
    answer = rita.post(address, asked, content_type="application/json")
    assert answer.status_code == 201, answer.content.decode()
    programs.start_sweeper()
    loop.rated.rate_all(range(12, 24))
    # Each dies once with what it has in hand, and another goes on.
    wait_until(Freeze.objects.exists, "a freeze that the sweeper asked for")
    # Its message may have died along; the next sweeper sends another.
    programs.kill("sweeper")
    programs.start_sweeper("sweeper-again")
    programs.start_worker("web", "web")
    wait_until(Freeze.objects.filter(status__in=BEGUN).exists, "the freeze under way")
    programs.kill("web")
    programs.start_worker("web-again", "web")
    programs.start_worker("gpu", "gpu")
    trained = TrainingRun.objects.exclude(pk=loop.promoted.run_id)
    wait_until(trained.filter(status__in=BEGUN).exists, "the training under way")
    programs.kill("gpu")
    programs.start_worker("gpu-again", "gpu")
    wait_until(Chain.objects.exclude(finished_at=None).exists, "the end of the chain")

    (found,) = Chain.objects.all()
    document = rita.get(address).json()
    assert document["chain"]["status"] == "done", document
    (step,) = document["chain"]["steps"]
    assert step["outcome"] == "requested", step
    assert document["state"] == "Waiting for newly settled candidates: 0 of 30."
    assert (Freeze.objects.count(), trained.count()) == (1, 1)
    model = ModelVersion.objects.get(run=trained.get())
    assert str(model.pk) == step["model"]
    assert model.run.dataset_version == frozen(found)
    assert Promotion.objects.filter(model=model).count() == 1
    assert "1 promotion request waits for agreement" in ada.get("/").content.decode()
    agreed = {"act": "agree", "reason": "Not worse."}
    assert ada.post(f"/models/{model.pk}/promotion/", agreed).status_code == 302
    assert promoted_in(loop.campaign) == {CRITERION: model}
