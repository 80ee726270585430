"""What happens once somebody is known: the session begins, and what a form carried is kept."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import Resolver404, ResolverMatch, resolve

from annotator.formats.strict_json import StrictJsonError, loads
from annotator.forms.rating import TYPED
from annotator.gate import CARRIED, DRAFT_FIELD
from annotator.models import User
from annotator.queries.access import ever_assigned
from annotator.queries.adjudication_page import adjudication_page
from annotator.queries.compare_page import compare_page
from annotator.services.drafts import keep_refused
from annotator.services.guessing import record_right
from annotator.sign_in.device_words import device_words
from annotator.sign_in.known_browsers import remember_browser
from annotator.sign_in.second_step import GIVEN, PENDING
from annotator.sign_in.session_store import DEVICE
from annotator.views.typed_again import of_fields

RATE_ROUTE = "annotator:rate"
COMPARE_ROUTE = "annotator:compare"
BACKEND = "django.contrib.auth.backends.ModelBackend"


def let_in(
    request: HttpRequest, user: User, target: str, *, carried: str = "", with_code: bool = False
) -> HttpResponse:
    """Begin the session of a person, and answer with where to go, or a script with its token."""
    request.session.pop(PENDING, None)
    login(request, user, backend=BACKEND)
    record_right(user)
    request.session[DEVICE] = device_words(request.headers.get("User-Agent", ""))
    request.session[GIVEN] = with_code
    response: HttpResponse = HttpResponseRedirect(target)
    if carried and (page := carried_page(target)):
        response = _shown_again(request, user, page, target, carried) or response
    elif carried:
        _keep(request, target, carried)
    if request.headers.get("HX-Request"):
        response = JsonResponse({"token": get_token(request), "username": user.username})
    remember_browser(request, response, user.username)
    return response


def carried_page(target: str) -> ResolverMatch | None:
    """Return the page that `target` leads to where its form is sent again after a sign-in."""
    try:
        match = resolve(target)
    except Resolver404:
        return None
    return match if match.view_name in CARRIED else None


def _shown_again(
    request: HttpRequest, user: User, page: ResolverMatch, target: str, carried: str
) -> HttpResponse | None:
    """Show a form that came before the sign-in, if it is of a page of this person's.

    Signing in sends nothing by itself: who signed in may not be who typed.
    """
    pk = page.kwargs["pk"]
    is_comparison = page.view_name == COMPARE_ROUTE
    own = compare_page(user, pk) if is_comparison else adjudication_page(user, pk)
    try:
        fields = loads(carried.encode("utf-8", "surrogatepass"))
    except StrictJsonError:
        return None
    if own is None or not isinstance(fields, dict):
        return None
    sent = [(name, value) for name, value in fields.items() if isinstance(value, str)]
    typed = of_fields(target, sent, had_password=not is_comparison)
    return render(request, "annotator/carried.html", {"typed": typed}) if typed else None


def _keep(request: HttpRequest, target: str, carried: str) -> None:
    """Keep carried fields as the draft of the assignment that `target` shows, if it is theirs."""
    user = request.user
    assert isinstance(user, User)
    pk = _assignment_id(target)
    assignment = ever_assigned(user).filter(pk=pk).first() if pk else None
    if assignment is None:
        return
    try:
        typed = loads(carried.encode("utf-8", "surrogatepass"))
        version = int(str(typed.get(DRAFT_FIELD) or 0))
        kept = keep_refused(
            assignment=assignment,
            typed={name: str(typed.get(name, "")) for name in TYPED},
            version=version,
        )
    except (StrictJsonError, AttributeError, ValueError):
        kept = None
    if kept:
        messages.info(request, "What you sent after your session had ended is kept as a draft.")
    else:
        messages.error(
            request,
            "What you sent could not be kept: another tab has saved a draft since. "
            "Your browser's back button still shows it.",
        )


def _assignment_id(target: str) -> UUID | None:
    try:
        match = resolve(target)
    except Resolver404:
        return None
    return match.kwargs["pk"] if match.view_name == RATE_ROUTE else None
