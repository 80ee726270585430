"""What every call of the API on datasets, runs, models and reports has in common."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, cast
from uuid import UUID

from django import forms
from django.db.models import Model
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


# What a value of a body must be, and what is said of anything else.
Kind = tuple[Callable[[Any], bool], str]
TEXT: Final[Kind] = (lambda value: isinstance(value, str), "Give a text.")
TEXTS: Final[Kind] = (
    lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "Give a list of texts.",
)
TRUTH: Final[Kind] = (lambda value: type(value) is bool, "Give true or false.")
NUMBER: Final[Kind] = (lambda value: type(value) in (int, float), "Give a number.")
WHOLE: Final[Kind] = (lambda value: type(value) is int, "Give a whole number.")
ANY: Final[Kind] = (lambda value: True, "")


def body(request: Request, allowed: Iterable[str], needed: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON object that was sent; an unknown key is refused, not dropped.

    `allowed` may give the Kind of each key. Raises ValidationError by field.
    """
    sent = request.data
    if not isinstance(sent, dict) or isinstance(sent, QueryDict):
        raise ValidationError({"non_field_errors": ["Send one JSON object."]})
    kinds = dict(allowed) if isinstance(allowed, Mapping) else dict.fromkeys(allowed, ANY)
    unknown = sorted(set(sent) - set(kinds))
    if unknown:
        raise ValidationError({name[:100]: ["This field is not known here."] for name in unknown})
    wrong = {name: ["This field is required."] for name in needed if name not in sent}
    wrong |= {name: [kinds[name][1]] for name in sent if not kinds[name][0](sent[name])}
    if wrong:
        raise ValidationError(wrong)
    return dict(sent)


# What each kind of field is in JSON; the first that fits counts.
IN_JSON: Final = (
    (forms.BooleanField, TRUTH),
    (forms.FloatField, NUMBER),
    (forms.IntegerField, WHOLE),
    (forms.MultipleChoiceField, TEXTS),
    (forms.Field, TEXT),
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
        raise ValidationError({name: list(map(str, why)) for name, why in form.errors.items()})
    return form.cleaned_data


def _wrong_type(field: forms.Field, value: Any) -> str:
    kind = next(kind for fields, kind in IN_JSON if isinstance(field, fields))
    # A text that need not be given may be null.
    may_be_null = kind is TEXT and not field.required
    return "" if kind[0](value) or (value is None and may_be_null) else kind[1]


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
