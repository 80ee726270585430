"""Context over REST, for who is given the claims of its reference: paragraphs, drawings."""

from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.context.queries import stored_context
from annotator.models import Reference


class ParagraphSerializer(serializers.Serializer):
    """One paragraph; `label` is its own number, empty where it has none."""

    part = serializers.CharField()
    is_heading = serializers.BooleanField()
    text = serializers.CharField()

    def get_fields(self) -> dict[str, serializers.Field]:
        # As an attribute the name is taken.
        return {**super().get_fields(), "label": serializers.CharField()}


class DrawingSerializer(serializers.Serializer):
    """One drawing; its picture is PNG, at the address."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    url = serializers.CharField()


class ContextSerializer(serializers.Serializer):
    """The context of a reference: its abstract and description, and its drawings."""

    paragraphs = ParagraphSerializer(many=True)
    drawings = DrawingSerializer(many=True)


def context_answer(request: Request, reference: Reference) -> Response:
    """Answer with the context of a reference; 404 where it has none."""
    stored = stored_context(reference)
    if stored is None:
        raise Http404
    values: dict[str, Any] = stored.as_json(request.path)
    return Response(values)
