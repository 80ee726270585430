"""Campaigns over REST: those of one's memberships, and their progress for an admin."""

from typing import cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import counted_campaign
from annotator.access.scopes import campaigns_for, roles_of
from annotator.campaigns.queries import campaign_progress
from annotator.models import Campaign, User
from core.rest.paging import PAGED, PARAMETERS, page_of


class CampaignSerializer(serializers.Serializer):
    """A campaign as its members see it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    status = serializers.CharField()
    rubric_version = serializers.CharField()
    overlap = serializers.IntegerField()
    roles = serializers.ListField(child=serializers.CharField())


class AnnotatorProgressSerializer(serializers.Serializer):
    """One annotator's counts."""

    username = serializers.CharField()
    assigned = serializers.IntegerField()
    rated = serializers.IntegerField()
    overdue = serializers.IntegerField()
    quota = serializers.IntegerField(allow_null=True)
    last_rated_on = serializers.DateField(allow_null=True)


COUNTED = (
    *("references", "candidates", "begun", "complete", "locked", "ratings"),
    *("open_conflicts", "waiting_conflicts", "ruled_conflicts", "lapsed_conflicts", "unsettled"),
)


class ProgressSerializer(serializers.Serializer):
    """The counts of a campaign."""

    annotators = AnnotatorProgressSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        return {name: serializers.IntegerField() for name in COUNTED} | super().get_fields()


class Campaigns(APIView):
    """The campaigns in which the caller takes part."""

    parameters = PARAMETERS

    @extend_schema(parameters=PAGED, responses=CampaignSerializer(many=True))
    def get(self, request: Request) -> Response:
        user = cast(User, request.user)
        page = page_of(request, campaigns_for(user).order_by("slug"))
        return Response([_campaign(row, user) for row in page.rows], headers=page.headers)


class CampaignDetail(APIView):
    """One campaign."""

    @extend_schema(responses=CampaignSerializer)
    def get(self, request: Request, slug: str) -> Response:
        user = cast(User, request.user)
        return Response(_campaign(get_object_or_404(campaigns_for(user), slug=slug), user))


class Progress(APIView):
    """The counts of a campaign."""

    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(ProgressSerializer(campaign_progress(counted_campaign(request, slug))).data)


def _campaign(row: Campaign, user: User) -> dict[str, object]:
    return {
        "slug": row.slug,
        "name": row.name,
        "status": row.status,
        "rubric_version": row.rubric_version,
        "overlap": row.overlap,
        "roles": sorted(roles_of(user, row)),
    }
