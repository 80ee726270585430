"""Answers after an accepted or refused form, and answers that are saved as a file."""

import base64
import hashlib
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import content_disposition_header

from core.errors import DiskFull, Refused
from core.plots.shapes import Plot
from core.plots.svg import svg_of
from patclaimeval.files import is_disk_full


class SeeOther(HttpResponseRedirect):
    """A redirect with 303, which every client follows with GET."""

    status_code = 303


@contextmanager
def refusals_told(request: HttpRequest, level: int = messages.WARNING) -> Iterator[None]:
    """Have the next page tell what a service refuses in here."""
    try:
        yield
    except Refused as refusal:
        messages.add_message(request, level, refusal.sentence)


@contextmanager
def missing_is_404(*, missing: type[Exception] = ObjectDoesNotExist) -> Iterator[None]:
    """Answer 404 where a row is not there, or out of the caller's reach."""
    try:
        yield
    except missing as error:
        raise Http404 from error


def export_download(pieces: Iterable[bytes], name: str, media_type: str) -> FileResponse:
    """Give an export whole, with its digest: it is read before the first byte is sent."""
    # Without a name, so that nothing of it stays. The answer that sends it closes it.
    file = tempfile.TemporaryFile(dir=settings.DATA_DIR)  # noqa: SIM115
    try:
        file.writelines(pieces)
    except OSError as error:
        if is_disk_full(error):
            raise DiskFull("There is no room on the disk for the file; try again later.") from error
        raise
    file.seek(0)
    digest = base64.b64encode(hashlib.file_digest(file, "sha256").digest()).decode()
    file.seek(0)
    answer = FileResponse(file, as_attachment=True, filename=name, content_type=media_type)
    answer["Repr-Digest"] = f"sha-256=:{digest}:"
    return answer


def file_download(name: str, media_type: str, content: bytes) -> HttpResponse:
    """Give content under a name and a type."""
    headers = {"Content-Disposition": content_disposition_header(True, name)}
    return HttpResponse(content, content_type=media_type, headers=headers)


def page_or_plot(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    plots: Iterable[Plot | None],
    *,
    known: Collection[str] = (),
    status: int = 200,
) -> HttpResponse:
    """Answer with a page, or with one of its plots as a file where the address asks for it.

    `?plot=NAME` names the plot; 404 where the page has none of this name. `known` are the other
    parameters on which its plots depend.
    """
    wanted = request.GET.get("plot")
    if wanted is None:
        given = urlencode({name: request.GET.getlist(name) for name in known}, doseq=True)
        context = context | {"plot_query": f"{given}&" if given else ""}
        return render(request, template, context, status=status)
    for plot in plots:
        if plot is not None and plot.name == wanted:
            return file_download(f"{plot.name}.svg", "image/svg+xml", svg_of(plot).encode())
    raise Http404("This page has no such plot.")
