"""How the API refuses: `{field: [reasons]}` for bad input, one sentence for the rest."""

from typing import Any

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import Refused, TooOften
from patclaimeval.text_io.text import NO_UTF8

BAD_REQUEST = 400
UNPROCESSABLE = 422
NOT_A_FIELD = "non_field_errors"


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer for an error; None lets an unknown one become a plain 500."""
    if isinstance(error, Refused):
        return _refused(error)
    if isinstance(error, RequestDataTooBig):
        return Response({"detail": "The body is too long."}, status=413)
    if isinstance(error, TooManyFieldsSent):
        return Response({NOT_A_FIELD: ["Too many parameters or fields."]}, status=BAD_REQUEST)
    if isinstance(error, UnicodeDecodeError):
        return Response({NOT_A_FIELD: [NO_UTF8]}, status=BAD_REQUEST)
    answer = exception_handler(error, context)
    if answer is not None and answer.status_code == BAD_REQUEST:
        answer.data = _by_field(answer.data)
    return answer


def _refused(error: Refused) -> Response:
    if error.status != UNPROCESSABLE:
        answer = Response({"detail": error.sentence}, status=error.status)
        if isinstance(error, TooOften):
            answer["Retry-After"] = str(error.retry_after)
        return answer
    fields = error.fields or {NOT_A_FIELD: [error.sentence]}
    return Response(fields, status=BAD_REQUEST)


def _by_field(data: Any) -> dict[str, Any]:
    """Return the reasons by field, for errors that DRF gives as a list or as `detail`."""
    if isinstance(data, list):
        return {NOT_A_FIELD: data}
    if set(data) == {"detail"}:
        return {NOT_A_FIELD: [data["detail"]]}
    return dict(data)
