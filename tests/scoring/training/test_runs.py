"""Training runs: refused before queueing, queued one by one or five at once, run again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.models import AuditEvent, User
from core.errors import Refused, TooOften
from scoring import files as scoring_files
from scoring.datasets.freezing.imports import import_dataset
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion, TrainingRun
from scoring.patclaimeval.config import TrainingSettings
from scoring.quadruplets import SplitPlan
from scoring.training.runs import services as runs_services
from scoring.training.runs.services import request_training, request_trainings, train_again

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

CRITERION = "feature_completeness"
Rows = Callable[..., list[DatasetRow]]


def request(version: DatasetVersion, **options: Any) -> TrainingRun:
    return request_training(version=version, criterion=CRITERION, options=options)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("learning_rate", 0),
        ("learning_rate", -1.0),
        ("learning_rate", float("nan")),
        ("learning_rate", 1e9),
        ("learning_rate", "1e-5"),
        ("epochs", 0),
        ("epochs", True),
        ("batch_size", 0),
        ("margin", 0.0),
        ("tolerance", 0.9),
        ("seed", -1),
        ("device", "tpu"),
        ("method", "magic"),
        ("preset", "best"),
        ("batching", "none"),
        ("encoder", " "),
        ("over_length", "cut"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_its_field(
    version: DatasetVersion, option: str, value: Any
) -> None:
    with pytest.raises(Refused) as caught:
        request(version, **{option: value})
    assert set(caught.value.fields) == {option}
    assert option in caught.value.sentence
    assert not TrainingRun.objects.exists()
    assert not AuditEvent.objects.filter(action__startswith="training").exists()


@pytest.mark.parametrize("option", ["output_dir", "trust_remote_code", "report_to", "push_to_hub"])
def test_a_setting_that_no_training_has_is_refused(version: DatasetVersion, option: str) -> None:
    with pytest.raises(Refused, match="no training has"):
        request(version, **{option: "/etc"})
    assert not TrainingRun.objects.exists()


def test_an_unknown_criterion_is_refused_by_its_field(version: DatasetVersion) -> None:
    with pytest.raises(Refused) as caught:
        request_training(version=version, criterion="novelty", options={})
    assert set(caught.value.fields) == {"criterion"}
    assert not TrainingRun.objects.exists()


def test_a_dataset_with_too_few_quadruplets_is_refused(data_directory: Path, rows: Rows) -> None:
    poor = import_dataset(name="poor", rows=rows(4), plan=SplitPlan("file")).version
    with pytest.raises(Refused, match=r"poor@1 has 6 quadruplets .*at least 8"):
        request(poor)
    with pytest.raises(Refused, match="has 0 quadruplets with a label for Overall"):
        request_training(version=poor, criterion="overall_quality", options={})
    assert not TrainingRun.objects.exists()


def test_a_dataset_with_one_reference_only_is_refused(data_directory: Path, rows: Rows) -> None:
    texts = [f"1. A device with {n} springs." for n in range(9)]
    one = [
        DatasetRow(f"q{n}", "r", "1. A device.", a, "1. A pump.", "b", "c", {CRITERION: 1}, "train")
        for n, a in enumerate(texts)
    ]
    lonely = import_dataset(name="lonely", rows=one, plan=SplitPlan("file")).version
    with pytest.raises(Refused, match="share one reference"):
        request(lonely)
    assert not TrainingRun.objects.exists()


def test_a_queued_run_says_what_it_will_do(version: DatasetVersion) -> None:
    person = User.objects.create(username="rita")
    run = request_training(
        version=version, criterion=CRITERION, options={"seed": 3}, requested_by=person
    )
    assert (run.status, run.settings["seed"], run.settings["method"]) == ("queued", 3, "probe")
    assert run.epochs == run.settings["epochs"] > 0
    event = AuditEvent.objects.get(action="training.requested")
    assert (event.actor, event.object_id) == (person, str(run.pk))


def labelled(rows: list[DatasetRow], *criteria: str) -> list[DatasetRow]:
    """Give each row the label of its first criterion for all of these."""
    return [replace(row, y=dict.fromkeys(criteria, next(iter(row.y.values())))) for row in rows]


def test_several_criteria_are_queued_in_order_or_not_at_all(
    data_directory: Path, rows: Rows
) -> None:
    two = ("conceptual_clarity", "logical_linkage")
    version = import_dataset(
        name="two", rows=labelled(rows(), *two), plan=SplitPlan("file")
    ).version
    found = request_trainings(version=version, criteria=two, options={"seed": 4})
    assert [run.criterion for run in found] == list(two)
    assert [run.settings["criterion"] for run in found] == list(two)
    assert {run.settings["seed"] for run in found} == {4}
    with pytest.raises(Refused, match="0 quadruplets with a label for Feature completeness"):
        request_trainings(version=version, criteria=[*two, CRITERION], options={})
    assert TrainingRun.objects.count() == 2


def test_a_queue_that_breaks_off_holds_none_of_the_runs(
    data_directory: Path, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = ("conceptual_clarity", "logical_linkage")
    version = import_dataset(
        name="two", rows=labelled(rows(), *two), plan=SplitPlan("file")
    ).version

    def record(action: str, run: TrainingRun, *rest: Any) -> None:
        if run.criterion == two[1]:
            raise OSError

    monkeypatch.setattr(runs_services, "record_event", record)
    with pytest.raises(OSError):
        request_trainings(version=version, criteria=two, options={})
    assert not TrainingRun.objects.exists()


def test_a_run_is_asked_for_again_with_its_own_data_and_settings(version: DatasetVersion) -> None:
    person = User.objects.create(username="rita")
    first = request(version, preset="paper", epochs=3, allow_download=True)
    TrainingRun.objects.filter(pk=first.pk).update(status="failed")
    again = train_again(run=first, requested_by=person)
    assert again.pk != first.pk
    assert (again.dataset_version, again.criterion) == (version, CRITERION)
    assert again.settings == first.settings | {"allow_download": False}
    assert (again.status, again.requested_by) == ("queued", person)


def test_the_same_request_twice_is_one_run_until_it_ends(version: DatasetVersion) -> None:
    rita, ada = (User.objects.create(username=name) for name in ("rita", "ada"))

    def ask(person: User | None = rita, **options: Any) -> TrainingRun:
        return request_training(
            version=version, criterion=CRITERION, options=options, requested_by=person
        )

    first = ask(seed=1)
    TrainingRun.objects.filter(pk=first.pk).update(status="running")
    assert ask(seed=1) == ask(ada, seed=1) == first
    assert AuditEvent.objects.filter(action="training.requested").count() == 1
    assert ask(seed=2) != first
    # A command carries out its own run, and has no use for one that another worker trains.
    assert ask(None, seed=1) != first
    TrainingRun.objects.filter(settings__seed=1).update(cancel_requested=True)
    assert ask(seed=1) not in TrainingRun.objects.filter(cancel_requested=True)
    TrainingRun.objects.update(status="succeeded")
    assert ask(seed=2).status == "queued"


def test_a_person_has_so_many_unfinished_runs_and_no_more(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_services, "MOST_UNFINISHED", 2)
    rita, ada = (User.objects.create(username=name) for name in ("rita", "ada"))

    def ask(person: User, seed: int) -> TrainingRun:
        return request_training(
            version=version, criterion=CRITERION, options={"seed": seed}, requested_by=person
        )

    first = ask(rita, 1)
    ask(rita, 2)
    with pytest.raises(TooOften, match="2 of your runs wait or train already"):
        ask(rita, 3)
    assert ask(rita, 1) == first
    assert ask(ada, 3).requested_by == ada
    TrainingRun.objects.filter(pk=first.pk).update(status="cancelled")
    assert ask(rita, 4).status == "queued"


def test_a_changed_dataset_file_is_refused(version: DatasetVersion) -> None:
    scoring_files.dataset_path(version.sha256).write_bytes(b"{}\n")
    with pytest.raises(Refused, match="was changed"):
        request(version)


def test_two_hundred_requests_in_a_minute_are_refused_though_they_are_one_run(
    version: DatasetVersion, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        runs_services, "_checked", lambda *given: TrainingSettings(criterion=CRITERION)
    )
    rita = User.objects.create(username="rita")
    refused = 0
    for _ in range(100):
        try:
            request_training(version=version, criterion=CRITERION, options={}, requested_by=rita)
        except TooOften as refusal:
            assert 0 < refusal.retry_after <= 2  # noqa: PT017
            refused += 1
    assert refused >= 20
    assert TrainingRun.objects.count() == 1
