"""Agreement reports over REST: ask, follow, read, download, cancel."""

from typing import Any, Final
from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import OutOfDate, Refused
from core.http import file_download
from core.jobs.registry import enqueue_on_commit
from core.rest.bodies import ANY, NUMBER, TEXTS, TRUTH, WHOLE, body
from core.rest.files import OwnFormats
from core.rest.paging import PAGED, PARAMETERS, page_of
from scoring.access.api import PermittedView, ReportSerializer, person, version_of
from scoring.reports.downloads import report_file
from scoring.reports.files import TYPES, file_name
from scoring.reports.queries import ordered_result
from scoring.reports.services import ask_for_report, cancel_report
from scoring.training.model_versions.queries import reports_for

FIELDS: Final = {
    "dataset": ANY,
    "criterion": ANY,
    "split": ANY,
    "scorers": (TEXTS[0], "Give a list of scorer names."),
    "tie_threshold": NUMBER,
    "resamples": WHOLE,
    "seed": WHOLE,
    "admins_counted": TRUTH,
}


class FiguresSerializer(ReportSerializer):
    """A report with its figures, once it has succeeded (docs/researcher.md describes them).

    With `?format=json` it is a file, in which the figures are and the rest is not.
    """

    scorers = serializers.JSONField(required=False, help_text="figures by name of scorer")
    baselines = serializers.JSONField(required=False)
    human_ceiling = serializers.JSONField(required=False)
    checks = serializers.JSONField(required=False)
    signature = serializers.CharField(required=False)

    def get_fields(self) -> dict[str, serializers.Field]:
        found = super().get_fields()
        for field in found.values():
            field.required = False
        return found


class Reports(PermittedView):
    """The reports that the caller may read, without figures; a POST queues one.

    Who asks what was asked before gets the report that answers it, with 200.
    """

    parameters = PARAMETERS

    @extend_schema(
        operation_id="reports_list", parameters=PAGED, responses=ReportSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        rows = reports_for(person(request)).defer("result").order_by("-created_at", "pk")
        page = page_of(request, rows)
        return Response(ReportSerializer(page.rows, many=True).data, headers=page.headers)

    @extend_schema(
        request=OpenApiTypes.OBJECT, responses={202: ReportSerializer, 200: ReportSerializer}
    )
    def post(self, request: Request) -> Response:
        sent = body(request, FIELDS, ("dataset", "criterion", "scorers"))
        version = version_of(request, sent.pop("dataset"))
        wish: dict[str, Any] = sent | {
            name: str(sent[name]) for name in ("criterion", "split") if name in sent
        }
        asked = ask_for_report(version=version, requested_by=person(request), **wish)
        enqueue_on_commit(asked.report)
        return Response(ReportSerializer(asked.report).data, status=202 if asked.is_new else 200)


class Report(PermittedView):
    """One report: its row, and its figures once it has succeeded; `?format=` gives a file."""

    content_negotiation_class = OwnFormats
    parameters = frozenset({"format"})

    @extend_schema(
        parameters=[OpenApiParameter("format", enum=list(TYPES))],
        responses={(200, "application/json"): FiguresSerializer}
        | {
            (200, one.partition(";")[0]): OpenApiTypes.BINARY
            for one in TYPES.values()
            if one != "application/json"
        },
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        row = get_object_or_404(reports_for(person(request)), pk=pk)
        wanted = request.query_params.get("format")
        if wanted is None:
            return Response({**ReportSerializer(row).data, **(ordered_result(row) or {})})
        if wanted not in TYPES:
            sentence = f"The format is one of {', '.join(TYPES)}."
            raise Refused(sentence, {"format": [sentence]})
        document = ordered_result(row)
        if document is None:
            raise OutOfDate("This report has no figures; look at its status.")
        name, content = file_name(document, wanted), report_file(document, wanted)
        return file_download(name, TYPES[wanted], content)


class Cancel(PermittedView):
    """Asks a report to stop."""

    @extend_schema(request=None, responses={202: ReportSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(reports_for(user), pk=pk)
        cancel_report(report=row, cancelled_by=user)
        row.refresh_from_db()
        return Response(ReportSerializer(row).data, status=202)
