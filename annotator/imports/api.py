"""Importing claim sets over REST: send a file, follow its import, have it stored or not."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from annotator.access.gate import own_campaign
from annotator.imports.correcting import answer_import, check_choices, correct_claims
from annotator.imports.documents import Choices
from annotator.imports.forms import (
    BOTH,
    CHANGES,
    FORMATS,
    LARGEST_LINE,
    LONGEST_ID,
    NOTHING,
    PASTED,
    TWICE,
    pasted,
)
from annotator.imports.queries import imports_of
from annotator.imports.read_sets import sets_of
from annotator.imports.services import (
    cancel_import,
    carry_out_if_small,
    confirm_import,
    request_import,
    take_source,
)
from annotator.imports.views import OCTETS, as_document
from annotator.models import ClaimImport, ImportStage, ReadClaimSet, User
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from core.rest.fields import (
    CommentField,
    StrictSerializer,
    TickField,
    WholeNumberField,
)
from core.rest.files import OwnFormats
from core.rest.parsers import StrictJSONParser
from patclaimeval.claims.languages import CODE
from patclaimeval.documents.reading import AUTO
from patclaimeval.documents.records import Severity, TrackedChanges
from patclaimeval.text_io.streams import ByteSource

ACCEPTED = 202
UNPROCESSABLE = 422


class ChoicesSerializer(StrictSerializer):
    """What is chosen and answered about documents."""

    reference_id = CommentField(
        default="",
        allow_blank=True,
        max_length=LONGEST_ID,
        help_text="of a single document: which reference it is, or of which it is a candidate",
    )
    candidate_id = CommentField(
        default="",
        allow_blank=True,
        max_length=LONGEST_ID,
        help_text="the document is this candidate of a reference that is in the campaign",
    )
    tracked_changes = serializers.ChoiceField(
        choices=[name for name, _ in CHANGES], default=TrackedChanges.ACCEPTED.value
    )
    language = serializers.RegexField(
        f"^({CODE})?$",
        default="",
        allow_blank=True,
        max_length=3,
        help_text="a code such as en; without it as the document says",
    )
    claims_from = WholeNumberField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=LARGEST_LINE,
        help_text="paragraph or line of the document at which the claims begin",
    )
    claims_to = WholeNumberField(default=None, allow_null=True, min_value=1, max_value=LARGEST_LINE)


class NewImportSerializer(ChoicesSerializer):
    """A file of claim sets or documents as it is sent, or the text of one."""

    file = serializers.FileField(allow_empty_file=True, required=False)
    text = CommentField(
        required=False,
        trim_whitespace=False,
        help_text="in the place of a file: plain text of claims, unless `format` says otherwise",
    )
    format = serializers.ChoiceField(choices=[name for name, _ in FORMATS], default=AUTO)
    may_train = TickField(
        default=False, help_text="holds where a record of the file does not say so itself"
    )
    dry_run = TickField(
        default=False, help_text="check the file only; confirm it later, or not at all"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Take a file or a text."""
        if ("file" in attrs) == ("text" in attrs):
            raise ValidationError({"file": [BOTH if "file" in attrs else NOTHING]})
        return attrs


class CorrectionSerializer(StrictSerializer):
    """The text of one claim set, as somebody has corrected it, and perhaps its draft."""

    claims = CommentField(trim_whitespace=False)
    draft_claims = CommentField(
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="of a reference: the claims before revision; left out, they stay as they are",
    )


class BadRecordSerializer(serializers.Serializer):
    """What is wrong with a file in one place."""

    line = serializers.IntegerField()
    item = serializers.IntegerField(allow_null=True, help_text="place in a JSON array, from 1")
    field = serializers.CharField(help_text="empty where the record as a whole cannot be read")
    reason = serializers.CharField()
    file = serializers.CharField(help_text="of an archive; empty for the file itself")


class QuestionSerializer(serializers.Serializer):
    """What has to be answered before anything is stored."""

    number = serializers.IntegerField(help_text="of the claim set; 0 for the file as a whole")
    question = serializers.CharField()


class PlaceSerializer(serializers.Serializer):
    """Where a claim begins in its source."""

    number = serializers.IntegerField()
    place = serializers.CharField()
    status = serializers.CharField(help_text="what the source says of it, such as cancelled")


class FindingSerializer(serializers.Serializer):
    """What the reader has found."""

    severity = serializers.ChoiceField(choices=[one.value for one in Severity])
    kind = serializers.CharField()
    sentence = serializers.CharField()


class ReadSetSerializer(serializers.Serializer):
    """One claim set that was read of a document; its text is answered by a call of its own."""

    number = serializers.IntegerField()
    reference_id = serializers.CharField()
    candidate_id = serializers.CharField(help_text="empty for a reference")
    system = serializers.CharField()
    file = serializers.CharField(help_text="of an archive; empty for the file itself")
    file_sha256 = serializers.CharField()
    format = serializers.CharField()
    read_sha256 = serializers.CharField()
    stored_sha256 = serializers.CharField(help_text="empty until it is stored")
    edited_by = serializers.CharField(help_text="who corrected what was read; empty for nobody")
    edited_at = serializers.DateTimeField(allow_null=True)
    claims_read = PlaceSerializer(many=True)
    findings = FindingSerializer(many=True)
    left_out = serializers.ListField(child=serializers.CharField())


class ReadTextSerializer(ReadSetSerializer):
    """One claim set with its text, which is empty once the import is over."""

    claims = serializers.CharField()
    draft_claims = serializers.CharField()


class ImportSerializer(serializers.Serializer):
    """An import as it stands: checked or stored, and what was found."""

    id = serializers.UUIDField()
    url = serializers.CharField(help_text="the path of this import, without the host")
    status = serializers.ChoiceField(choices=JobStatus.choices)
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
    questions = QuestionSerializer(many=True)
    passed_over = serializers.ListField(child=serializers.CharField())
    claim_sets = ReadSetSerializer(many=True, help_text="that were read of documents")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class Imports(APIView):
    """Takes in files of claim sets."""

    parser_classes = (MultiPartParser, StrictJSONParser)

    @extend_schema(
        request={
            "multipart/form-data": NewImportSerializer,
            "application/json": NewImportSerializer,
        },
        responses={200: ImportSerializer, 202: ImportSerializer, 422: ImportSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Import a file: 200 with the counts, 422 with bad records, 202 while a worker is at it.

        The whole file or nothing. The same file again stores nothing new. Documents are read by a
        worker: 202, and where something is in question nothing is stored until it is answered.
        """
        campaign = own_campaign(request, slug)
        if len(request.FILES.getlist("file")) > 1:
            raise ValidationError({"file": [TWICE]})
        sent = NewImportSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        values = dict(sent.validated_data)
        file, name, kind = _sent(values)
        choices = Choices.given(values)
        check_choices(choices)
        row = request_import(
            campaign=campaign,
            file=file,
            file_name=name,
            format=kind,
            may_train=values["may_train"],
            is_confirmed=not values["dry_run"],
            choices=choices,
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


class Answer(APIView):
    """Answers what an import of documents asks."""

    @extend_schema(
        request=ChoicesSerializer,
        responses={200: ImportSerializer, 202: ImportSerializer, 422: ImportSerializer},
    )
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        """Read the documents anew with these choices; where ids alone differ, check them anew.

        One that was sent without `dry_run` is stored once nothing is in question.
        """
        row = _own_import(request, slug, pk)
        sent = ChoicesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        choices = Choices.given(sent.validated_data)
        answer_import(row=row, choices=choices, answered_by=cast(User, request.user))
        return _go_on(request, row)


class Source(APIView):
    """The document from which the claims of an import came, as it was sent."""

    content_negotiation_class = OwnFormats

    @extend_schema(responses={(200, OCTETS): OpenApiTypes.BINARY, 409: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str, pk: UUID) -> FileResponse:
        row, user = _own_import(request, slug, pk), cast(User, request.user)
        return as_document(take_source(row=row, taken_by=user), row, user)


class ReadSet(APIView):
    """One claim set that an import has read of a document."""

    @extend_schema(responses=ReadTextSerializer)
    def get(self, request: Request, slug: str, pk: UUID, number: int) -> Response:
        one = get_object_or_404(sets_of(_own_import(request, slug, pk)), number=number)
        texts = {"claims": one.claims, "draft_claims": one.draft_claims}
        return Response(_set_json(one) | texts)

    @extend_schema(
        request=CorrectionSerializer,
        responses={200: ImportSerializer, 202: ImportSerializer, 422: ImportSerializer},
    )
    def put(self, request: Request, slug: str, pk: UUID, number: int) -> Response:
        """Put a text in the place of the one that was read; all is checked anew."""
        row = _own_import(request, slug, pk)
        get_object_or_404(sets_of(row), number=number)
        sent = CorrectionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        correct_claims(
            row=row,
            number=number,
            corrected_by=cast(User, request.user),
            **sent.validated_data,
        )
        return _go_on(request, row)


def _sent(values: Mapping[str, Any]) -> tuple[ByteSource, str, str]:
    """Return the file that was sent, its name and its format."""
    if "text" in values:
        file, kind = pasted(values["text"], values["format"])
        return file, PASTED, kind
    sent = cast(UploadedFile, values["file"])
    return sent, sent.name or "", values["format"]


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
        "questions": result.get("questions", []),
        "passed_over": result.get("passed_over", []),
        "claim_sets": [
            _set_json(one)
            for one in sets_of(row).select_related("edited_by").defer("claims", "draft_claims")
        ],
        "created_at": row.created_at.isoformat(),
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
    }


def _set_json(one: ReadClaimSet) -> dict[str, Any]:
    return {
        "number": one.number,
        "reference_id": one.reference_id,
        "candidate_id": one.candidate_id,
        "system": one.system,
        "file": one.file_name,
        "file_sha256": one.file_sha256,
        "format": one.format,
        "read_sha256": one.read_sha256,
        "stored_sha256": one.stored_sha256,
        "edited_by": one.edited_by.username if one.edited_by else "",
        "edited_at": one.edited_at.isoformat() if one.edited_at else None,
        "claims_read": one.found.get("claims", []),
        "findings": one.found.get("findings", []),
        "left_out": one.found.get("left_out", []),
    }
