from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.models import AuditEvent, User
from core.errors import Refused, TooOften
from patclaimeval.models.config import TrainingSettings
from scoring import files as scoring_files
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import DatasetRow
from scoring.training.runs import services as runs_services
from scoring.training.runs.services import request_training, request_trainings, train_again
from tests.conftest import make_user
from tests.scoring.conftest import imported, labelled_alike

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

CRITERION = "feature_completeness"


def request(version: DatasetVersion, by: User | None = None, **options: Any) -> TrainingRun:
    return request_training(version=version, criterion=CRITERION, options=options, requested_by=by)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("learning_rate", value) for value in (0, -1.0, float("nan"), 1e9, "1e-5")),
        *(("epochs", 0), ("epochs", True), ("batch_size", 0), ("seed", -1)),
        *(("margin", 0.0), ("tolerance", 0.9), ("encoder", " "), ("device", "tpu")),
        *(("method", "magic"), ("preset", "best"), ("batching", "none"), ("over_length", "cut")),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_its_field(version, option, value) -> None:
    with pytest.raises(Refused) as caught:
        request(version, **{option: value})
    assert set(caught.value.fields) == {option}
    assert option in caught.value.sentence
    assert not TrainingRun.objects.exists()
    assert not AuditEvent.objects.filter(action__startswith="training").exists()


@pytest.mark.parametrize("option", ["output_dir", "trust_remote_code", "report_to", "push_to_hub"])
def test_a_setting_that_no_training_has_is_refused(version, option) -> None:
    with pytest.raises(Refused, match="no training has"):
        request(version, **{option: "/etc"})
    assert not TrainingRun.objects.exists()


def test_an_unknown_criterion_is_refused_by_its_field(version) -> None:
    with pytest.raises(Refused) as caught:
        request_training(version=version, criterion="novelty", options={})
    assert set(caught.value.fields) == {"criterion"}
    assert not TrainingRun.objects.exists()


def test_a_dataset_with_too_few_quadruplets_is_refused(data_directory, rows) -> None:
    with pytest.raises(Refused, match=r"poor@1 has 6 quadruplets .*at least 8"):
        request(imported("poor", rows(4)))
    assert not TrainingRun.objects.exists()


def test_a_queued_run_holds_what_it_will_do(version) -> None:
    person = make_user("rita")
    run = request(version, person, seed=3)
    assert (run.status, run.settings["seed"], run.settings["method"]) == ("queued", 3, "probe")
    assert run.epochs == run.settings["epochs"] > 0
    event = AuditEvent.objects.get(action="training.requested")
    assert (event.actor, event.object_id) == (person, str(run.pk))


TWO = ("conceptual_clarity", "logical_linkage")


@pytest.fixture
def of_two(data_directory: Path, rows: Callable[[], list[DatasetRow]]) -> DatasetVersion:
    """A version with labels for two criteria."""
    return imported("two", labelled_alike(rows(), TWO))


def test_several_criteria_are_queued_in_order_or_not_at_all(of_two) -> None:
    found = request_trainings(version=of_two, criteria=TWO, options={"seed": 4})
    assert [run.criterion for run in found] == list(TWO)
    assert [run.settings["criterion"] for run in found] == list(TWO)
    assert {run.settings["seed"] for run in found} == {4}
    with pytest.raises(Refused, match="0 quadruplets with a label for Feature completeness"):
        request_trainings(version=of_two, criteria=[*TWO, CRITERION], options={})
    assert TrainingRun.objects.count() == 2


def test_a_queue_that_breaks_off_holds_none_of_the_runs(of_two, monkeypatch) -> None:
    def record(action: str, run: TrainingRun, *rest: Any) -> None:
        if run.criterion == TWO[1]:
            raise OSError

    monkeypatch.setattr(runs_services, "record_event", record)
    with pytest.raises(OSError):
        request_trainings(version=of_two, criteria=TWO, options={})
    assert not TrainingRun.objects.exists()


def test_a_run_is_asked_for_again_with_its_own_data_and_settings(version) -> None:
    person = make_user("rita")
    first = request(version, preset="paper", epochs=3)
    # A run of an earlier release has settings that there are no more.
    former = first.settings | {"processes": 2, "allow_download": True}
    TrainingRun.objects.filter(pk=first.pk).update(status="failed", settings=former)
    first.refresh_from_db()
    again = train_again(run=first, requested_by=person)
    assert again.pk != first.pk
    assert (again.dataset_version, again.criterion) == (version, CRITERION)
    assert again.settings | former == former
    assert (again.status, again.requested_by) == ("queued", person)


def test_the_same_request_twice_is_one_run_until_it_ends(version) -> None:
    rita, ada = make_user("rita"), make_user("ada")
    first = request(version, rita, seed=1)
    TrainingRun.objects.filter(pk=first.pk).update(status="running")
    assert request(version, rita, seed=1) == request(version, ada, seed=1) == first
    assert AuditEvent.objects.filter(action="training.requested").count() == 1
    assert request(version, rita, seed=2) != first
    # A command carries out its own run, and has no use for one that another worker trains.
    assert request(version, None, seed=1) != first
    TrainingRun.objects.filter(settings__seed=1).update(cancel_requested=True)
    assert not request(version, rita, seed=1).cancel_requested
    TrainingRun.objects.update(status="succeeded")
    assert request(version, rita, seed=2).status == "queued"


def test_a_person_has_so_many_unfinished_runs_and_no_more(version, monkeypatch) -> None:
    monkeypatch.setattr(runs_services, "MOST_UNFINISHED", 2)
    rita, ada = make_user("rita"), make_user("ada")
    first, _ = request(version, rita, seed=1), request(version, rita, seed=2)
    with pytest.raises(TooOften, match="2 of your runs wait or train already"):
        request(version, rita, seed=3)
    assert request(version, rita, seed=1) == first
    assert request(version, ada, seed=3).requested_by == ada
    TrainingRun.objects.filter(pk=first.pk).update(status="cancelled")
    assert request(version, rita, seed=4).status == "queued"


def test_a_changed_dataset_file_is_refused(version) -> None:
    scoring_files.dataset_path(version.sha256).write_bytes(b"{}\n")
    with pytest.raises(Refused, match="was changed"):
        request(version)


def test_a_hundred_requests_in_a_minute_are_refused_though_they_are_one_run(
    version, monkeypatch
) -> None:
    settings = TrainingSettings(criterion=CRITERION)
    monkeypatch.setattr(runs_services, "_checked", lambda *given: settings)
    rita, refused = make_user("rita"), 0
    for _ in range(100):
        try:
            request(version, rita)
        except TooOften as refusal:
            assert 0 < refusal.retry_after <= 2  # noqa: PT017
            refused += 1
    assert refused >= 20
    assert TrainingRun.objects.count() == 1
