"""Pages for requests that cannot be answered as asked, with all that was typed."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import escape_leading_slashes

from annotator.access.gate import API_PREFIX, DRAFT_FIELD
from annotator.access.scopes import campaigns_for, ever_assigned
from annotator.models import User
from annotator.rating.drafts import save_refused
from annotator.rating.forms import RatingForm
from annotator.rating_values import TEXT_FIELDS
from core.errors import Unreachable
from patclaimeval.files import is_disk_full
from patclaimeval.text_io.text import NO_UTF8

# Programs call what lies below; they are refused in JSON.
API: Final = "/api/"


def save_unrated(request: HttpRequest) -> bool:
    """Store the posted rate form of an assignment that was theirs; return whether it is.

    The role may have gone between the page and its submit; the draft is there when it comes back.
    """
    match, user = request.resolver_match, request.user
    if request.method != "POST" or match is None or not isinstance(user, User):
        return False
    try:
        if DRAFT_FIELD not in request.POST:
            return False
        pk = match.kwargs.get("pk")
        row = ever_assigned(user).filter(pk=pk).first() if isinstance(pk, UUID) else None
        if row is None:
            return False
        form = RatingForm(request.POST)
        form.is_valid()
        version = form.draft_version_seen or 0
        return save_refused(assignment=row, typed=form.as_entered, version=version) is not None
    except (SuspiciousOperation, MultiPartParserError, OSError):
        return False  # what cannot be read cannot be stored


# Never shown again: codes and answers of a second factor, and whatever calls itself a password.
WITHHELD: Final = frozenset({"csrfmiddlewaretoken", "code", "passkey"})
WITHHELD_PART: Final = "password"
# Somebody wrote what stands here, be it one word.
WRITTEN: Final = frozenset(
    {"comment", "reason", "back_question", "leave_reason", "flag_reason", "flag_answer"}
).union(field.name for field in TEXT_FIELDS)
# What stands for bytes that are no text: to be seen, not sent again unseen.
UNREADABLE: Final = "\ufffd"
# Choices of two values.
CHOSEN: Final = frozenset({"decision", "tag", "aid"})
LABELS: Final = {field.name: field.label for field in TEXT_FIELDS} | {
    "back_question": "Question",
    "leave_reason": "Reason",
    "flag_reason": "Reason",
    "flag_answer": "Answer",
}


@dataclass(frozen=True, slots=True)
class TextInput:
    """A field in which somebody wrote."""

    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ResubmittedForm:
    """A form as it was sent: where to, texts to be seen, everything else as it is."""

    action: str
    words: tuple[TextInput, ...]
    hidden: tuple[tuple[str, str], ...]
    had_password: bool


def resubmitted_form(request: HttpRequest) -> ResubmittedForm | None:
    """Return what a person sent from a page of this site; None where nobody typed anything.

    A form of another site is not shown: else it could be sent from here, by one press.
    """
    is_call = request.path.startswith(API_PREFIX) or "HX-Request" in request.headers
    if request.method != "POST" or is_call or not _is_from_here(request):
        return None
    try:
        action, sent = escape_leading_slashes(request.get_full_path()), request.POST
        had_password = any(WITHHELD_PART in name for name in sent)
        return of_fields(action, resubmitted_fields(sent), had_password=had_password)
    except (SuspiciousOperation, MultiPartParserError, OSError):
        return None  # what cannot be read cannot be shown


def of_fields(
    action: str, fields: Iterable[tuple[str, str]], *, had_password: bool
) -> ResubmittedForm | None:
    """Return a form of these fields; None without any."""
    written: list[TextInput] = []
    hidden: list[tuple[str, str]] = []
    for name, value in fields:
        if _is_written(name, value):
            label = LABELS.get(name, name.replace("_", " ").capitalize())
            written.append(TextInput(name, label, value))
        else:
            hidden.append((name, value))
    if not written and not hidden:
        return None
    return ResubmittedForm(action, tuple(written), tuple(hidden), had_password)


def resubmitted_fields(sent: QueryDict) -> list[tuple[str, str]]:
    """Return every field of a form but its token and its secrets, with each of its values."""
    return [
        (name, str(value))
        for name, values in sent.lists()
        for value in values
        if name not in WITHHELD and WITHHELD_PART not in name
    ]


def _is_written(name: str, value: str) -> bool:
    """Return whether somebody wrote this: text, not a choice, an id or what a script reads."""
    if name in CHOSEN and UNREADABLE not in value:
        return False
    is_text = any(sign.isspace() for sign in value) and not value.startswith(("[", "{"))
    return is_text or UNREADABLE in value or (name in WRITTEN and value != "")


def _is_from_here(request: HttpRequest) -> bool:
    site = request.headers.get("Sec-Fetch-Site")
    if site:
        return site == "same-origin"
    origin = request.headers.get("Origin") or request.headers.get("Referer", "")
    try:
        here, there = urlsplit(request.build_absolute_uri("/")), urlsplit(origin)
    except (SuspiciousOperation, ValueError):
        return False
    return here[:2] == there[:2]


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
    """Answer that the form was not accepted, and how to go on."""
    return render(request, "errors/403_csrf.html", {"typed": resubmitted_form(request)}, status=403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer that the request could not be read, or was too long to be read."""
    is_too_big = isinstance(exception, RequestDataTooBig)
    is_no_text = isinstance(exception.__cause__, UnicodeDecodeError)
    sentence = NO_UTF8 if is_no_text else "It was not in a form that this site sends."
    context = {
        "heading": "That was too long" if is_too_big else "The request could not be read",
        "sentence": "The form was longer than the server takes." if is_too_big else sentence,
        "typed": resubmitted_form(request) if is_no_text else None,
    }
    status = 413 if is_too_big else 400
    if request.path.startswith(API):
        return JsonResponse({"detail": context["sentence"]}, status=status)
    return render(request, "errors/400.html", context, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer that there is nothing; what was typed into a form that was theirs is not lost."""
    if request.path.startswith(API):
        return JsonResponse({"detail": "This address leads nowhere."}, status=404)
    return render(request, "errors/404.html", _refusal_context(request), status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Refuse; a campaign that is not theirs is not confirmed to exist by a 403."""
    match = request.resolver_match
    slug = match.kwargs.get("slug") if match else None
    if slug and not campaigns_for(request.user).filter(slug=slug).exists():
        return not_found(request, exception)
    context = {"sentence": str(exception), **_refusal_context(request)}
    return render(request, "errors/403.html", context, status=403)


def _refusal_context(request: HttpRequest) -> dict[str, object]:
    return {"is_kept": save_unrated(request), "typed": resubmitted_form(request)}


def server_error(request: HttpRequest) -> HttpResponse:
    """Render without context processors: the database may be what is broken.

    One that does not answer is no fault of ours: it is reported as such, and asked again soon.
    """
    error = sys.exception()
    if is_disk_full(error):
        return _unavailable(request, FULL_SENTENCE, status=507)
    if isinstance(error, DATABASE_DOWN):
        return _unavailable(request, DOWN_SENTENCE, status=503)
    if isinstance(error, Unreachable):
        return _unavailable(request, error.sentence, status=error.status)
    if request.path.startswith(API):
        return JsonResponse(
            {"detail": "Something went wrong on our side. The fault has been logged."}, status=500
        )
    return HttpResponse(render_to_string("errors/500.html", _resubmission(request)), status=500)


def _resubmission(request: HttpRequest) -> dict[str, ResubmittedForm | str | None]:
    """Return what was typed, with the token that a form needs to be sent again."""
    return {"typed": resubmitted_form(request), "csrf_token": get_token(request)}


def _unavailable(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    headers = {"Retry-After": str(ASK_AGAIN_SECONDS)}
    if request.path.startswith(API):
        return JsonResponse({"detail": sentence}, status=status, headers=headers)
    shown = _resubmission(request)
    if request.method == "POST" and not shown["typed"]:
        sentence = f"{sentence} {GO_BACK}"
    html = render_to_string("errors/503.html", {"sentence": sentence, **shown})
    return HttpResponse(html, status=status, headers=headers)
