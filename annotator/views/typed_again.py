"""What a form was filled with that the site could not take, and a form to send it once more."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.utils.http import escape_leading_slashes

from annotator.gate import API_PREFIX

# Never shown again: the code of a second factor, and whatever calls itself a password.
KEPT_BACK: Final = frozenset({"csrfmiddlewaretoken", "code"})
KEPT_BACK_PART: Final = "password"
# Somebody wrote what stands here, be it one word.
WRITTEN: Final = frozenset(
    {"comment", "note", "reason", "back_question", "leave_reason", "flag_reason"}
)
# What stands for bytes that are no text: to be seen, not sent again unseen.
UNREADABLE: Final = "\ufffd"
# Choices of two words.
CHOSEN: Final = frozenset({"decision", "tag", "aid"})
LABELS: Final = {"back_question": "Question", "leave_reason": "Reason", "flag_reason": "Reason"}


@dataclass(frozen=True, slots=True)
class Words:
    """A field in which somebody wrote."""

    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class TypedAgain:
    """A form as it was sent: where to, words to be seen, everything else as it is."""

    action: str
    words: tuple[Words, ...]
    hidden: tuple[tuple[str, str], ...]
    had_password: bool


def typed_again(request: HttpRequest) -> TypedAgain | None:
    """Return what a person sent from a page of this site; None where nobody typed anything.

    A form of another site is not shown: else it could be sent from here, by one press.
    """
    is_call = request.path.startswith(API_PREFIX) or "HX-Request" in request.headers
    if request.method != "POST" or is_call or not _is_from_here(request):
        return None
    try:
        return of_form(escape_leading_slashes(request.get_full_path()), request.POST)
    except (SuspiciousOperation, MultiPartParserError, OSError):
        return None  # what cannot be read cannot be shown


def of_form(action: str, sent: QueryDict) -> TypedAgain | None:
    """Return a form that can be sent again; None for one without a field."""
    had_password = any(KEPT_BACK_PART in name for name in sent)
    return of_fields(action, kept_fields(sent), had_password=had_password)


def of_fields(
    action: str, fields: Iterable[tuple[str, str]], *, had_password: bool
) -> TypedAgain | None:
    """Return a form of these fields; None without any."""
    words: list[Words] = []
    hidden: list[tuple[str, str]] = []
    for name, value in fields:
        if _is_written(name, value):
            words.append(Words(name, _label(name), value))
        else:
            hidden.append((name, value))
    if not words and not hidden:
        return None
    return TypedAgain(action, tuple(words), tuple(hidden), had_password)


def kept_fields(sent: QueryDict) -> list[tuple[str, str]]:
    """Return every field of a form but its token and its secrets, with each of its values."""
    return [
        (name, str(value))
        for name, values in sent.lists()
        for value in values
        if name not in KEPT_BACK and KEPT_BACK_PART not in name
    ]


def _is_written(name: str, value: str) -> bool:
    """Say whether somebody wrote this: words, not a choice, an id or what a script reads."""
    if name in CHOSEN and UNREADABLE not in value:
        return False
    is_text = any(sign.isspace() for sign in value) and not value.startswith(("[", "{"))
    return is_text or UNREADABLE in value or (name in WRITTEN and value != "")


def _label(name: str) -> str:
    return LABELS.get(name, name.replace("_", " ").capitalize())


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
