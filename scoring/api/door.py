"""What every REST door of this house does alike: ask the matrix, know the person, clean a body."""

from typing import Any, cast

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
from scoring.queries.datasets import find_version, is_researcher, versions_for


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


def cleaned(form: forms.Form) -> dict[str, Any]:
    """Return what a form makes of a body; 400 with the reasons by field otherwise."""
    if not form.is_valid():
        raise ValidationError(
            {name: [str(reason) for reason in reasons] for name, reasons in form.errors.items()}
        )
    return form.cleaned_data


def version_of(request: Request, name: object) -> DatasetVersion:
    """Return NAME or NAME@VERSION that the person may see and work on; 400 or 403 otherwise."""
    user = person(request)
    try:
        row = find_version(str(name), versions_for(user))
    except DatasetVersion.DoesNotExist as error:
        sentence = "There is no such dataset; give NAME or NAME@VERSION."
        raise Refused(sentence, {"dataset": [sentence]}) from error
    if not is_researcher(user, row):
        raise PermissionDenied("Researchers of the campaign start this.")
    return row
