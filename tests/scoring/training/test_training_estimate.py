from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import User
from patclaimeval.rubric import ALL_CRITERIA
from scoring.models import DatasetVersion, TrainingRun
from scoring.training.runs import estimate
from scoring.training.runs.choices import resolved_options
from scoring.training.runs.estimate import data_sizes, training_estimate
from tests.conftest import make_user
from tests.scoring.model_builders import make_model

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
CRITERION = "feature_completeness"


@pytest.fixture
def rita(of_campaign: DatasetVersion, cast: Any) -> User:
    found: User = cast.rita
    return found


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(estimate, "GPU", tmp_path / "none")


def ended(version: DatasetVersion, seconds: float, **changes: Any) -> TrainingRun:
    now = timezone.now()
    settings = resolved_options(CRITERION, changes.pop("options", {}))
    row = {"status": "succeeded", "attempt": 1} | changes
    return TrainingRun.objects.create(
        dataset_version=version,
        criterion=CRITERION,
        settings=settings,
        started_at=now - timedelta(seconds=seconds),
        finished_at=now,
        **row,
    )


def estimated(
    by: User, version: DatasetVersion, criteria: Sequence[str] = (CRITERION,), **options: Any
) -> Any:
    found = training_estimate(by, version, criteria, options)
    assert found is not None
    return found


def test_sizes_come_from_the_card(version) -> None:
    data = data_sizes(version, CRITERION)
    assert data is not None
    # Six references with three items and three candidates each; one of them is the test's.
    assert (data.training, data.validation, data.references) == (12, 3, 5)
    assert data.candidates == 15
    assert data.longest_words >= data.reference_words + data.candidate_words > 20
    assert data_sizes(version, "conceptual_clarity") is None
    version.card["tokens"] = {}
    assert data_sizes(version, CRITERION) is None


def test_without_an_earlier_run_it_is_called_a_guess(rita, version) -> None:
    found = estimated(rita, version)
    assert "15 quadruplets to train on, " in found.reads
    assert "from assumptions" in found.basis and "take the range as a guess" in found.basis
    assert found.time.endswith("seconds") and "GB" in found.memory
    assert found.cautions == ()


def test_earlier_runs_of_the_same_kind_set_the_speed(rita, version) -> None:
    for seconds in (3600, 7200, 5400):
        ended(version, seconds)
    found = estimated(rita, version)
    # (3600 - 1.1) / 1.25 + 1.1 s and (7200 - 1.1) * 1.25 + 20 s
    assert found.time == "50 minutes to 3 hours"
    assert "the speed of the latest 3 runs" in found.basis


@pytest.mark.parametrize(
    "other",
    [
        {"options": {"method": "finetune"}},
        {"status": "failed"},
        {"attempt": 2},
        {"seconds": 6},  # too little to measure by
    ],
)
def test_other_runs_count_nothing(rita, version, other) -> None:
    ended(version, **{"seconds": 3600} | other)
    found = estimated(rita, version)
    assert "guess" in found.basis


def test_a_run_that_only_found_an_earlier_model_counts_nothing(rita, version) -> None:
    ended(version, 3600, reused_model=make_model(version))
    found = estimated(rita, version)
    assert "guess" in found.basis


def test_five_probes_read_once_and_five_fine_tunings_five_times(rita, version) -> None:
    labels = version.card["labels"]
    version.card["labels"] = dict.fromkeys(ALL_CRITERIA, labels[CRITERION])
    ended(version, 3604)
    ended(version, 3604, options={"method": "finetune"})
    probe = estimated(rita, version, ALL_CRITERIA)
    tuned = estimated(rita, version, ALL_CRITERIA, method="finetune")
    assert probe.time == "30 minutes to 2 hours for all 5 together"
    assert tuned.time == "3 to 10 hours for all 5 together"
    assert probe.reads.startswith("5 trainings, the largest of 15 quadruplets to train on")
    for one in (probe, tuned):
        assert "They follow one another; workers on several GPUs would share them out" in one.basis


def test_a_criterion_without_labels_is_cautioned_where_all_are_asked_for(rita, version) -> None:
    found = estimated(rita, version, ALL_CRITERIA)
    assert "no labels for Conceptual clarity, Terminology" in found.cautions[0]
    assert training_estimate(rita, version, ["conceptual_clarity"], {}) is None


def test_a_run_that_a_person_may_not_see_counts_nothing_for_them(rita, version) -> None:
    ended(version, 3600)
    found = estimated(make_user("stranger"), version)
    assert "guess" in found.basis


def test_one_run_makes_a_wider_range_than_three(rita, version) -> None:
    ended(version, 3600)
    one = estimated(rita, version)
    assert (one.time, "the latest run of" in one.basis) == ("30 minutes to 2 hours", True)


def test_a_gpu_is_counted_where_the_device_may_use_it(rita, version, monkeypatch, tmp_path) -> None:
    (tmp_path / "gpu").touch()
    monkeypatch.setattr(estimate, "GPU", tmp_path / "gpu")
    tuned = {"method": "finetune"}
    assert estimated(rita, version, **tuned).basis.startswith("On a GPU, from assumptions")
    found = estimated(rita, version, **tuned, device="cpu")
    assert "processor cores, from assumptions" in found.basis


def test_long_texts_and_a_missing_validation_are_cautioned(rita, version) -> None:
    version.card["tokens"]["reference"]["max"] = 4000
    version.card["splits"] = {"train": 15, "validation": 0, "test": 3}
    tuned = {"method": "finetune"}
    found = estimated(rita, version, **tuned)
    assert [words.split()[1] for words in found.cautions] == ["longest", "version"]
    assert "refused by name" in found.cautions[0]
    found = estimated(rita, version, **tuned, over_length="leave-out")
    assert "left out and listed" in found.cautions[0]
    # A probe reads a text of any length, and needs no validation items.
    assert estimated(rita, version).cautions == ()
