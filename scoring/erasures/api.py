"""The draft of a reference over REST, for admins of its campaign."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.fields import CommentField, StrictSerializer
from core.text_io.shapes import LONGEST_REASON
from scoring.access.api import PermittedView, person
from scoring.datasets.versions.lineage import references_for
from scoring.erasures.draft_claims import draft_json, edit_unfrozen_draft

DIGEST = 64


class DraftSerializer(StrictSerializer):
    """A draft as it is sent."""

    draft_claims = CommentField(allow_blank=True, trim_whitespace=False)
    reason = CommentField(trim_whitespace=False, max_length=LONGEST_REASON)
    seen = CommentField(
        default="",
        allow_blank=True,
        max_length=DIGEST,
        help_text="`draft_sha256` of the draft that you read; it is not replaced by another then",
    )


class DraftEditSerializer(serializers.Serializer):
    """One change of a draft, with the text before it."""

    number = serializers.IntegerField()
    earlier = serializers.CharField()
    reason = serializers.CharField()
    edited_by = serializers.CharField()
    edited_at = serializers.DateTimeField()


class DraftAnswerSerializer(serializers.Serializer):
    """The draft of a reference, and every change of it."""

    draft_claims = serializers.CharField()
    draft_sha256 = serializers.CharField()
    is_frozen = serializers.BooleanField(help_text="it cannot be changed any more")
    edits = DraftEditSerializer(many=True)


class DraftClaims(PermittedView):
    """The draft of a reference: the claims before revision."""

    @extend_schema(responses=DraftAnswerSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(draft_json(get_object_or_404(references_for(person(request)), pk=pk)))

    @extend_schema(request=DraftSerializer, responses=DraftAnswerSerializer)
    def put(self, request: Request, pk: UUID) -> Response:
        """Put a text in its place, for a reason; the earlier one stays."""
        row = get_object_or_404(references_for(person(request)), pk=pk)
        sent = DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        edit_unfrozen_draft(reference=row, edited_by=person(request), **sent.validated_data)
        row.refresh_from_db(fields=["draft_claims"])
        return Response(draft_json(row))
