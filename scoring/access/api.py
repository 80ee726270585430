"""What every call of the API on datasets, runs, models and reports has in common."""

from collections.abc import Collection
from typing import Any, cast
from uuid import UUID

from django.db.models import Model
from rest_framework.exceptions import PermissionDenied
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator.access.api import MatrixPermission
from annotator.models import User
from core.errors import Refused
from scoring.access.scopes import (
    NoSuchVersion,
    find_version,
    is_researcher,
    ordered_labels,
    versions_for,
)
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, TrainingRun


class PermittedView(APIView):
    """A view that the permission matrix opens."""

    permission_classes = (MatrixPermission,)


class OwnFormats(DefaultContentNegotiation):
    """Leaves `?format=` and Accept to the view: they name files, not ways to render an answer."""

    def select_renderer(self, request, renderers, format_suffix=None):  # type: ignore[no-untyped-def]
        return renderers[0], renderers[0].media_type


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


def run_json(row: TrainingRun) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        **_fields(row, "criterion", "status", "progress", "stage", "step", "steps", "epoch"),
        **_fields(row, "epochs", "loss", "validation_tau", "tokens_per_second", "seconds_left"),
        **_fields(row, "history", "log", "message"),
        "model": str(row.model.pk) if row.model else None,
        "is_reused": row.reused_model_id is not None,
    }


def _fields(row: Model, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def model_json(row: ModelVersion, *, is_promoted: bool) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "criterion": row.criterion,
        "is_promoted": is_promoted,
        "run": str(row.run_id),
        "dataset": str(row.run.dataset_version),
        **_fields(row, "dataset_sha256", "manifest_sha256", "code_version"),
        **{name: row.card[name] for name in ("validation", "tie_threshold", "warnings")},
        "created_at": row.created_at.isoformat(),
    }


def report_json(row: AgreementReport) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        "criterion": row.criterion,
        "asked_scorers": row.scorers,
        **_fields(row, "split", "tie_threshold", "resamples", "seed"),
        "systems_shown": row.has_systems,
        "admins_counted": row.has_admins,
        **_fields(row, "status", "progress", "stage", "done", "total", "message"),
    }
