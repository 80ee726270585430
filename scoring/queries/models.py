"""Reads of training runs, model versions and reports, in the scope of a person."""

from django.db.models import QuerySet

from annotator.models import User
from scoring.models import AgreementReport, ModelVersion, TrainingRun
from scoring.queries.datasets import versions_for


def runs_for(user: User) -> QuerySet[TrainingRun]:
    return TrainingRun.objects.filter(dataset_version__in=versions_for(user)).select_related(
        "dataset_version__dataset", "model_version", "reused_model", "requested_by"
    )


def models_for(user: User) -> QuerySet[ModelVersion]:
    return ModelVersion.objects.filter(run__in=runs_for(user)).select_related(
        "run__dataset_version__dataset"
    )


def reports_for(user: User) -> QuerySet[AgreementReport]:
    return AgreementReport.objects.filter(dataset_version__in=versions_for(user)).select_related(
        "dataset_version__dataset", "requested_by"
    )
