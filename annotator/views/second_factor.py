"""One's own second factor: set it up, new recovery codes, take it away."""

from collections.abc import Callable
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.second_factor import CodeForm
from annotator.gate import SignedInRequest
from annotator.refusals import OutOfDate, Refused
from annotator.services.second_factor import (
    address_of,
    new_secret,
    remove_factor,
    renew_codes,
    set_up_factor,
)
from annotator.services.sessions import end_sessions
from annotator.sign_in.kept_secrets import WrongKey, seal, unseal
from annotator.sign_in.second_step import GIVEN, has_factor
from annotator.views.account import this_session
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422
# The secret of a phone that is being set up, until the phone has shown that it knows it.
OFFERED = "offered_factor"


@require_http_methods(["GET", "HEAD", "POST"])
def second_factor(request: SignedInRequest) -> HttpResponse:
    """Show the second factor, or the way to one; a POST ends the way with a code of the phone."""
    if has_factor(request.user):
        return _page(request)
    secret = _offered(request)
    if request.method != "POST":
        return _set_up_page(request, secret, CodeForm())

    def finish(code: str) -> list[str]:
        return set_up_factor(user=request.user, secret=secret, code=code)

    def shown(form: CodeForm, status: int) -> HttpResponse:
        return _set_up_page(request, secret, form, status)

    answer = _with_code(request, finish, shown)
    if answer.status_code < 400:
        del request.session[OFFERED]
        request.session[GIVEN] = True
        # Where else the person is signed in, no code was asked for.
        end_sessions(user=request.user, by=request.user, keep=this_session(request))
    return answer


def _offered(request: SignedInRequest) -> str:
    """Return the secret that this session was shown, or a new one; it is kept sealed."""
    owner = str(request.user.pk)
    try:
        return unseal(request.session.get(OFFERED, ""), owner=owner)
    except WrongKey:
        secret = new_secret()
        request.session[OFFERED] = seal(secret, owner=owner)
        return secret


@require_POST
def new_codes(request: SignedInRequest) -> HttpResponse:
    """Show new recovery codes, once, in the place of the old ones."""
    return _with_code(
        request, lambda code: renew_codes(user=request.user, code=code), _again(request)
    )


@require_POST
def remove(request: SignedInRequest) -> HttpResponse:
    """Take the second factor away, where none is required."""

    def take_away(code: str) -> None:
        remove_factor(user=request.user, code=code)

    return _with_code(request, take_away, _again(request))


def _with_code(
    request: SignedInRequest,
    act: Callable[[str], list[str] | None],
    shown: Callable[[CodeForm, int], HttpResponse],
) -> HttpResponse:
    """Do what a code is asked for; show the recovery codes that come of it, or what is wrong."""
    form = CodeForm(request.POST)
    if not form.is_valid():
        return shown(form, UNPROCESSABLE)
    try:
        codes = act(form.cleaned_data["code"])
    except OutOfDate as refusal:
        messages.error(request, refusal.sentence)
        return SeeOther(resolve_url("annotator:account_second_factor"))
    except Refused as refusal:
        form.take_refusal(refusal)
        return shown(form, refusal.status)
    if codes is None:
        messages.success(request, "The second factor is taken away.")
        return SeeOther(resolve_url("annotator:account"))
    return render(request, "annotator/recovery_codes.html", {"codes": codes})


def _again(request: SignedInRequest) -> Callable[[CodeForm, int], HttpResponse]:
    return lambda form, status: _page(request, form, status)


def _page(
    request: SignedInRequest, form: CodeForm | None = None, status: int = 200
) -> HttpResponse:
    if not has_factor(request.user):
        return SeeOther(resolve_url("annotator:account_second_factor"))
    context: dict[str, Any] = {
        "form": form or CodeForm(),
        "codes_left": request.user.recovery_codes.count(),
        "since": request.user.second_factor.confirmed_at,
        "is_required": settings.REQUIRE_SECOND_FACTOR,
    }
    return render(request, "annotator/account_second_factor.html", context, status=status)


def _set_up_page(
    request: SignedInRequest, secret: str, form: CodeForm, status: int = 200
) -> HttpResponse:
    form.fields["code"].help_text = "The six digits that the app shows."
    drawn = segno.make(address_of(secret, request.user), error="m", micro=False)
    picture = drawn.svg_inline(scale=4, dark="#000", light="#fff", border=3)
    context = {
        "form": form,
        # Drawn from our own words: shapes without any text.
        "picture": mark_safe(picture),  # noqa: S308
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "is_required": settings.REQUIRE_SECOND_FACTOR,
    }
    return render(request, "annotator/set_up_second_factor.html", context, status=status)
