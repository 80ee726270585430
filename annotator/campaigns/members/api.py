"""Members and invitations of a campaign over REST."""

from typing import Final, cast

from django.shortcuts import resolve_url
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import own_campaign
from annotator.access.scopes import members_of
from annotator.campaigns.api import CampaignSerializer, campaign_json
from annotator.campaigns.forms import MemberForm
from annotator.campaigns.members.forms import InviteForm
from annotator.campaigns.members.pending import waits_for_agreement
from annotator.campaigns.members.services import (
    grant_role,
    invite,
    join_campaign,
    member_named,
    refuse_hasty_mail,
)
from annotator.models import Campaign, Role, User
from core.errors import Refused
from core.rest.bodies import TEXT, body, cleaned

NO_MEMBER: Final = "No member of this campaign has that name. Invite them with a link."
WAITS: Final = "An admin of the campaign has to agree before this role counts."
ONE_CAMPAIGN: Final = "This token is for one campaign; it cannot join another."


class MemberSerializer(serializers.Serializer):
    """A member of a campaign and all their roles."""

    username = serializers.CharField()
    is_active = serializers.BooleanField()
    roles = serializers.ListField(child=serializers.CharField())


class RoleSerializer(serializers.Serializer):
    """A role for a member."""

    username = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.values)


class NewInvitationSerializer(serializers.Serializer):
    """As what somebody is invited, and where the link is mailed to, where the site sends mail."""

    role = serializers.ChoiceField(choices=Role.values)
    address = serializers.EmailField(required=False, allow_null=True, allow_blank=True)


class InvitationSerializer(serializers.Serializer):
    """The link of a new invitation; it is shown this once, and works once within seven days."""

    role = serializers.CharField()
    token = serializers.CharField()
    link = serializers.CharField()


class TokenSerializer(serializers.Serializer):
    """What stands at the end of an invitation's link."""

    token = serializers.CharField()


class WaitingSerializer(serializers.Serializer):
    """A role that counts once an admin of the campaign has agreed."""

    campaign = serializers.CharField()
    role = serializers.CharField()
    detail = serializers.CharField()


class Members(APIView):
    """The members of a campaign; a POST gives one of them another role."""

    @extend_schema(responses=MemberSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return Response(_members_json(own_campaign(request, slug)))

    @extend_schema(request=RoleSerializer, responses=MemberSerializer(many=True))
    def post(self, request: Request, slug: str) -> Response:
        row = own_campaign(request, slug)
        sent = cleaned(MemberForm(body(request, set(MemberForm.base_fields))))
        user = member_named(row, sent["username"])
        if user is None:
            raise Refused.at("username", NO_MEMBER)
        by = cast(User, request.user)
        grant_role(user=user, campaign=row, role=sent["role"], granted_by=by)
        return Response(_members_json(row))


class Invitations(APIView):
    """Makes the link with which one person joins."""

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitationSerializer})
    def post(self, request: Request, slug: str) -> Response:
        row = own_campaign(request, slug)
        form = InviteForm(body(request, set(InviteForm().fields)))
        sent, by = cleaned(form), cast(User, request.user)
        refuse_hasty_mail(by, sent.get("address", ""))
        token = invite(by=by, campaign=row, **sent)
        link = request.build_absolute_uri(resolve_url("annotator:invitation", token))
        return Response({"role": sent["role"], "token": token, "link": link}, status=201)


class Join(APIView):
    """Accepts an invitation with the account of the caller.

    202 where a site admin made it and the role reads claims: an admin of the campaign has to agree.
    """

    @extend_schema(
        request=TokenSerializer, responses={200: CampaignSerializer, 202: WaitingSerializer}
    )
    def post(self, request: Request) -> Response:
        user = cast(User, request.user)
        sent = body(request, {"token": TEXT}, ["token"])
        if user.only_campaign_id is not None:
            raise PermissionDenied(ONE_CAMPAIGN)
        row = join_campaign(**sent, user=user)
        campaign = cast(Campaign, row.campaign)
        if waits_for_agreement(user, campaign, row.role):
            waits = {"campaign": campaign.slug, "role": row.role, "detail": WAITS}
            return Response(waits, status=202)
        return Response(campaign_json(campaign, user))


def _members_json(row: Campaign) -> list[dict[str, object]]:
    return [
        {"username": one.username, "is_active": one.is_active, "roles": list(one.roles)}
        for one in members_of(row)
    ]
