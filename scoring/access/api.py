"""What every call of the API on datasets, runs, models and reports has in common."""

from collections.abc import Collection
from typing import Any, cast
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator.access.api import MatrixPermission
from annotator.models import User
from core.errors import Refused
from core.jobs.rows import JobStatus
from core.rest.fields import MomentField
from scoring.access.scopes import (
    NoSuchVersion,
    find_version,
    is_researcher,
    ordered_labels,
    versions_for,
)
from scoring.models import DatasetVersion, ModelVersion, TrainingRun


class PermittedView(APIView):
    """A view that the permission matrix opens."""

    permission_classes = (MatrixPermission,)


def person(request: Request) -> User:
    """Return who calls; the matrix let nobody anonymous in."""
    return cast(User, request.user)


def version_of(request: Request, name: object) -> DatasetVersion:
    """Return NAME or NAME@VERSION that the person may see and work on; 400 or 403 otherwise."""
    user = person(request)
    try:
        row = find_version(str(name), versions_for(user))
    except NoSuchVersion as error:
        raise Refused.at("dataset", str(error)) from error
    if not is_researcher(user, row):
        raise PermissionDenied("Researchers of the campaign start this.")
    return row


class VersionSerializer(serializers.Serializer):
    """A dataset version; its counts are null or empty for who rates in its campaign."""

    dataset = serializers.CharField()
    full_name = serializers.CharField()
    version = serializers.IntegerField()
    sha256 = serializers.CharField(allow_null=True)
    items = serializers.IntegerField(allow_null=True)
    labels = serializers.JSONField(help_text="by criterion, the count of each label")
    splits = serializers.JSONField(help_text="quadruplets by split")
    left_out = serializers.JSONField(help_text="candidates by the reason why they were left out")
    created_at = serializers.DateTimeField()


def version_json(row: DatasetVersion, withheld: Collection[UUID] = ()) -> dict[str, Any]:
    """Describe a version; who rates in one of the campaigns `withheld` is shown no count of it.

    Nor its digest, by which a guess at its labels could be tried.
    """
    is_withheld = row.dataset.campaign_id in withheld
    return {
        "dataset": row.dataset.name,
        "full_name": row.full_name,
        "version": row.number,
        "sha256": None if is_withheld else row.sha256,
        "items": None if is_withheld else row.items,
        "labels": {} if is_withheld else ordered_labels(row),
        "splits": {} if is_withheld else row.card["splits"],
        "left_out": {} if is_withheld else row.card.get("left_out", {}),
        "created_at": row.created_at.isoformat(),
    }


class RunSerializer(serializers.Serializer):
    """A training run as its row stands now."""

    id = serializers.UUIDField()
    dataset = serializers.CharField(source="dataset_version")
    criterion = serializers.CharField()
    status = serializers.ChoiceField(choices=JobStatus.choices)
    progress = serializers.FloatField()
    stage = serializers.CharField()
    step = serializers.IntegerField()
    steps = serializers.IntegerField()
    epoch = serializers.IntegerField()
    epochs = serializers.IntegerField()
    loss = serializers.FloatField(allow_null=True)
    validation_tau = serializers.FloatField(allow_null=True)
    tokens_per_second = serializers.FloatField(allow_null=True)
    seconds_left = serializers.FloatField(allow_null=True)
    history = serializers.JSONField(help_text="loss and tau-b of each epoch")
    log = serializers.JSONField(help_text="lines with their times")
    message = serializers.CharField()
    model = serializers.UUIDField(source="model.pk", allow_null=True, default=None)
    is_reused = serializers.SerializerMethodField()
    settings = serializers.JSONField(help_text="what the run was asked for with, by name")
    tags = serializers.ListField(child=serializers.CharField(), source="tag_names")
    note = serializers.CharField()
    created_at = MomentField()

    def get_is_reused(self, row: TrainingRun) -> bool:
        return row.reused_model_id is not None


class ModelSerializer(serializers.Serializer):
    """A model version; `is_promoted` is of the campaigns of the caller."""

    id = serializers.UUIDField()
    criterion = serializers.CharField()
    is_promoted = serializers.SerializerMethodField()
    run = serializers.UUIDField(source="run_id")
    dataset = serializers.CharField(source="run.dataset_version")
    dataset_sha256 = serializers.CharField()
    manifest_sha256 = serializers.CharField()
    code_version = serializers.CharField()
    validation = serializers.JSONField(source="card.validation")
    tie_threshold = serializers.FloatField(source="card.tie_threshold", allow_null=True)
    warnings = serializers.ListField(child=serializers.CharField(), source="card.warnings")
    created_at = MomentField()

    def get_is_promoted(self, row: ModelVersion) -> bool:
        return row.pk in self.context["promoted"]


class ReportSerializer(serializers.Serializer):
    """A report as its row stands now; its own address has the figures too."""

    id = serializers.UUIDField()
    dataset = serializers.CharField(source="dataset_version")
    criterion = serializers.CharField()
    asked_scorers = serializers.ListField(child=serializers.CharField(), source="scorers")
    split = serializers.CharField()
    tie_threshold = serializers.FloatField()
    resamples = serializers.IntegerField()
    seed = serializers.IntegerField()
    systems_shown = serializers.BooleanField(source="has_systems")
    admins_counted = serializers.BooleanField(source="has_admins")
    status = serializers.ChoiceField(choices=JobStatus.choices)
    progress = serializers.FloatField()
    stage = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    message = serializers.CharField()
