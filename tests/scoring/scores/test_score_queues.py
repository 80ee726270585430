"""Scores of linear models never wait behind a training; those of encoders are for its worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from core.jobs.queues import Queues
from core.jobs.registry import enqueue_on_commit, sweep
from scoring import tasks
from scoring.models import DatasetVersion, ScoreRequest
from tests.conftest import Cast
from tests.scoring.model_builders import make_model

LINEAR, ENCODER = ("feature_completeness", "probe"), ("logical_linkage", "finetune")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was sent to the workers: the queue and the key of the row."""
    found: list[tuple[str, str]] = []
    for name in ("scores", "linear_scores"):
        task = getattr(tasks, name, None)
        if task is not None:
            monkeypatch.setattr(task, "delay", lambda pk, of=task: found.append((of.queue, pk)))
    return found


def asked(version: DatasetVersion, cast: Cast, *trained: tuple[str, str]) -> ScoreRequest:
    chosen = {"overall_quality": "patclaimeval-0"}
    for criterion, method in trained:
        chosen[criterion] = str(make_model(version, criterion, method=method).pk)
    return ScoreRequest.objects.create(
        reference_text="1. A pump.",
        candidate_texts=["1. A lever."],
        models_by_criterion=chosen,
        asked_by=cast.rita,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("trained", "queue"),
    [
        ((), Queues.WEB),
        ((LINEAR,), Queues.WEB),
        ((ENCODER,), Queues.GPU),
        ((LINEAR, ENCODER), Queues.GPU),
    ],
    ids=["PatClaimEval-0", "linear", "encoder", "both"],
)
def test_requests_go_to_the_queue_of_their_models_from_the_sweeper_too(
    sent, version, cast, trained, queue, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        row = asked(version, cast, *trained)
        enqueue_on_commit(row)
    ScoreRequest.objects.update(due_at=timezone.now() - timedelta(hours=1))
    sweep()
    assert sent == [(queue.value, str(row.pk))] * 2


@pytest.mark.django_db
def test_a_request_whose_rows_are_gone_keeps_no_worker_of_encoders_busy(
    sent, version, cast
) -> None:
    row = asked(version, cast)
    ScoreRequest.objects.all().delete()
    tasks.enqueue_scores(row.pk)
    assert sent == [(Queues.WEB.value, str(row.pk))]


@pytest.mark.django_db
def test_a_request_that_names_no_model_stops_no_sweep(sent, version, cast) -> None:
    row = asked(version, cast)
    ScoreRequest.objects.update(models_by_criterion={"overall_quality": "no id"})
    ScoreRequest.objects.update(due_at=timezone.now() - timedelta(hours=1))
    sweep()
    assert sent[-1] == (Queues.WEB.value, str(row.pk))
