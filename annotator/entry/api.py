"""The groups that give roles over REST, for site admins."""

from typing import cast
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.accounts.providers import provider_named
from annotator.entry.forms import GroupRoleForm
from annotator.entry.groups import add_group_role, remove_group_role
from annotator.entry.queries import group_roles_for, label_of
from annotator.models import GroupRole, User
from core.rest.bodies import body, cleaned

FIELDS = ("provider", "group", "campaign", "role")


class NewGroupRoleSerializer(serializers.Serializer):
    """A group at a provider, and the role that it gives in a campaign."""

    provider = serializers.CharField()
    group = serializers.CharField()
    campaign = serializers.CharField()
    role = serializers.CharField()


class GroupRoleSerializer(NewGroupRoleSerializer):
    """A group that gives a role, and how many have it by the group."""

    id = serializers.UUIDField()
    people = serializers.IntegerField()


class RemovedSerializer(serializers.Serializer):
    """How many lost the role, and how many hold it on as the last admin of their campaign."""

    lost = serializers.IntegerField()
    stayed = serializers.IntegerField()


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

    @extend_schema(responses=RemovedSerializer)
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
    }
