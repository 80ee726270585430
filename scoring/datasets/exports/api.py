"""Downloads of a dataset version over REST: its rows in every format, its card, its checksums."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from core.http import file_download
from core.rest.files import OwnFormats
from scoring.access.api import PermittedView, person
from scoring.access.downloads import as_download
from scoring.access.scopes import SPLITS, card_reader, exporter, version_or_404
from scoring.datasets.exports.forms import YES_OR_NO, card_wish, export_wish
from scoring.datasets.exports.queries import CARD_FORMATS, card_file
from scoring.datasets.exports.services import export_version
from scoring.formats.export_formats import EXPORT_FORMATS, GZIP_TYPE

JSON = "application/json"


def _files(*media_types: str) -> dict[Any, OpenApiTypes]:
    """Describe answers that are files of these types; what follows a type is left out."""
    return {
        (200, one.partition(";")[0]): OpenApiTypes.ANY if one == JSON else OpenApiTypes.BINARY
        for one in media_types
    }


class Export(PermittedView):
    """A version's quadruplets as a file, for admins of its campaign: it carries claim texts."""

    content_negotiation_class = OwnFormats
    parameters = frozenset({"format", "split", "gzip"})

    @extend_schema(
        parameters=[
            OpenApiParameter("format", enum=list(EXPORT_FORMATS)),
            OpenApiParameter("split", enum=SPLITS),
            OpenApiParameter("gzip", enum=list(YES_OR_NO)),
        ],
        responses=_files(*(one.media_type for one in EXPORT_FORMATS.values()), GZIP_TYPE),
    )
    def get(self, request: Request, name: str, number: int) -> HttpResponseBase:
        user = person(request)
        row = version_or_404(user, name, number)
        exporter(user, row)
        wish = export_wish(request.query_params)
        return as_download(export_version(version=row, **wish, exported_by=user), user)


class DataCard(PermittedView):
    """A version's data card as JSON or Markdown, or the SHA256SUMS of its files."""

    content_negotiation_class = OwnFormats
    parameters = frozenset({"format"})

    @extend_schema(
        parameters=[OpenApiParameter("format", enum=list(CARD_FORMATS))],
        responses=_files(JSON, "text/markdown", "text/plain"),
    )
    def get(self, request: Request, name: str, number: int) -> HttpResponse:
        row = version_or_404(person(request), name, number)
        reader = card_reader(person(request), row)
        wanted = card_wish(request.query_params)
        return file_download(*card_file(row, wanted, shows_files=reader.is_admin))
