"""The headers of an exported file: confidential, taken by whom, when, how many records."""

from typing import Final
from urllib.parse import quote

from django.http.response import HttpResponseBase
from django.utils import timezone

from annotator.models import User
from patclaimeval.text_io.text import time_text

CONFIDENTIAL: Final = "Confidential: of unfiled claims. Not for release unless their owners agreed."


def note_export(answer: HttpResponseBase, *, by: User, records: int | None = None) -> None:
    """Write the headers; the bytes stay as they are, so that a file compares with its digest."""
    answer["Export-Notice"] = CONFIDENTIAL
    answer["Export-By"] = quote(by.username)
    answer["Export-At"] = time_text(timezone.now())
    if records is not None:
        answer["Export-Records"] = str(records)
