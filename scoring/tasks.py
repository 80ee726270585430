"""Celery tasks: each takes a row's key and calls the service that carries the job out."""

from uuid import UUID

from celery import shared_task

from core.jobs.queues import Queues
from scoring.datasets.freezing.services import carry_out_freeze
from scoring.reports.work import carry_out_report
from scoring.scores.queries import needs_encoder
from scoring.scores.services import carry_out_scores
from scoring.training.model_versions.queries import is_neural_report
from scoring.training.runs.work import carry_out_training


@shared_task(queue=Queues.GPU.value, name="scoring.train")
def train(pk: str) -> None:
    carry_out_training(pk)


@shared_task(queue=Queues.WEB.value, name="scoring.linear_scores")
def linear_scores(pk: str) -> None:
    carry_out_scores(pk)


@shared_task(queue=Queues.GPU.value, name="scoring.scores")
def scores(pk: str) -> None:
    carry_out_scores(pk)


def enqueue_scores(pk: UUID) -> None:
    """Enqueue a request on the queue of its models: linear ones never wait behind a training."""
    task = scores if needs_encoder(pk) else linear_scores
    task.delay(str(pk))


@shared_task(queue=Queues.WEB.value, name="scoring.report")
def report(pk: str) -> None:
    carry_out_report(pk)


@shared_task(queue=Queues.GPU.value, name="scoring.neural_report")
def neural_report(pk: str) -> None:
    carry_out_report(pk)


def enqueue_report(pk: UUID) -> None:
    """Enqueue a report on the queue of its scorers: networks and endpoints make no screen wait."""
    task = neural_report if is_neural_report(pk) else report
    task.delay(str(pk))


@shared_task(queue=Queues.WEB.value, name="scoring.freeze")
def freeze(pk: str) -> None:
    carry_out_freeze(pk)
