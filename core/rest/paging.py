"""One page of a list over REST: at most 200 rows, and where the next page is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

MOST_ROWS: Final = 200
PAGE, SIZE = "page", "page_size"
PARAMETERS: Final = frozenset({PAGE, SIZE})
# Enough for any list, and few enough digits for every database's offset.
_WHOLE: Final = re.compile(r"[1-9][0-9]{0,6}")
PAGED: Final = [
    OpenApiParameter(
        PAGE,
        {"type": "integer", "minimum": 1},
        description="The page, from 1; 404 behind the last one.",
    ),
    OpenApiParameter(
        SIZE,
        {"type": "integer", "minimum": 1, "maximum": MOST_ROWS},
        description=f"Rows a page, 1 to {MOST_ROWS}.",
    ),
]


@dataclass(frozen=True, slots=True)
class Page:
    """The rows of a page, and the headers that link its neighbours."""

    rows: list[Any]
    headers: Mapping[str, str]


def page_of(request: Request, rows: QuerySet[Any]) -> Page:
    """Return the page of the rows that a request asks for; they must be in a full order.

    400 for a number that is none, 404 for a page behind the last one. The neighbours are linked in
    `Link`, as GitHub does, so that the body of a list is a list.
    """
    size = _number(request, SIZE, MOST_ROWS)
    if size > MOST_ROWS:
        raise ValidationError({SIZE: [f"At most {MOST_ROWS} rows a page."]})
    number = _number(request, PAGE, 1)
    first = (number - 1) * size
    # One more than is shown tells whether there is a next page, without counting them all.
    found = list(rows[first : first + size + 1])
    if number > 1 and not found:
        raise NotFound("There is no such page.")
    links = [(number - 1, "prev")] if number > 1 else []
    links += [(number + 1, "next")] if len(found) > size else []
    here = request.build_absolute_uri()
    entries = (f'<{replace_query_param(here, PAGE, to)}>; rel="{rel}"' for to, rel in links)
    return Page(found[:size], {"Link": ", ".join(entries)} if links else {})


def _number(request: Request, name: str, default: int) -> int:
    sent = request.query_params.get(name)
    if sent is None:
        return default
    if not _WHOLE.fullmatch(sent):
        raise ValidationError({name: ["Give a whole number from 1 on."]})
    return int(sent)
