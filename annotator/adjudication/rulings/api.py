"""Adjudication over REST: the open conflicts, a turn at one, sending it back, the ruling."""

from typing import cast
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.adjudication.cases import (
    conflict_json,
    conflicts_for,
    conflicts_in_reach,
    open_conflicts,
)
from annotator.adjudication.rounds import (
    CHOICES,
    LONGEST_QUESTION,
    call_back,
    give_back,
    send_back,
    take_turn,
)
from annotator.adjudication.rulings.services import LONGEST_REASON, rule
from annotator.context.api import ContextSerializer, context_answer
from annotator.context.page import show_drawing
from annotator.models import Decision, Reference, RulingReason, User
from annotator.score_fields import ScoresSerializer
from core.http import missing_is_404
from core.rest.fields import (
    CommentField,
    IdField,
    MomentField,
    StrictSerializer,
    TextField,
    TickField,
)
from core.rest.paging import PAGED, PARAMETERS, page_of

LONGEST_PASSWORD = 4096


class NewAdjudicationSerializer(StrictSerializer):
    """A ruling as it is sent; who signs is who is signed in."""

    conflict = IdField()
    decision = serializers.ChoiceField(choices=Decision.choices)
    rating = IdField(required=False, allow_null=True)
    scores = ScoresSerializer(required=False, allow_null=True)
    other_scores = ScoresSerializer(required=False, allow_null=True)
    reason_code = serializers.ChoiceField(choices=RulingReason.choices)
    reason = CommentField(trim_whitespace=False, max_length=LONGEST_REASON)
    has_guideline_gap = TickField(default=False)
    password = TextField(trim_whitespace=False, max_length=LONGEST_PASSWORD)
    # Who signs, if the program names it: the caller, or it is refused.
    signed_as = CommentField(trim_whitespace=False, allow_blank=True, max_length=150, default="")


class RulingSerializer(serializers.Serializer):
    """The values that a ruling gives one candidate, and the rating they were taken from."""

    rating = serializers.UUIDField(source="rating_id", allow_null=True)
    scores = serializers.DictField()


class AdjudicationSerializer(serializers.Serializer):
    """A signed ruling."""

    id = serializers.UUIDField()
    conflict = serializers.UUIDField(source="conflict_id")
    decision = serializers.CharField()
    reason_code = serializers.CharField()
    reason = serializers.CharField()
    has_guideline_gap = serializers.BooleanField()
    signed_as = serializers.CharField()
    meaning = serializers.CharField()
    record_sha256 = serializers.CharField()
    made_at = MomentField()
    rulings = RulingSerializer(many=True)


class TurnSerializer(serializers.Serializer):
    """Until when a conflict is the caller's."""

    until = serializers.DateTimeField()


class SendBackSerializer(StrictSerializer):
    """Who is asked, and what; a second look needs a question."""

    kind = serializers.ChoiceField(choices=[(str(kind), kind.label) for kind in CHOICES])
    question = CommentField(
        trim_whitespace=False, allow_blank=True, max_length=LONGEST_QUESTION, default=""
    )


class RoundSerializer(serializers.Serializer):
    """A round that was asked for, one for each candidate; nobody's name."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    question = serializers.CharField()
    made_at = serializers.DateTimeField()


class ConflictSerializer(serializers.Serializer):
    """An open conflict; scores of ratings are null until the caller may read them."""

    id = serializers.UUIDField()
    campaign = serializers.CharField()
    kind = serializers.CharField()
    criterion = serializers.CharField(allow_null=True)
    gap = serializers.FloatField()
    words = serializers.CharField()
    reference = serializers.DictField()
    candidates = serializers.ListField(child=serializers.DictField())


class Conflicts(APIView):
    """The open conflicts that the caller may rule on."""

    parameters = PARAMETERS

    @extend_schema(
        operation_id="conflicts_list",
        parameters=PAGED,
        responses=ConflictSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        user = cast(User, request.user)
        page = page_of(request, open_conflicts(user))
        return Response(conflict_json(user, page.rows), headers=page.headers)


class ConflictContext(APIView):
    """The description, abstract and drawings of the reference of a conflict."""

    @extend_schema(responses=ContextSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return context_answer(request, _own_reference(request, pk))


class ConflictDrawing(APIView):
    """One of its drawings, as PNG."""

    @extend_schema(
        operation_id="conflicts_drawing_retrieve",
        responses={(200, "image/png"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: UUID, number: int) -> HttpResponse:
        return show_drawing(_own_reference(request, pk), number)


def _own_reference(request: Request, pk: UUID) -> Reference:
    rows = conflicts_for(cast(User, request.user)).select_related("candidate__reference")
    return get_object_or_404(rows, pk=pk).candidate.reference


class TakeTurn(APIView):
    """Opens a conflict for the caller and locks its ratings."""

    @extend_schema(request=None, responses=TurnSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        with missing_is_404():
            until = take_turn(conflict_id=pk, adjudicator=cast(User, request.user))
        return Response({"until": until.isoformat()})


class GiveBack(APIView):
    """Closes a conflict unruled."""

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, pk: UUID) -> Response:
        with missing_is_404():
            give_back(conflict_id=pk, adjudicator=cast(User, request.user))
        return Response(status=204)


class SendBack(APIView):
    """Asks the annotators once more before the conflict is ruled."""

    @extend_schema(request=SendBackSerializer, responses={201: RoundSerializer(many=True)})
    def post(self, request: Request, pk: UUID) -> Response:
        user = cast(User, request.user)
        conflict = get_object_or_404(conflicts_in_reach(user), pk=pk)
        serializer = SendBackSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        rows = send_back(conflict_id=conflict.pk, adjudicator=user, **serializer.validated_data)
        return Response(RoundSerializer(rows, many=True).data, status=201)


class CallBack(APIView):
    """Waits for the annotators no longer."""

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, pk: UUID) -> Response:
        with missing_is_404():
            call_back(conflict_id=pk, adjudicator=cast(User, request.user))
        return Response(status=204)


class Adjudications(APIView):
    """Takes a ruling, signed by the caller's password."""

    @extend_schema(request=NewAdjudicationSerializer, responses={201: AdjudicationSerializer})
    def post(self, request: Request) -> Response:
        serializer = NewAdjudicationSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        sent = dict(serializer.validated_data)
        with missing_is_404():
            row = rule(
                conflict_id=sent.pop("conflict"),
                rating_id=sent.pop("rating", None),
                adjudicator=cast(User, request.user),
                **sent,
            )
        return Response(AdjudicationSerializer(row).data, status=201)
