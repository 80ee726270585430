"""What every call of the API on datasets, runs, models and reports has in common."""

from collections.abc import Collection
from typing import Any, Final, cast
from uuid import UUID

from django import forms
from django.http import QueryDict
from rest_framework.exceptions import PermissionDenied, ValidationError
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


def body(request: Request, allowed: set[str]) -> dict[str, Any]:
    """Return the JSON object that was sent; an unknown key is refused, not dropped."""
    sent = request.data
    if not isinstance(sent, dict) or isinstance(sent, QueryDict):
        raise ValidationError({"non_field_errors": ["Send one JSON object."]})
    unknown = sorted(set(sent) - allowed)
    if unknown:
        raise ValidationError({name[:100]: ["This field is not known here."] for name in unknown})
    return dict(sent)


# What each kind of field is in JSON, and the message for anything else; the first that fits counts.
IN_JSON: Final = (
    (forms.BooleanField, (bool,), "Give true or false."),
    (forms.FloatField, (int, float), "Give a number."),
    (forms.IntegerField, (int,), "Give a whole number."),
    (forms.MultipleChoiceField, (list,), "Give a list of texts."),
    (forms.Field, (str,), "Give a text."),
)


def cleaned(form: forms.Form) -> dict[str, Any]:
    """Return what a form makes of a body; 400 with the reasons by field otherwise.

    A body shows what it means by its types, where a form has texts only: `"maybe"` is no bool.
    """
    if wrong := {
        name: [why]
        for name, value in form.data.items()
        if (why := _wrong_type(form.fields[name], value))
    }:
        raise ValidationError(wrong)
    if not form.is_valid():
        raise ValidationError(
            {name: [str(reason) for reason in reasons] for name, reasons in form.errors.items()}
        )
    return form.cleaned_data


def _wrong_type(field: forms.Field, value: Any) -> str:
    kinds, why = next((kinds, why) for kind, kinds, why in IN_JSON if isinstance(field, kind))
    inner = value if isinstance(value, list) else []
    is_right = type(value) in kinds and all(isinstance(one, str) for one in inner)
    # A text that need not be given may be null.
    return "" if is_right or (value is None and kinds == (str,) and not field.required) else why


def version_of(request: Request, name: object) -> DatasetVersion:
    """Return NAME or NAME@VERSION that the person may see and work on; 400 or 403 otherwise."""
    user = person(request)
    try:
        row = find_version(str(name), versions_for(user))
    except NoSuchVersion as error:
        raise Refused(str(error), {"dataset": [str(error)]}) from error
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
        "criterion": row.criterion,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage,
        "step": row.step,
        "steps": row.steps,
        "epoch": row.epoch,
        "epochs": row.epochs,
        "loss": row.loss,
        "validation_tau": row.validation_tau,
        "tokens_per_second": row.tokens_per_second,
        "seconds_left": row.seconds_left,
        "history": row.history,
        "log": row.log,
        "message": row.message,
        "model": str(row.model.pk) if row.model else None,
        "is_reused": row.reused_model_id is not None,
    }


def model_json(row: ModelVersion, *, is_promoted: bool) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "criterion": row.criterion,
        "is_promoted": is_promoted,
        "run": str(row.run_id),
        "dataset": str(row.run.dataset_version),
        "dataset_sha256": row.dataset_sha256,
        "manifest_sha256": row.manifest_sha256,
        "code_version": row.code_version,
        "validation": row.card["validation"],
        "tie_threshold": row.card["tie_threshold"],
        "warnings": row.card["warnings"],
        "created_at": row.created_at.isoformat(),
    }


def report_json(row: AgreementReport) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        "criterion": row.criterion,
        "asked_scorers": row.scorers,
        "split": row.split,
        "tie_threshold": row.tie_threshold,
        "resamples": row.resamples,
        "seed": row.seed,
        "systems_shown": row.has_systems,
        "admins_counted": row.has_admins,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage,
        "done": row.done,
        "total": row.total,
        "message": row.message,
    }
