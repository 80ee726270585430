"""One's own account: sessions, password, tokens."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest
from annotator.accounts.endings import about_ending_others, about_revoking
from annotator.accounts.forms import NewPasswordForm, TimeZoneForm, TokenForm
from annotator.accounts.providers import Fresh, Purpose, leave_for, own_providers, signs_at
from annotator.accounts.queries import own_pending_roles, own_sessions, own_tokens
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
    revoke_token,
)
from core.confirmation import ask, is_confirmed
from core.errors import Refused
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
        "pending_roles": own_pending_roles(user),
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
            return _made(request, form)
    return _tokens_page(request, form)


def token_at_provider(
    request: SignedInRequest, sent: Mapping[str, Any], fresh: Fresh
) -> HttpResponse:
    """Make the token that was asked for, and show it, for who has just signed in anew."""
    form = TokenForm(fresh.user, sent)
    if form.is_valid():
        with form.refusals():
            return _made(request, form)
    return _tokens_page(request, form)


def _made(request: SignedInRequest, form: TokenForm) -> HttpResponse:
    sent, user = form.cleaned_data, request.user
    given = {"scope": sent["scope"], "days": sent["days"], "campaign": form.chosen}
    return _tokens_page(request, TokenForm(user), create_token(user=user, **given).token)


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
