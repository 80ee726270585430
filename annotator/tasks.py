"""Celery tasks of the annotator: each takes a row's key and calls the service for its job."""

from celery import shared_task

from annotator.imports.services import carry_out_import
from annotator.mail.deliveries import carry_out_delivery
from annotator.reliability.services import carry_out_reliability
from core.jobs.queues import Queues


@shared_task(queue=Queues.WEB.value, name="annotator.reliability")
def reliability(pk: str) -> None:
    carry_out_reliability(pk)


@shared_task(queue=Queues.WEB.value, name="annotator.import_claims")
def import_claims(pk: str) -> None:
    carry_out_import(pk)


@shared_task(queue=Queues.WEB.value, name="annotator.deliver")
def deliver(pk: str) -> None:
    carry_out_delivery(pk)
