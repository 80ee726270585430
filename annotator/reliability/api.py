"""Agreement over REST: the last reliability report of a campaign, and asking for a new one."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.access.gate import read_campaign
from annotator.access.visibility import Reader
from annotator.models import Campaign, User
from annotator.reliability.queries import Standing, names_for, readable_result, standing_of
from annotator.reliability.services import request_reliability
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus

ACCEPTED = 202
WITHHELD = "You rate in this campaign; its figures are open to you once it is closed."
HOW_TO_ASK = "POST to this address has the figures of the ratings as they are now worked out."


class AgreementSerializer(serializers.Serializer):
    """Where the agreement of a campaign stands; `result` is the last one that there is."""

    status = serializers.ChoiceField(choices=["none", *JobStatus.values])
    message = serializers.CharField()
    progress = serializers.FloatField()
    input_sha256 = serializers.CharField(help_text="digest of the ratings as they are now")
    is_current = serializers.BooleanField(help_text="whether `result` is on these ratings")
    result_sha256 = serializers.CharField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    age_seconds = serializers.IntegerField(allow_null=True)
    since = serializers.DictField(child=serializers.IntegerField())
    result = serializers.DictField(allow_null=True)


class Agreement(APIView):
    """How far the annotators of a campaign agree, without their names."""

    @extend_schema(responses=AgreementSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Give the last figures with their age; nothing is worked out by asking for it."""
        campaign, reader = _read_by(request, slug)
        return Response(_answer(standing_of(campaign), reader))

    @extend_schema(request=None, responses={200: AgreementSerializer, 202: AgreementSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Ask for the figures of the ratings as they are now; 202 while they are worked out."""
        campaign, reader = _read_by(request, slug)
        row = request_reliability(campaign=campaign, asked_by=cast(User, request.user))
        if row.status == JobStatus.QUEUED:
            enqueue_on_commit(row)
        status = 200 if row.status == JobStatus.SUCCEEDED else ACCEPTED
        return Response(_answer(standing_of(campaign), reader), status=status)


def _read_by(request: Request, slug: str) -> tuple[Campaign, Reader]:
    campaign, reader = read_campaign(request, slug)
    if reader.is_withheld:
        raise PermissionDenied(WITHHELD)
    return campaign, reader


def _answer(standing: Standing, reader: Reader) -> dict[str, Any]:
    job = standing.under_way or standing.ended
    latest = standing.latest
    age = standing.age
    return {
        "status": standing.status,
        "message": job.message if job else (latest.message if latest else HOW_TO_ASK),
        "progress": job.progress if job else (1.0 if latest else 0.0),
        "input_sha256": standing.inputs.sha256,
        "is_current": standing.is_current,
        "result_sha256": latest.input_sha256 if latest else None,
        "finished_at": standing.finished_at.isoformat() if standing.finished_at else None,
        "age_seconds": int(age.total_seconds()) if age else None,
        "since": standing.since,
        "result": readable_result(latest, names_for(latest, is_admin=reader.is_admin))
        if latest
        else None,
    }
