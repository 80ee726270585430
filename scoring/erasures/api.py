"""References over REST, for admins of their campaign: the list, and a requested erasure."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.access.gate import own_campaign
from annotator.access.visibility import counts_withheld
from core.rest.bodies import cleaned
from core.rest.fields import CommentField, MomentField, StrictSerializer
from core.rest.paging import PAGED, PARAMETERS, page_of
from core.shapes import LONGEST_REASON
from patclaimeval.claims.openings import opening_of
from scoring.access.api import PermittedView, person
from scoring.datasets.versions.lineage import references_for
from scoring.erasures.forms import SoughtReferences
from scoring.erasures.queries import listed_references
from scoring.erasures.services import ask_erasure
from scoring.models import ErasureStatus


class ReferenceRowSerializer(serializers.Serializer):
    """One reference of a campaign, named as on its page, without its claims."""

    id = serializers.UUIDField()
    reference_id = serializers.CharField()
    title = serializers.CharField()
    opening = serializers.SerializerMethodField(help_text="how claim 1 opens; empty once erased")
    language = serializers.CharField()
    candidates = serializers.IntegerField(source="candidate_count")
    ratings = serializers.SerializerMethodField(
        help_text="null for an admin who also rates, while the campaign is open"
    )
    erased_at = MomentField(allow_null=True)
    erasure = serializers.ChoiceField(
        ErasureStatus.choices,
        source="erasure_status",
        allow_null=True,
        help_text="of the newest request, null without one",
    )

    @extend_schema_field(OpenApiTypes.STR)
    def get_opening(self, row: Any) -> str:
        return opening_of(row.head)

    @extend_schema_field({"type": "integer", "nullable": True})
    def get_ratings(self, row: Any) -> int | None:
        return None if self.context["is_withheld"] else int(row.rating_count)


class References(PermittedView):
    """The references of a campaign, in their order."""

    parameters = PARAMETERS | {"q"}

    @extend_schema(
        operation_id="references_list",
        parameters=[*PAGED, OpenApiParameter("q", str, description="A part of an id or title.")],
        responses=ReferenceRowSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        campaign = own_campaign(request, slug)
        form = SoughtReferences({"q": request.query_params.get("q", "")})
        cleaned(form)
        page = page_of(request, listed_references(campaign, form.sought))
        context = {"is_withheld": counts_withheld(campaign, person(request))}
        rows = ReferenceRowSerializer(page.rows, many=True, context=context).data
        return Response(rows, headers=page.headers)


class ErasureRequestSerializer(StrictSerializer):
    """Why a reference shall be erased; site admins do not see it."""

    reason = CommentField(trim_whitespace=False, max_length=LONGEST_REASON)


class ErasureSerializer(serializers.Serializer):
    """A requested erasure."""

    id = serializers.UUIDField()
    reference = serializers.UUIDField(source="reference_id")
    status = serializers.ChoiceField(ErasureStatus.choices)
    asked_at = MomentField()


class Erasures(PermittedView):
    """Requests that a reference be erased; a site admin answers on the page of erasures."""

    @extend_schema(request=ErasureRequestSerializer, responses={201: ErasureSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        row = get_object_or_404(references_for(person(request)), pk=pk)
        sent = ErasureRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = ask_erasure(reference=row, asked_by=person(request), **sent.validated_data)
        return Response(ErasureSerializer(asked).data, status=201)
