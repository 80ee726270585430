"""What every REST door of this house does alike: ask the matrix, know the person, clean a body."""

from typing import Any, Final, cast

from django import forms
from django.http import QueryDict
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator.api.permissions import MatrixPermission
from annotator.models import User
from annotator.refusals import Refused
from scoring.models import DatasetVersion
from scoring.queries.datasets import NoSuchVersion, find_version, is_researcher, versions_for


class Door(APIView):
    """A view that the permission matrix opens."""

    permission_classes = (MatrixPermission,)


class OwnFormats(DefaultContentNegotiation):
    """Leaves `?format=` and Accept to the door: they name files, not ways to render an answer."""

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


# What each kind of field is in JSON, and what is said of anything else; the first that fits counts.
IN_JSON: Final = (
    (forms.BooleanField, (bool,), "Give true or false."),
    (forms.FloatField, (int, float), "Give a number."),
    (forms.IntegerField, (int,), "Give a whole number."),
    (forms.MultipleChoiceField, (list,), "Give a list of texts."),
    (forms.Field, (str,), "Give a text."),
)


def cleaned(form: forms.Form) -> dict[str, Any]:
    """Return what a form makes of a body; 400 with the reasons by field otherwise.

    A body says what it means by its types, where a form has texts only: `"maybe"` is no bool.
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
