"""Agreement reports over REST: ask, follow, read, download, cancel."""

from typing import Any, Final
from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import OutOfDate, Refused
from core.http import file_download
from core.jobs.registry import enqueue_on_commit
from core.rest.paging import PAGED, PARAMETERS, page_of
from scoring.access.api import OwnFormats, PermittedView, body, person, report_json, version_of
from scoring.agreement.items import DEFAULT_RESAMPLES, DEFAULT_TIE_THRESHOLD
from scoring.reports.downloads import report_file
from scoring.reports.files import TYPES, file_name
from scoring.reports.queries import ordered_result
from scoring.reports.services import ask_for_report, cancel_report
from scoring.training.model_versions.queries import reports_for

FIELDS_NEEDED: Final = ("dataset", "criterion", "scorers")
FIELDS: Final = {*FIELDS_NEEDED, "split", "tie_threshold", "resamples", "seed", "admins_counted"}


class Reports(PermittedView):
    """The reports that the caller may read, without figures; a POST queues one.

    Who asks what was asked before gets the report that answers it, with 200.
    """

    parameters = PARAMETERS

    @extend_schema(operation_id="reports_list", parameters=PAGED, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        rows = reports_for(person(request)).defer("result").order_by("-created_at", "pk")
        page = page_of(request, rows)
        return Response([report_json(row) for row in page.rows], headers=page.headers)

    @extend_schema(
        request=OpenApiTypes.OBJECT,
        responses={202: OpenApiTypes.OBJECT, 200: OpenApiTypes.OBJECT},
    )
    def post(self, request: Request) -> Response:
        sent = body(request, FIELDS)
        wish = _wish(sent)
        asked = ask_for_report(
            version=version_of(request, sent["dataset"]), requested_by=person(request), **wish
        )
        enqueue_on_commit(asked.report)
        return Response(report_json(asked.report), status=202 if asked.is_new else 200)


class Report(PermittedView):
    """One report: its row, and its figures once it has succeeded; `?format=` gives a file."""

    content_negotiation_class = OwnFormats
    parameters = frozenset({"format"})

    @extend_schema(
        parameters=[OpenApiParameter("format", enum=list(TYPES))],
        responses={200: OpenApiTypes.OBJECT, 400: OpenApiTypes.OBJECT, 409: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        row = get_object_or_404(reports_for(person(request)), pk=pk)
        wanted = request.query_params.get("format")
        if wanted is None:
            return Response({**report_json(row), **(ordered_result(row) or {})})
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

    @extend_schema(request=None, responses={202: OpenApiTypes.OBJECT})
    def post(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(reports_for(user), pk=pk)
        cancel_report(report=row, cancelled_by=user)
        row.refresh_from_db()
        return Response(report_json(row), status=202)


def _wish(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of the service; 400 by field for what has the wrong type."""
    wrong = {name: ["This field is required."] for name in FIELDS_NEEDED if name not in sent}
    scorers = sent.get("scorers", [])
    if not isinstance(scorers, list) or not all(isinstance(name, str) for name in scorers):
        wrong["scorers"] = ["Give a list of scorer names."]
    threshold = sent.get("tie_threshold", DEFAULT_TIE_THRESHOLD)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        wrong["tie_threshold"] = ["Give a number."]
    if type(sent.get("admins_counted", False)) is not bool:
        wrong["admins_counted"] = ["Give true or false."]
    whole = {"resamples": DEFAULT_RESAMPLES, "seed": 0}
    whole |= {name: sent[name] for name in whole if name in sent}
    wrong |= {
        name: ["Give a whole number."] for name, given in whole.items() if type(given) is not int
    }
    if wrong:
        raise ValidationError(wrong)
    return {
        "criterion": str(sent["criterion"]),
        "scorers": scorers,
        "split": str(sent.get("split", "test")),
        "tie_threshold": threshold,
        "admins_counted": sent.get("admins_counted", False),
        **whole,
    }
