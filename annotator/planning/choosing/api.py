"""Over REST: whether a campaign chooses its order, and how large its control share is."""

from dataclasses import asdict
from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import counted_campaign
from annotator.models import User
from annotator.planning.choosing.queries import Choosing, choosing_of
from annotator.planning.choosing.services import LEAST_CONTROL, MOST_CONTROL, set_choosing
from core.rest.bodies import TRUTH, WHOLE, body


class NewChoosingSerializer(serializers.Serializer):
    """Whether the order is chosen; without a share it stays as it is, 30 per cent at first."""

    is_on = serializers.BooleanField()
    percent = serializers.IntegerField(
        required=False, min_value=LEAST_CONTROL, max_value=MOST_CONTROL
    )


class ChoosingSerializer(serializers.Serializer):
    """How many references are what; which of them are control is told nobody."""

    is_on = serializers.BooleanField()
    percent = serializers.IntegerField()
    control = serializers.IntegerField()
    control_begun = serializers.IntegerField()
    chosen = serializers.IntegerField()
    chosen_begun = serializers.IntegerField()
    before = serializers.IntegerField(help_text="begun before anything was drawn; counted, too")
    waiting = serializers.IntegerField(help_text="without a place in the order yet")


class ChoosingOrder(APIView):
    """How a campaign chooses which references come first."""

    @extend_schema(responses=ChoosingSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(_json(choosing_of(counted_campaign(request, slug))))

    @extend_schema(request=NewChoosingSerializer, responses=ChoosingSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Switch it on or off; nothing that an annotator has is moved."""
        row = counted_campaign(request, slug)
        sent = body(request, {"is_on": TRUTH, "percent": WHOLE}, ["is_on"])
        done = set_choosing(
            campaign=row,
            is_on=sent["is_on"],
            percent=sent.get("percent", row.control_percent),
            by=cast(User, request.user),
        )
        return Response(_json(choosing_of(done)))


def _json(found: Choosing) -> dict[str, Any]:
    return asdict(found)
