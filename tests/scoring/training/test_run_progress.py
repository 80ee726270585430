import pytest

from core.jobs import leases
from patclaimeval.models.data import Progress
from scoring.models import DatasetVersion, TrainingRun
from scoring.training.runs import services as runs_services
from scoring.training.runs.services import (
    MOST_LINES,
    MOST_POINTS,
    RunProgress,
    cancel_training,
    request_training,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def run(version: DatasetVersion) -> TrainingRun:
    row = request_training(version=version, criterion="feature_completeness", options={})
    claimed = leases.claim(TrainingRun, row.pk)
    assert claimed is not None
    return claimed


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the progress reads, in seconds; a test moves it."""
    now = [100.0]
    monkeypatch.setattr(runs_services, "monotonic", lambda: now[0])
    return now


def epoch_end(epoch: int, epochs: int = 3, tau: float | None = 0.5) -> Progress:
    return Progress("training", epoch, epochs, epoch, epochs, 0.25, tau, ends_epoch=True)


@pytest.fixture
def progress(run: TrainingRun, clock: list[float]) -> RunProgress:
    return RunProgress(run, lambda text: None)


def words(progress: RunProgress) -> list[str]:
    return [line["words"] for line in progress.lists()["log"]]


def test_figures_reach_the_row(run, clock) -> None:
    messages: list[str] = []
    found = Progress("training", 3, 12, 1, 4, 0.5, 0.25, 900.0, 30.0)
    RunProgress(run, messages.append).store_progress(found)
    run.refresh_from_db()
    assert (run.stage, run.step, run.steps, run.epoch, run.epochs) == ("training", 3, 12, 1, 4)
    assert (run.loss, run.validation_tau, run.progress) == (0.5, 0.25, 0.25)
    assert (run.tokens_per_second, run.seconds_left) == (900.0, 30.0)
    assert [line["words"] for line in run.log] == ["training began"]
    assert messages == ["training: 3 of 12"]


def test_the_first_figures_are_written_on_a_machine_that_has_just_started(run, clock) -> None:
    clock[0] = 1.0
    RunProgress(run, lambda text: None).store_progress(Progress("training", 3, 12))
    run.refresh_from_db()
    assert (run.stage, run.step) == ("training", 3)


def test_the_row_is_written_at_most_every_two_seconds(
    run, progress, clock, django_assert_num_queries
) -> None:
    with django_assert_num_queries(3):  # one of them the database's time, for the log
        for step in range(50):
            progress.store_progress(Progress("training", step, 50))
            clock[0] += 0.03
    clock[0] += 2
    progress.store_progress(Progress("training", 50, 50))
    run.refresh_from_db()
    assert run.step == 50


def test_the_log_holds_stages_notes_and_epochs(progress) -> None:
    progress.store_progress(Progress("preparing", 0, 1))
    progress.store_progress(Progress("training", 0, 1, note="Going on after step 4."))
    progress.store_progress(epoch_end(2))
    progress.store_progress(epoch_end(3, tau=None))
    assert words(progress) == [
        *("preparing began", "training began", "Going on after step 4."),
        "epoch 2 of 3: loss 0.2500, validation tau-b 0.500",
        "epoch 3 of 3: loss 0.2500",
    ]


def test_an_epoch_that_is_repeated_after_a_kill_stands_once(run, progress) -> None:
    for epoch in (1, 2):
        progress.store_progress(epoch_end(epoch))
    TrainingRun.objects.filter(pk=run.pk).update(**progress.lists())
    again = RunProgress(TrainingRun.objects.get(pk=run.pk), lambda text: None)
    again.store_progress(epoch_end(2))
    assert [point["epoch"] for point in again.lists()["history"]] == [1, 2]


def test_log_and_curve_are_bounded(progress) -> None:
    epochs = 2 * MOST_POINTS + 1
    for epoch in range(1, epochs + 1):
        progress.store_progress(epoch_end(epoch, epochs))
    points = [point["epoch"] for point in progress.lists()["history"]]
    assert len(points) <= MOST_POINTS
    assert points[-1] == epochs
    for number in range(2 * MOST_LINES):
        progress.note(f"note {number}")
    assert len(words(progress)) == MOST_LINES
    assert words(progress)[-1] == f"note {2 * MOST_LINES - 1}"


def test_a_cancelled_run_is_noticed_within_two_seconds_of_messages(run, progress, clock) -> None:
    progress.store_progress(Progress("features", 1, 50))
    cancel_training(run=run)
    clock[0] += 2
    with pytest.raises(leases.LostLease):
        progress.store_progress(Progress("features", 2, 50))


def test_a_lost_lease_is_noticed_at_the_next_message(progress) -> None:
    def lost() -> None:
        raise leases.LostLease

    progress.check = lost
    with pytest.raises(leases.LostLease):
        progress.store_progress(Progress("features", 1, 50))
