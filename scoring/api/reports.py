"""Agreement reports over REST: ask, read."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.jobs.registry import ring_on_commit
from scoring.api.door import Door, body, person, version_of
from scoring.api.words import report_words
from scoring.queries.models import reports_for
from scoring.services.reports import DEFAULT_TIE_THRESHOLD, request_report

FIELDS_NEEDED = ("dataset", "criterion", "scorers")
FIELDS = {"dataset", "criterion", "scorers", "split", "tie_threshold"}


class Reports(Door):
    """Queues a report."""

    @extend_schema(request=OpenApiTypes.OBJECT, responses={202: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        sent = body(request, FIELDS)
        threshold = sent.get("tie_threshold", DEFAULT_TIE_THRESHOLD)
        wrong = {name: ["This field is required."] for name in FIELDS_NEEDED if name not in sent}
        scorers = sent.get("scorers", [])
        if not isinstance(scorers, list) or not all(isinstance(name, str) for name in scorers):
            wrong["scorers"] = ["Give a list of scorer names."]
        if isinstance(threshold, bool) or not isinstance(threshold, int | float):
            wrong["tie_threshold"] = ["Give a number."]
        if wrong:
            raise ValidationError(wrong)
        row = request_report(
            version=version_of(request, sent["dataset"]),
            criterion=str(sent["criterion"]),
            scorers=scorers,
            split=str(sent.get("split", "test")),
            tie_threshold=float(threshold),
            requested_by=person(request),
        )
        ring_on_commit(row)
        return Response(report_words(row), status=202)


class Report(Door):
    """One report; its figures stand in the answer once it has succeeded."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(report_words(get_object_or_404(reports_for(person(request)), pk=pk)))
