"""Rating over REST: take the next assignment, submit, revise; blind, as the page is."""

from dataclasses import asdict
from typing import Any, Final, cast
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.scopes import assignments_for, readable_assignments
from annotator.assignments.queries import assigned_candidate, ratings_by
from annotator.assignments.services import take_next
from annotator.conflicts.queries import is_locked
from annotator.context.api import ContextSerializer, context_answer
from annotator.context.page import show_drawing
from annotator.models import Assignment, Rating, Reference, User
from annotator.rating.calibration.queries import refuse_uncalibrated
from annotator.rating.queries import RECUSED_SENTENCE
from annotator.rating.services import revise_rating, submit_rating
from annotator.rating_values import ERROR_TAGS, LONGEST_TEXT, TEXT_FIELDS, rating_digest, remarks_of
from annotator.score_fields import ScoresSerializer
from core.errors import OutOfDate
from core.http import missing_is_404
from core.rest.fields import CommentField, IdField, MomentField, StrictSerializer
from patclaimeval.rubric import RUBRIC, RUBRIC_VERSION, overall_quality

RUBRIC_JSON: Final = {"version": RUBRIC_VERSION, "criteria": [asdict(entry) for entry in RUBRIC]}


def assignment_json(assignment: Assignment) -> dict[str, Any]:
    """Return the assignment as JSON values: no system, no candidate_id, nobody else's rating."""
    candidate = assigned_candidate(assignment)
    return {
        "id": str(assignment.pk),
        "campaign": assignment.campaign.slug,
        "reference": candidate.reference.as_told(),
        "candidate": {"label": assignment.label, "claims": candidate.claims},
        "rubric": RUBRIC_JSON,
        "lease_expires_at": assignment.lease_expires_at and assignment.lease_expires_at.isoformat(),
    }


MOST_TAGS = 200


class GivenSerializer(StrictSerializer):
    """The words and error tags of a rating, which may be left out."""

    def get_fields(self) -> dict[str, serializers.Field]:
        texts = {
            field.name: CommentField(
                required=False, allow_blank=True, trim_whitespace=False, max_length=LONGEST_TEXT
            )
            for field in TEXT_FIELDS
        }
        tags = serializers.ListField(
            child=serializers.JSONField(), required=False, max_length=MOST_TAGS
        )
        return {**super().get_fields(), **texts, ERROR_TAGS: tags}


class NewRatingSerializer(GivenSerializer):
    """A rating as it is sent first."""

    assignment = IdField()
    scores = ScoresSerializer()


class RevisionSerializer(GivenSerializer):
    """What of a rating changes; what is left out stays as it is."""

    scores = ScoresSerializer(required=False)


class OverallSerializer(serializers.Serializer):
    """The overall quality, exact over 11 and rounded."""

    numerator = serializers.IntegerField()
    value = serializers.FloatField()

    def to_representation(self, instance: int) -> dict[str, Any]:
        return overall_quality(instance)


class RatingSerializer(serializers.Serializer):
    """A person's own rating."""

    id = serializers.UUIDField()
    assignment = serializers.UUIDField(source="assignment_id")
    scores = ScoresSerializer()
    overall_quality = OverallSerializer(source="overall_numerator")

    def get_fields(self) -> dict[str, serializers.Field]:
        return {
            **super().get_fields(),
            **{field.name: serializers.CharField() for field in TEXT_FIELDS},
            ERROR_TAGS: serializers.ListField(),
            "active_seconds": serializers.IntegerField(),
            "version": serializers.IntegerField(),
            "rubric_version": serializers.CharField(),
            "submitted_at": MomentField(),
            "revised_at": MomentField(),
        }


LONGEST_KEY = 200
KEY_HEADER = "Idempotency-Key"


class NoIfMatch(APIException):
    """A revision must say which version it revises."""

    status_code = 428
    default_detail = 'Send If-Match with the version that you saw, for example If-Match: "1".'


class Stale(APIException):
    """The rating has moved on."""

    status_code = 412
    default_detail = "This rating was changed elsewhere since you read it."


class NextAssignment(APIView):
    """Leases the caller's next candidate; 204 when nothing is left."""

    @extend_schema(request=None, responses={200: OpenApiTypes.OBJECT, 204: None})
    def post(self, request: Request, slug: str) -> Response:
        user = cast(User, request.user)
        with missing_is_404():
            assignment = take_next(slug=slug, annotator=user, look=refuse_uncalibrated)
        if assignment is None:
            return Response(status=204)
        return Response(assignment_json(assignment))


class Ratings(APIView):
    """Takes a first rating; the same key and body again give the same answer."""

    @extend_schema(
        request=NewRatingSerializer,
        responses={201: RatingSerializer},
        parameters=[OpenApiParameter(KEY_HEADER, str, OpenApiParameter.HEADER)],
    )
    def post(self, request: Request) -> Response:
        user = cast(User, request.user)
        sent = _valid(NewRatingSerializer(data=request.data))
        assignment_id = sent.pop("assignment")
        if user.only_campaign_id and not assignments_for(user).filter(pk=assignment_id).exists():
            raise Http404
        with missing_is_404():
            rating = submit_rating(
                assignment_id=assignment_id,
                annotator=user,
                idempotency_key=_key(request),
                request_sha256=rating_digest(assignment_id, sent),
                **sent,
            )
        return _answer(rating, 201)


class AssignmentContext(APIView):
    """The description, abstract and drawings of the reference of an own assignment."""

    @extend_schema(responses=ContextSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return context_answer(request, _own_reference(request, pk))


class AssignmentDrawing(APIView):
    """One of its drawings, as PNG."""

    @extend_schema(
        operation_id="assignments_drawing_retrieve",
        responses={(200, "image/png"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: UUID, number: int) -> HttpResponse:
        return show_drawing(_own_reference(request, pk), number)


def _own_reference(request: Request, pk: UUID) -> Reference:
    rows = readable_assignments(cast(User, request.user))
    return get_object_or_404(rows, pk=pk).candidate.reference


class RatingDetail(APIView):
    """One's own rating: read it, revise it until it locks."""

    @extend_schema(responses=RatingSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return _answer(get_object_or_404(ratings_by(cast(User, request.user)), pk=pk), 200)

    @extend_schema(
        request=RevisionSerializer,
        responses=RatingSerializer,
        parameters=[OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, required=True)],
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        user = cast(User, request.user)
        rating = get_object_or_404(ratings_by(user), pk=pk)
        version = _version_seen(request)
        given = {"scores": rating.scores} | remarks_of(rating)
        given |= _valid(RevisionSerializer(data=request.data))
        try:
            revised = revise_rating(rating_id=rating.pk, annotator=user, version=version, **given)
        except OutOfDate as refusal:
            if is_locked(rating.assignment) or refusal.sentence == RECUSED_SENTENCE:
                raise
            raise Stale from refusal
        return _answer(revised, 200)


def _valid(serializer: serializers.Serializer) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _key(request: Request) -> str:
    key = str(request.headers.get(KEY_HEADER, ""))
    if len(key) > LONGEST_KEY:
        raise ValidationError({KEY_HEADER: [f"At most {LONGEST_KEY} characters."]})
    return key


def _version_seen(request: Request) -> int:
    sent = str(request.headers.get("If-Match", "")).strip()
    if not sent:
        raise NoIfMatch
    digits = sent.removeprefix("W/").strip('"')
    # Any other tag, `*` included, names no version that this rating ever had.
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else -1


def _answer(rating: Rating, status: int) -> Response:
    etag = {"ETag": f'"{rating.version}"'}
    return Response(RatingSerializer(rating).data, status=status, headers=etag)
