"""Reads of training runs, model versions and reports, in the scope of a person."""

from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.jobs.rows import JobStatus
from annotator.models import Role, User
from annotator.queries.access import campaigns_for
from annotator.queries.reliability_access import withheld_campaigns
from annotator.refusals import Refused
from scoring.models import AgreementReport, ModelVersion, TrainingRun
from scoring.queries.datasets import measured_versions_for, versions_for

MODEL_PREFIX: Final = "model:"


def runs_for(user: User) -> QuerySet[TrainingRun]:
    rows = TrainingRun.objects.filter(dataset_version__in=measured_versions_for(user))
    return rows.select_related(
        "dataset_version__dataset", "model_version", "reused_model", "requested_by"
    )


def models_for(user: User) -> QuerySet[ModelVersion]:
    return ModelVersion.objects.filter(run__in=runs_for(user)).select_related(
        "run__dataset_version__dataset"
    )


def reports_for(user: User) -> QuerySet[AgreementReport]:
    """Return the reports on what the user works on, and to readers of a campaign its finished ones.

    None of a campaign that is open and in which the user rates: whoever knows their own part could
    take it off, and with two annotators the rest is the other one's.
    """
    works_on = Q(dataset_version__in=versions_for(user))
    reads = Q(
        dataset_version__dataset__campaign__in=campaigns_for(user, [Role.READER]),
        status=JobStatus.SUCCEEDED,
    )
    rows = AgreementReport.objects.filter(works_on | reads)
    withheld = Q(dataset_version__dataset__campaign__in=withheld_campaigns(user))
    return rows.exclude(withheld).select_related(
        "dataset_version__dataset__campaign", "requested_by"
    )


def is_neural_report(pk: UUID) -> bool:
    """Say whether a report waits for the queue of networks and endpoints."""
    return AgreementReport.objects.filter(pk=pk, is_neural=True).exists()


def find_model(model_id: str, user: User | None = None, field: str = "") -> ModelVersion:
    """Return the model version or refuse; `user` None means a command on this machine.

    `field` is what a refusal names as wrong.
    """
    rows = ModelVersion.objects.all() if user is None else models_for(user)
    try:
        return rows.get(pk=UUID(model_id))
    except (ValueError, ModelVersion.DoesNotExist) as error:
        sentence = f"There is no model {model_id[:100]!r}."
        raise Refused(sentence, {field: [sentence]} if field else None) from error
