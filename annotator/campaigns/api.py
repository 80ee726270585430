"""Campaigns over REST: created, their rules, closed and reopened; progress for an admin."""

from typing import Any, Final, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access import matrix
from annotator.access.gate import counted_campaign, own_campaign, principals
from annotator.access.scopes import campaigns_for, roles_of
from annotator.campaigns.forms import NewCampaignForm, RulesForm, rules_as_sent
from annotator.campaigns.queries import campaign_progress
from annotator.campaigns.services import (
    change_rules,
    close_campaign,
    create_campaign,
    reopen_campaign,
)
from annotator.models import Campaign, User
from core.rest.bodies import TEXT, body, cleaned
from core.rest.paging import PAGED, PARAMETERS, page_of
from patclaimeval.rubric import HIGHEST

# Who may create a campaign, by its page.
PAGE: Final = "annotator:new_campaign"
NOT_HERE: Final = (
    "Site admins, and admins of a campaign, create campaigns; a token for one campaign cannot."
)


class CampaignSerializer(serializers.Serializer):
    """A campaign as its members see it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    status = serializers.CharField()
    rubric_version = serializers.CharField()
    overlap = serializers.IntegerField()
    roles = serializers.ListField(child=serializers.CharField())


class NewCampaignSerializer(serializers.Serializer):
    """What a campaign needs to exist; the short name gets an ending that nobody chose."""

    slug = serializers.CharField()
    name = serializers.CharField()


def _number_of(name: str) -> serializers.IntegerField:
    """Describe a whole number with the bounds of the form that takes it."""
    field: Any = RulesForm.base_fields[name]
    return serializers.IntegerField(
        required=False, min_value=field.min_value, max_value=field.max_value
    )


class RulesSerializer(serializers.Serializer):
    """The rules of a campaign, gaps in rating points."""

    name = serializers.CharField(required=False)
    overlap = _number_of("overlap")
    shared_percent = _number_of("shared_percent")
    revision_hours = _number_of("revision_hours")
    lease_minutes = _number_of("lease_minutes")
    criterion_gap = _number_of("criterion_gap")
    overall_gap = serializers.FloatField(required=False, min_value=0.01, max_value=HIGHEST)
    flip_gap = serializers.FloatField(required=False, min_value=0.01, max_value=HIGHEST)
    has_ladder = serializers.BooleanField(required=False)
    retain_until = serializers.DateField(required=False, allow_null=True)
    has_legal_hold = serializers.BooleanField(required=False)
    has_timesheet = serializers.BooleanField(required=False)
    has_mark_files = serializers.BooleanField(required=False)


class ReasonSerializer(serializers.Serializer):
    """Why something is done; it is recorded."""

    reason = serializers.CharField()


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
    *("comparisons", "preferences"),
    *("open_conflicts", "open_cases", "waiting_conflicts", "ruled_conflicts", "lapsed_conflicts"),
    "unsettled",
)


class ProgressSerializer(serializers.Serializer):
    """The counts of a campaign."""

    annotators = AnnotatorProgressSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        return {name: serializers.IntegerField() for name in COUNTED} | super().get_fields()


class Campaigns(APIView):
    """The campaigns in which the caller takes part; a POST creates one of their own."""

    parameters = PARAMETERS

    @extend_schema(parameters=PAGED, responses=CampaignSerializer(many=True))
    def get(self, request: Request) -> Response:
        user = cast(User, request.user)
        page = page_of(request, campaigns_for(user).order_by("slug"))
        return Response([campaign_json(row, user) for row in page.rows], headers=page.headers)

    @extend_schema(request=NewCampaignSerializer, responses={201: CampaignSerializer})
    def post(self, request: Request) -> Response:
        user = cast(User, request.user)
        sent = cleaned(NewCampaignForm(body(request, set(NewCampaignForm.base_fields))))
        is_narrow = user.only_campaign_id is not None
        if is_narrow or not matrix.may(PAGE, principals(user, roles_of(user))):
            raise PermissionDenied(NOT_HERE)
        row = create_campaign(**sent, created_by=user, has_drawn_ending=True)
        return Response(campaign_json(row, user), status=201)


class CampaignDetail(APIView):
    """One campaign."""

    @extend_schema(responses=CampaignSerializer)
    def get(self, request: Request, slug: str) -> Response:
        user = cast(User, request.user)
        return Response(campaign_json(get_object_or_404(campaigns_for(user), slug=slug), user))


class Rules(APIView):
    """The rules of a campaign; a PATCH changes those that it names."""

    @extend_schema(responses=RulesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(_rules_json(own_campaign(request, slug)))

    @extend_schema(request=RulesSerializer, responses=RulesSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        row = own_campaign(request, slug)
        sent = _rules_json(row) | body(request, set(RulesForm.base_fields))
        form = RulesForm(sent, initial=rules_as_sent(row))
        cleaned(form)
        by = cast(User, request.user)
        return Response(_rules_json(change_rules(campaign=row, rules=form.rules, changed_by=by)))


class Close(APIView):
    """Closes a campaign with a reason; every rating is final then."""

    @extend_schema(request=ReasonSerializer, responses=CampaignSerializer)
    def post(self, request: Request, slug: str) -> Response:
        row, user = own_campaign(request, slug), cast(User, request.user)
        close_campaign(campaign=row, **body(request, {"reason": TEXT}, ["reason"]), closed_by=user)
        return Response(campaign_json(row, user))


class Reopen(APIView):
    """Opens a closed campaign again with a reason."""

    @extend_schema(request=ReasonSerializer, responses=CampaignSerializer)
    def post(self, request: Request, slug: str) -> Response:
        row, user = own_campaign(request, slug), cast(User, request.user)
        sent = body(request, {"reason": TEXT}, ["reason"])
        reopen_campaign(campaign=row, **sent, reopened_by=user)
        return Response(campaign_json(row, user))


class Progress(APIView):
    """The counts of a campaign."""

    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(ProgressSerializer(campaign_progress(counted_campaign(request, slug))).data)


def _rules_json(row: Campaign) -> dict[str, Any]:
    sent = rules_as_sent(row)
    day = sent["retain_until"]
    gaps = {name: float(sent[name]) for name in ("overall_gap", "flip_gap")}
    return sent | gaps | {"retain_until": day.isoformat() if day else None}


def campaign_json(row: Campaign, user: User) -> dict[str, object]:
    """Return a campaign as its members see it."""
    return {
        "slug": row.slug,
        "name": row.name,
        "status": row.status,
        "rubric_version": row.rubric_version,
        "overlap": row.overlap,
        "roles": sorted(roles_of(user, row)),
    }
