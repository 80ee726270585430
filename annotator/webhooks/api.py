"""Webhooks of a campaign over REST."""

from typing import Any, cast
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import counted_campaign
from annotator.models import Delivery, User, Webhook
from annotator.webhooks.forms import WebhookForm
from annotator.webhooks.queries import latest_deliveries, webhooks_of
from annotator.webhooks.services import (
    NewSecret,
    add_webhook,
    remove_webhook,
    rotate_secret,
    try_webhook,
)
from core.rest.bodies import body, cleaned


class NewWebhookSerializer(serializers.Serializer):
    """Where a webhook leads, and the events that it is told of."""

    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())


class WebhookDeliverySerializer(serializers.ModelSerializer):
    """One delivery; `answer` is the last answer's status, or why there was none."""

    event = serializers.CharField(source="about")

    class Meta:
        model = Delivery
        fields = (
            *("id", "event", "status", "attempt", "answer", "created_at", "due_at", "finished_at"),
        )


class WebhookSerializer(serializers.ModelSerializer):
    """A webhook with its latest deliveries, without its secret."""

    events = serializers.ListField(child=serializers.CharField())
    deliveries = serializers.SerializerMethodField()

    class Meta:
        model = Webhook
        fields = ("id", "url", "events", "made_at", "dropped", "deliveries")

    @extend_schema_field(WebhookDeliverySerializer(many=True))
    def get_deliveries(self, row: Webhook) -> Any:
        return WebhookDeliverySerializer(latest_deliveries(row), many=True).data


class WebhookSecretSerializer(serializers.Serializer):
    """A webhook's new secret; it is shown this once."""

    id = serializers.UUIDField()
    secret = serializers.CharField()


class Webhooks(APIView):
    """The webhooks of a campaign; a POST adds one."""

    @extend_schema(responses=WebhookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        campaign = counted_campaign(request, slug)
        return Response(WebhookSerializer(webhooks_of(campaign), many=True).data)

    @extend_schema(request=NewWebhookSerializer, responses={201: WebhookSecretSerializer})
    def post(self, request: Request, slug: str) -> Response:
        campaign = counted_campaign(request, slug)
        sent = cleaned(WebhookForm(body(request, set(WebhookForm.base_fields))))
        made = add_webhook(campaign=campaign, by=cast(User, request.user), **sent)
        return Response(_secret_json(made), status=201)


class OneWebhook(APIView):
    """Removes a webhook with its deliveries."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: UUID) -> Response:
        remove_webhook(webhook=_own(request, slug, pk), by=cast(User, request.user))
        return Response(status=204)


class WebhookTest(APIView):
    """Queues a delivery that tells of nothing."""

    @extend_schema(request=None, responses={202: WebhookDeliverySerializer})
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        row = try_webhook(webhook=_own(request, slug, pk), by=cast(User, request.user))
        row.refresh_from_db()
        return Response(WebhookDeliverySerializer(row).data, status=202)


class WebhookSecret(APIView):
    """Gives a webhook another secret."""

    @extend_schema(request=None, responses=WebhookSecretSerializer)
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        made = rotate_secret(webhook=_own(request, slug, pk), by=cast(User, request.user))
        return Response(_secret_json(made))


def _own(request: Request, slug: str, pk: UUID) -> Webhook:
    return get_object_or_404(webhooks_of(counted_campaign(request, slug)), pk=pk)


def _secret_json(made: NewSecret) -> dict[str, str]:
    return {"id": str(made.row.pk), "secret": made.secret}
