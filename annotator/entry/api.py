"""The groups that give roles over REST, for site admins, and what waits for campaign admins."""

from typing import cast
from uuid import UUID

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import own_campaign
from annotator.accounts.providers import provider_named
from annotator.campaigns.members.pending import PendingGrant, pending_grants
from annotator.campaigns.members.services import READING_ROLES
from annotator.entry.forms import GroupRoleForm
from annotator.entry.groups import add_group_role, answer_pending_grant, remove_group_role
from annotator.entry.queries import group_roles_for, label_of
from annotator.models import GroupRole, Role, User
from core.errors import Refused
from core.rest.bodies import TEXT, body, cleaned

FIELDS = ("provider", "group", "campaign", "role")


class NewGroupRoleSerializer(serializers.Serializer):
    """A group at a provider, and the role that it gives in a campaign."""

    provider = serializers.CharField()
    group = serializers.CharField()
    campaign = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.values)


class GroupRoleSerializer(NewGroupRoleSerializer):
    """A group that gives a role, and how many have it by the group."""

    id = serializers.UUIDField()
    people = serializers.IntegerField()
    is_agreed = serializers.BooleanField()


class RemovedSerializer(serializers.Serializer):
    """How many lost the role, and how many hold it on as the last admin of their campaign."""

    lost = serializers.IntegerField()
    stayed = serializers.IntegerField()


class PendingRoleSerializer(serializers.Serializer):
    """A role that waits for an admin of the campaign: of a person, or of a provider's group."""

    id = serializers.UUIDField()
    username = serializers.CharField(allow_null=True)
    group = serializers.CharField(allow_null=True)
    provider = serializers.CharField(allow_null=True)
    role = serializers.CharField()
    given_by = serializers.CharField(allow_null=True)
    given_at = serializers.DateTimeField()


ANSWERS = ("agree", "refuse")


class AnswerSerializer(serializers.Serializer):
    """Whether an admin agrees to a pending role."""

    answer = serializers.ChoiceField(choices=ANSWERS)


class GroupRoles(APIView):
    """The groups that give roles; a POST adds one."""

    @extend_schema(responses=GroupRoleSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response([_json(row) for row in group_roles_for(cast(User, request.user))])

    @extend_schema(request=NewGroupRoleSerializer, responses={201: GroupRoleSerializer})
    def post(self, request: Request) -> Response:
        user = cast(User, request.user)
        sent = cleaned(GroupRoleForm(body(request, FIELDS)))
        provider = provider_named(sent.pop("provider"))
        assert provider is not None
        row = add_group_role(**sent, issuer=provider.issuer, by=user)
        return Response(_json(group_roles_for(user).get(pk=row.pk)), status=201)


class OneGroupRole(APIView):
    """One of them; a DELETE takes the role from those who have it by the group."""

    @extend_schema(responses={200: RemovedSerializer})
    def delete(self, request: Request, pk: UUID) -> Response:
        user = cast(User, request.user)
        row = get_object_or_404(group_roles_for(user), pk=pk)
        lost, stayed = remove_group_role(rule_id=row.pk, by=user)
        return Response({"lost": lost, "stayed": stayed})


def _json(row: GroupRole) -> dict[str, object]:
    return {
        "id": str(row.pk),
        "provider": label_of(row.issuer),
        "group": row.group,
        "campaign": row.campaign.slug,
        "role": row.role,
        "people": row.people,  # type: ignore[attr-defined]
        "is_agreed": row.agreed_at is not None or row.role not in READING_ROLES,
    }


class PendingRoles(APIView):
    """The roles given from outside a campaign that wait for one of its admins."""

    @extend_schema(responses=PendingRoleSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        row = own_campaign(request, slug)
        return Response([_pending_json(one) for one in pending_grants(row)])


class OnePendingRole(APIView):
    """One of them; a POST agrees to it or refuses it. Returns those that still wait."""

    @extend_schema(request=AnswerSerializer, responses=PendingRoleSerializer(many=True))
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        row = own_campaign(request, slug)
        sent = body(request, {"answer": TEXT}, ["answer"])
        if sent["answer"] not in ANSWERS:
            raise Refused.at("answer", "The answer is agree or refuse.")
        if pk not in {one.id for one in pending_grants(row)}:
            raise Http404
        is_agreed, by = sent["answer"] == "agree", cast(User, request.user)
        answer_pending_grant(campaign=row, pending_id=pk, is_agreed=is_agreed, by=by)
        return Response([_pending_json(one) for one in pending_grants(row)])


def _pending_json(one: PendingGrant) -> dict[str, object]:
    names = ("username", "group", "provider", "role", "given_by", "given_at")
    return {"id": str(one.id)} | {name: getattr(one, name) for name in names}
