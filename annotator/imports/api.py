"""Importing claim sets over REST: send a file, follow its import, have it stored or not."""

from typing import Any, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from annotator.access.gate import own_campaign
from annotator.imports.forms import AUTO, FORMATS, TWICE
from annotator.imports.queries import imports_of
from annotator.imports.services import (
    cancel_import,
    carry_out_if_small,
    confirm_import,
    request_import,
)
from annotator.models import ClaimImport, ImportStage, User
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from core.rest.fields import StrictSerializer, TickField

ACCEPTED = 202
UNPROCESSABLE = 422


class NewImportSerializer(StrictSerializer):
    """A file of claim sets as it is sent."""

    file = serializers.FileField(allow_empty_file=True)
    format = serializers.ChoiceField(choices=[name for name, _ in FORMATS], default=AUTO)
    may_train = TickField(
        default=False, help_text="holds where a record of the file does not say so itself"
    )
    dry_run = TickField(
        default=False, help_text="check the file only; confirm it later, or not at all"
    )


class BadRecordSerializer(serializers.Serializer):
    """What is wrong with a file in one place."""

    line = serializers.IntegerField()
    item = serializers.IntegerField(allow_null=True, help_text="place in a JSON array, from 1")
    field = serializers.CharField(help_text="empty where the record as a whole cannot be read")
    reason = serializers.CharField()


class ImportSerializer(serializers.Serializer):
    """An import as it stands: checked or stored, and what was found."""

    id = serializers.UUIDField()
    url = serializers.URLField()
    status = serializers.ChoiceField(choices=JobStatus.values)
    stage = serializers.ChoiceField(choices=ImportStage.values)
    is_stored = serializers.BooleanField()
    progress = serializers.FloatField()
    message = serializers.CharField()
    file_name = serializers.CharField()
    file_sha256 = serializers.CharField()
    file_bytes = serializers.IntegerField()
    format = serializers.CharField()
    may_train = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.IntegerField())
    notes = serializers.ListField(child=serializers.CharField())
    bad_records = BadRecordSerializer(many=True)
    near_duplicates = serializers.ListField(child=serializers.DictField())
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class Imports(APIView):
    """Takes in files of claim sets."""

    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": NewImportSerializer},
        responses={200: ImportSerializer, 202: ImportSerializer, 422: ImportSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Import a file: 200 with the counts, 422 with bad records, 202 while a worker is at it.

        The whole file or nothing. The same file again stores nothing new.
        """
        campaign = own_campaign(request, slug)
        if len(request.FILES.getlist("file")) > 1:
            raise ValidationError({"file": [TWICE]})
        sent = NewImportSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        values = dict(sent.validated_data)
        file = cast(UploadedFile, values["file"])
        row = request_import(
            campaign=campaign,
            file=file,
            file_name=file.name or "",
            format=values["format"],
            may_train=values["may_train"],
            is_confirmed=not values["dry_run"],
            asked_by=cast(User, request.user),
        )
        return _go_on(request, row)


class Import(APIView):
    """One import."""

    @extend_schema(responses=ImportSerializer)
    def get(self, request: Request, slug: str, pk: UUID) -> Response:
        return Response(_import_json(request, _own_import(request, slug, pk)))


class Confirm(APIView):
    """Has a checked file stored."""

    @extend_schema(request=None, responses={200: ImportSerializer, 202: ImportSerializer})
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        row = _own_import(request, slug, pk)
        confirm_import(row=row, confirmed_by=cast(User, request.user))
        return _go_on(request, row)


class Cancel(APIView):
    """Stops an import, or gives up one that waits to be confirmed."""

    @extend_schema(request=None, responses={200: ImportSerializer, 202: ImportSerializer})
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        row = _own_import(request, slug, pk)
        cancel_import(row=row, cancelled_by=cast(User, request.user))
        return Response(_import_json(request, row), status=200 if row.is_final else ACCEPTED)


def _own_import(request: Request, slug: str, pk: UUID) -> ClaimImport:
    return get_object_or_404(imports_of(own_campaign(request, slug)), pk=pk)


def _go_on(request: Request, row: ClaimImport) -> Response:
    """Carry out what is short, enqueue what is not, and answer accordingly."""
    row = carry_out_if_small(row)
    status = 200
    if row.status == JobStatus.QUEUED:
        enqueue_on_commit(row)
    if not row.is_final:
        status = ACCEPTED
    elif row.status == JobStatus.FAILED:
        status = UNPROCESSABLE
    return Response(_import_json(request, row), status=status)


def _import_json(request: Request, row: ClaimImport) -> dict[str, Any]:
    """Return what is told of an import: no claim text, so that programs keep none in their logs."""
    result = row.result
    address = {"slug": row.campaign.slug, "pk": row.pk}
    return {
        "id": str(row.pk),
        "url": reverse("api:claim_import", kwargs=address),
        "status": row.status,
        "stage": row.stage,
        "is_stored": "stored" in result,
        "progress": row.progress,
        "message": row.message,
        "file_name": row.file_name,
        "file_sha256": row.file_sha256,
        "file_bytes": row.file_bytes,
        "format": row.format,
        "may_train": row.may_train,
        "counts": result.get("stored") or result.get("counts") or {},
        "notes": result.get("notes", []),
        "bad_records": result.get("bad_records", []),
        "near_duplicates": result.get("near_duplicates", []),
        "created_at": row.created_at.isoformat(),
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
    }
