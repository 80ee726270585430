"""Datasets over REST: list, freeze, one version, export."""

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.models import Role
from annotator.queries.access import roles_of
from scoring import storage
from scoring.api.door import Door, body, cleaned, person
from scoring.api.words import version_words
from scoring.forms.requests import FreezeForm
from scoring.queries.datasets import versions_for
from scoring.services.datasets import freeze_dataset

FIELDS = {"campaign", "name", "test_share", "validation_share", "seed", "include_unlocked"}
DEFAULTS = {"test_share": 0.15, "validation_share": 0.1, "seed": 0}


class Datasets(Door):
    """The dataset versions that the caller may see; a POST freezes a campaign."""

    @extend_schema(operation_id="datasets_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        return Response([version_words(row) for row in versions_for(person(request))])

    @extend_schema(request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        user = person(request)
        values = cleaned(FreezeForm(user, DEFAULTS | body(request, FIELDS)))
        frozen = freeze_dataset(**values | {"name": values["name"] or None}, created_by=user)
        return Response(version_words(frozen.version), status=201 if frozen.is_new else 200)


class Version(Door):
    """One dataset version."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, name: str, number: int) -> Response:
        rows = versions_for(person(request))
        return Response(version_words(get_object_or_404(rows, dataset__name=name, number=number)))


class Export(Door):
    """A version's Patent-CE JSONL, for admins of its campaign: it carries claim texts."""

    @extend_schema(responses=OpenApiTypes.BINARY)
    def get(self, request: Request, name: str, number: int) -> FileResponse:
        user = person(request)
        row = get_object_or_404(versions_for(user), dataset__name=name, number=number)
        if Role.ADMIN not in roles_of(user, row.dataset.campaign):
            raise PermissionDenied("Only admins of the campaign download claim texts.")
        return FileResponse(
            storage.dataset_path(row.sha256).open("rb"),
            as_attachment=True,
            filename=f"{name}-{number}.jsonl",
            content_type="application/jsonl; charset=utf-8",
        )
