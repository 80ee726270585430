"""One's own account: sessions, password, tokens, second factor."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest
from annotator.access.second_step import GIVEN, has_factor
from annotator.accounts.endings import about_ending_others, about_revoking
from annotator.accounts.forms import CodeForm, NewPasswordForm, TimeZoneForm, TokenForm
from annotator.accounts.providers import Fresh, Purpose, leave_for, own_providers, signs_at
from annotator.accounts.queries import own_sessions, own_tokens
from annotator.accounts.second_factor import (
    address_of,
    new_secret,
    remove_factor,
    renew_codes,
    set_up_factor,
)
from annotator.accounts.services import (
    WRONG_SENTENCE,
    change_password,
    confirm_password,
    set_time_zone,
)
from annotator.accounts.sessions import (
    create_token,
    end_access,
    end_session,
    end_sessions,
    revoke_token,
)
from annotator.models import User
from annotator.sealing import WrongKey, seal, unseal
from core.confirmation import ask, is_confirmed
from core.errors import OutOfDate, Refused
from core.http import SeeOther, missing_is_404


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedInRequest) -> HttpResponse:
    """Show where the person is signed in, and the time zone; a POST sets it."""
    user, this = request.user, this_session(request)
    sent = request.POST if request.method == "POST" else None
    form = TimeZoneForm(sent, initial={"time_zone": user.time_zone})
    if form.is_valid():
        set_time_zone(user=user, name=form.cleaned_data["time_zone"])
        messages.success(request, "Times are shown in this zone now.")
        return SeeOther(resolve_url("annotator:account"))
    form.focus_error()
    providers = own_providers(user)
    context = {
        "form": form,
        "sessions": own_sessions(user, this),
        "this": this,
        "providers": providers,
        "can_link": any(not linked for _, linked in providers),
        "signs_at": signs_at(user),
    }
    return render(request, "annotator/accounts/account.html", context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def password(request: SignedInRequest) -> HttpResponse:
    """Change the password, which ends every other session and every token."""
    form = NewPasswordForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        user, sent, this = request.user, form.cleaned_data, this_session(request)
        with form.refusals():
            ended = change_password(user=user, current=sent["current"], new=sent["new"], keep=this)
            update_session_auth_hash(request, request.user)
            said = f"Your password is changed. Everywhere else you are signed out. {ended.sentence}"
            messages.success(request, said)
            return SeeOther(resolve_url("annotator:account"))
    form.focus_error()
    context = {"form": form}
    return render(request, "annotator/accounts/account_password.html", context, status=form.status)


@require_POST
def end_others(request: SignedInRequest) -> HttpResponse:
    """End every session but this one, and every token, once confirmed."""
    this = this_session(request)
    if not is_confirmed(request):
        return ask(request, about_ending_others(request.user, this))
    ended = end_access(user=request.user, by=request.user, keep=this)
    messages.success(request, f"Other s{ended.sentence[1:]}")
    return SeeOther(resolve_url("annotator:account"))


@require_POST
def end_one(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """End one session; somebody else's is not found."""
    with missing_is_404(missing=Refused):
        end_session(user=request.user, session_id=pk)
    messages.success(request, "Session ended.")
    return SeeOther(resolve_url("annotator:account"))


def this_session(request: SignedInRequest) -> UUID | None:
    """Return the id of the session that this request came with."""
    row = getattr(request.session, "row", None)
    return row.id if row is not None else None


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: SignedInRequest) -> HttpResponse:
    """List the tokens; a POST makes one and shows it, this once.

    Who gives no password here is sent to their provider first.
    """
    user = request.user
    form = TokenForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with form.refusals():
            if provider := signs_at(user):
                sent = {name: form.typed(name) for name in form.fields}
                return leave_for(request, provider, Purpose.TOKEN, sent=sent)
            if not confirm_password(user, form.cleaned_data["password"]):
                raise Refused.at("password", WRONG_SENTENCE)
            return _tokens_page(request, TokenForm(user), _made(user, form))
    return _tokens_page(request, form)


def token_at_provider(
    request: SignedInRequest, sent: Mapping[str, Any], fresh: Fresh
) -> HttpResponse:
    """Make the token that was asked for, and show it, for who has just signed in anew."""
    form = TokenForm(fresh.user, sent)
    if form.is_valid():
        with form.refusals():
            return _tokens_page(request, TokenForm(fresh.user), _made(fresh.user, form))
    return _tokens_page(request, form)


def _made(user: User, form: TokenForm) -> str:
    sent = form.cleaned_data
    given = {"scope": sent["scope"], "days": sent["days"], "campaign": form.chosen}
    return create_token(user=user, **given).token


def _tokens_page(request: SignedInRequest, form: TokenForm, token: str = "") -> HttpResponse:
    form.focus_error()
    user = request.user
    context = {
        "form": form,
        "tokens": own_tokens(user),
        "token": token,
        "signs_at": signs_at(user),
    }
    return render(request, "annotator/accounts/account_tokens.html", context, status=form.status)


@require_POST
def revoke(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Revoke a token, once confirmed; somebody else's is not found."""
    if own_tokens(request.user).filter(pk=pk).exists() and not is_confirmed(request):
        return ask(request, about_revoking())
    with missing_is_404(missing=Refused):
        revoke_token(user=request.user, token_id=pk)
    messages.success(request, "Token revoked.")
    return SeeOther(resolve_url("annotator:account_tokens"))


# The secret of a phone that is being set up, until the phone has shown that it knows it.
OFFERED = "offered_factor"


@require_http_methods(["GET", "HEAD", "POST"])
def second_factor(request: SignedInRequest) -> HttpResponse:
    """Show the second factor, or the way to one; a POST ends the way with a code of the phone."""
    if has_factor(request.user):
        return _second_factor_page(request, CodeForm())
    secret = _offered(request)
    if request.method != "POST":
        return _set_up_page(request, secret, CodeForm())

    def finish(code: str) -> list[str]:
        return set_up_factor(user=request.user, secret=secret, code=code)

    answer = _with_code(request, finish, lambda form: _set_up_page(request, secret, form))
    if answer.status_code < 400:
        del request.session[OFFERED]
        request.session[GIVEN] = True
        # Where else the person is signed in, no code was asked for.
        end_sessions(user=request.user, by=request.user, keep=this_session(request))
    return answer


def _offered(request: SignedInRequest) -> str:
    """Return the secret that this session was shown, or a new one; it is stored sealed."""
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
    return _with_code(request, lambda code: renew_codes(user=request.user, code=code))


@require_POST
def remove(request: SignedInRequest) -> HttpResponse:
    """Remove the second factor, where none is required."""

    def take_away(code: str) -> None:
        remove_factor(user=request.user, code=code)

    return _with_code(request, take_away)


def _with_code(
    request: SignedInRequest,
    act: Callable[[str], list[str] | None],
    shown: Callable[[CodeForm], HttpResponse] | None = None,
) -> HttpResponse:
    """Do what a code is asked for; show the recovery codes that come of it, or what is wrong."""
    form = CodeForm(request.POST)
    if form.is_valid():
        with form.refusals():
            try:
                codes = act(form.cleaned_data["code"])
            except OutOfDate as refusal:
                messages.error(request, refusal.sentence)
                return SeeOther(resolve_url("annotator:account_second_factor"))
            if codes is None:
                messages.success(request, "The second factor is removed.")
                return SeeOther(resolve_url("annotator:account"))
            return render(request, "annotator/accounts/recovery_codes.html", {"codes": codes})
    return shown(form) if shown else _second_factor_page(request, form)


def _second_factor_page(request: SignedInRequest, form: CodeForm) -> HttpResponse:
    if not has_factor(request.user):
        return SeeOther(resolve_url("annotator:account_second_factor"))
    context = {
        "form": form,
        "codes_left": request.user.recovery_codes.count(),
        "since": request.user.second_factor.confirmed_at,
        "is_required": settings.REQUIRE_SECOND_FACTOR,
    }
    template = "annotator/accounts/account_second_factor.html"
    return render(request, template, context, status=form.status)


def _set_up_page(request: SignedInRequest, secret: str, form: CodeForm) -> HttpResponse:
    form.fields["code"].help_text = "The six digits that the app shows."
    drawn = segno.make(address_of(secret, request.user), error="m", micro=False)
    picture = drawn.svg_inline(scale=4, dark="#000", light="#fff", border=3)
    context = {
        "form": form,
        # Drawn from our own text: shapes without any text.
        "picture": mark_safe(picture),  # noqa: S308
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "is_required": settings.REQUIRE_SECOND_FACTOR,
    }
    template = "annotator/accounts/set_up_second_factor.html"
    return render(request, template, context, status=form.status)
