"""Pages for requests that cannot be answered as asked."""

import sys
from typing import Final

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string

from annotator.files.full_disk import is_disk_full
from annotator.formats.utf8 import NO_UTF8
from annotator.queries.access import campaigns_for
from annotator.views.kept_typed import keep_unrated
from annotator.views.typed_again import TypedAgain, typed_again

# What a lost connection, a full disk and a lock that nobody gives back are raised as.
DATABASE_DOWN: Final = (OperationalError, InterfaceError)
ASK_AGAIN_SECONDS: Final = 5
# What happened, and what to do where the page cannot show what was sent.
DOWN_SENTENCE: Final = (
    "Whether your last step was stored cannot be said. Wait a moment and send it again: a rating "
    "that was stored is not stored twice."
)
FULL_SENTENCE: Final = (
    "The server's disk is full: nothing of your last step was stored. Tell whoever runs this site, "
    "and send it again later."
)
GO_BACK: Final = "What you typed is still in the page before this one: go back to it."


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say in plain words that the form was not accepted, and how to go on."""
    return render(request, "errors/403_csrf.html", {"typed": typed_again(request)}, status=403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that the request could not be read, or was too long to be read."""
    is_too_big = isinstance(exception, RequestDataTooBig)
    is_no_text = isinstance(exception.__cause__, UnicodeDecodeError)
    sentence = NO_UTF8 if is_no_text else "It was not in a form that this site sends."
    words = {
        "heading": "That was too long" if is_too_big else "The request could not be read",
        "sentence": "The form was longer than the server takes." if is_too_big else sentence,
        "typed": typed_again(request) if is_no_text else None,
    }
    return render(request, "errors/400.html", words, status=413 if is_too_big else 400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is nothing; what was typed into a form that was theirs is not lost by it."""
    return render(request, "errors/404.html", _refused_words(request), status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say no; a campaign that is not theirs is not confirmed to exist by a 403."""
    match = request.resolver_match
    slug = match.kwargs.get("slug") if match else None
    if slug and not campaigns_for(request.user).filter(slug=slug).exists():
        return not_found(request, exception)
    words = {"sentence": str(exception), **_refused_words(request)}
    return render(request, "errors/403.html", words, status=403)


def _refused_words(request: HttpRequest) -> dict[str, object]:
    return {"is_kept": keep_unrated(request), "typed": typed_again(request)}


def server_error(request: HttpRequest) -> HttpResponse:
    """Render without context processors: the database may be what is broken.

    One that does not answer is no fault of ours: it is told as such, and asked again soon.
    """
    error = sys.exception()
    if is_disk_full(error):
        return _unavailable(request, FULL_SENTENCE, status=507)
    if isinstance(error, DATABASE_DOWN):
        return _unavailable(request, DOWN_SENTENCE, status=503)
    return HttpResponse(render_to_string("errors/500.html", _typed(request)), status=500)


def _typed(request: HttpRequest) -> dict[str, TypedAgain | str | None]:
    """Return what was typed, with the token that a form needs to be sent again."""
    return {"typed": typed_again(request), "csrf_token": get_token(request)}


def _unavailable(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    headers = {"Retry-After": str(ASK_AGAIN_SECONDS)}
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": sentence}, status=status, headers=headers)
    shown = _typed(request)
    if request.method == "POST" and not shown["typed"]:
        sentence = f"{sentence} {GO_BACK}"
    words = render_to_string("errors/503.html", {"sentence": sentence, **shown})
    return HttpResponse(words, status=status, headers=headers)
