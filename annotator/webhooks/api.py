"""Webhooks of a campaign over REST."""

from typing import cast
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import counted_campaign
from annotator.models import User, Webhook
from annotator.webhooks.forms import WebhookForm
from annotator.webhooks.queries import webhook_part, webhooks_of
from annotator.webhooks.services import (
    NewSecret,
    add_webhook,
    remove_webhook,
    rotate_secret,
    try_webhook,
)
from core.jobs.rows import JobStatus
from core.rest.bodies import body, cleaned


class NewWebhookSerializer(serializers.Serializer):
    """Where a webhook leads, and the events that it gets."""

    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())


class WebhookDeliverySerializer(serializers.Serializer):
    """One delivery; `answer` is the last answer's status, or why there was none."""

    id = serializers.UUIDField()
    event = serializers.CharField(source="about")
    status = serializers.ChoiceField(JobStatus.choices)
    attempt = serializers.IntegerField()
    answer = serializers.CharField()
    created_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class WebhookSerializer(serializers.Serializer):
    """A webhook with its latest deliveries, without its secret."""

    id = serializers.UUIDField(source="row.pk")
    url = serializers.CharField(source="row.url")
    events = serializers.ListField(child=serializers.CharField(), source="row.events")
    made_at = serializers.DateTimeField(source="row.made_at")
    deliveries = WebhookDeliverySerializer(many=True, source="rows")


class WebhookSecretSerializer(serializers.Serializer):
    """A webhook's new secret; it is shown this once."""

    id = serializers.UUIDField()
    secret = serializers.CharField()


class Webhooks(APIView):
    """The webhooks of a campaign; a POST adds one."""

    @extend_schema(responses=WebhookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        campaign = counted_campaign(request, slug)
        parts = [webhook_part(row) for row in webhooks_of(campaign)]
        return Response(WebhookSerializer(parts, many=True).data)

    @extend_schema(request=NewWebhookSerializer, responses={201: WebhookSecretSerializer})
    def post(self, request: Request, slug: str) -> Response:
        campaign = counted_campaign(request, slug)
        sent = cleaned(WebhookForm(body(request, set(WebhookForm.base_fields))))
        made = add_webhook(campaign=campaign, by=cast(User, request.user), **sent)
        return Response(_secret_json(made), status=201)


class OneWebhook(APIView):
    """One webhook; a DELETE removes it with its deliveries."""

    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request, slug: str, pk: UUID) -> Response:
        return Response(WebhookSerializer(webhook_part(_own(request, slug, pk))).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: UUID) -> Response:
        remove_webhook(webhook=_own(request, slug, pk), by=cast(User, request.user))
        return Response(status=204)


class WebhookTest(APIView):
    """Queues a delivery about nothing."""

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
