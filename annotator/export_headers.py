"""Exported files: their headers, and the page that is shown where one is refused."""

from typing import Final
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from annotator.models import User
from core.forms import RefusableForm
from patclaimeval.text_io.text import time_text

CONFIDENTIAL: Final = "Confidential: of unfiled claims. Not for release unless their owners agreed."


def note_export(answer: HttpResponseBase, *, by: User, records: int | None = None) -> None:
    """Write the headers; the bytes stay as they are, so that a file compares with its digest."""
    answer["Export-Notice"] = CONFIDENTIAL
    answer["Export-By"] = quote(by.username)
    answer["Export-At"] = time_text(timezone.now())
    if records is not None:
        answer["Export-Records"] = str(records)


def refuse_download(request: HttpRequest, form: RefusableForm, back: str) -> HttpResponse:
    """Show why a file is not given, and a way back."""
    reasons = [str(reason) for found in form.errors.values() for reason in found]
    context = {"reasons": reasons, "back": back}
    return render(request, "annotator/word_files/refused.html", context, status=form.status)
