"""Bells of the rating house: each task takes a row's key and calls the service for its job."""

from celery import shared_task

from annotator.jobs.queues import Queues
from annotator.services.carried_out_imports import carry_out_import
from annotator.services.reliability import carry_out_reliability


@shared_task(queue=Queues.WEB.value, name="annotator.reliability")
def reliability(pk: str) -> None:
    carry_out_reliability(pk)


@shared_task(queue=Queues.WEB.value, name="annotator.import_claims")
def import_claims(pk: str) -> None:
    carry_out_import(pk)
