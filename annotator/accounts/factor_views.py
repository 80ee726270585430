"""The page of one's second factors: an app, passkeys, recovery codes."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pyotp
import segno
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest
from annotator.access.second_step import GIVEN, has_factor
from annotator.accounts.endings import about_removing_factor
from annotator.accounts.forms import CodeForm, PasskeyForm
from annotator.accounts.passkeys import (
    ANSWER,
    FACTOR,
    WANTED,
    add_passkey,
    answered,
    asked_of,
    asked_to_make,
    here,
    problem_here,
    usable_passkeys,
)
from annotator.accounts.providers import Fresh, Purpose, leave_for, signs_at
from annotator.accounts.second_factor import (
    address_of,
    app_of,
    is_last,
    refuse_required,
    remove_factor,
    renew_codes,
    set_up_factor,
)
from annotator.accounts.services import WRONG_SENTENCE, confirm_password
from annotator.accounts.sessions import end_sessions
from annotator.accounts.sign_in import describe_device
from annotator.accounts.views import this_session
from annotator.models import Passkey
from annotator.sealing import WrongKey, seal, unseal
from core.confirmation import ask, is_confirmed
from core.errors import Refused
from core.forms import RefusableForm
from core.http import SeeOther

PAGE = "annotator:account_second_factor"
# The secret of a phone that is being set up, until the phone has shown that it knows it.
OFFERED = "offered_factor"


@require_http_methods(["GET", "HEAD", "POST"])
def second_factor(request: SignedInRequest) -> HttpResponse:
    """Show the second factors; a POST sets an app up by a code of the phone."""
    form = _code_form("app", request.POST if request.method == "POST" else None)
    user = request.user
    if form.is_valid() and app_of(user) is None:
        with form.refusals():
            code, secret = form.cleaned_data["code"], _offered(request)
            is_first = not has_factor(user)
            codes = set_up_factor(user=user, secret=secret, code=code)
            del request.session[OFFERED]
            return _set_up(request, "The app is set up.", codes, is_first=is_first)
    return _page(request, app=form)


def _set_up(
    request: SignedInRequest, done: str, codes: list[str], *, is_first: bool
) -> HttpResponse:
    if not is_first:
        messages.success(request, done)
        return SeeOther(resolve_url(PAGE))
    request.session[GIVEN] = True
    # Where else the person is signed in, no second factor was asked for.
    end_sessions(user=request.user, by=request.user, keep=this_session(request))
    return _codes_page(request, codes)


@require_POST
def new_codes(request: SignedInRequest) -> HttpResponse:
    """Show new recovery codes, once, in the place of the old ones, for a code or a passkey."""
    form, sent = _code_form("codes", request.POST), request.POST
    if not has_factor(request.user):
        return SeeOther(resolve_url(PAGE))
    if ANSWER not in sent and WANTED not in sent and not form.is_valid():
        return _page(request, codes=form)
    with form.refusals():
        if ANSWER in sent:
            answered(request, FACTOR, request.user)
            code: str | Fresh = Fresh(request.user)
        elif WANTED in sent:
            asked = asked_of(request, FACTOR, request.user)
            return ask_passkey(request, asked, "makes new recovery codes.", back=PAGE)
        else:
            code = form.cleaned_data["code"]
        return _codes_page(request, renew_codes(user=request.user, code=code))
    return _page(request, codes=form)


@require_POST
def remove_app(request: SignedInRequest) -> HttpResponse:
    """Remove the app, once confirmed, for one of its codes."""
    if app_of(request.user) is None:
        return SeeOther(resolve_url(PAGE))
    return _remove(request, None)


@require_POST
def remove_passkey(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Remove a passkey, once confirmed; somebody else's is not found."""
    return _remove(request, get_object_or_404(request.user.passkeys, pk=pk))


def _remove(request: SignedInRequest, passkey: Passkey | None) -> HttpResponse:
    user = request.user
    try:
        refuse_required(user, passkey)
    except Refused as refusal:
        messages.error(request, refusal.sentence)
        return _page(request, status=refusal.status)
    needs_code = passkey is None or is_last(user, passkey)
    form: RefusableForm = CodeForm() if needs_code else RefusableForm()
    if is_confirmed(request):
        form = type(form)(request.POST)
        if form.is_valid():
            with form.refusals():
                code = form.cleaned_data.get("code", "")
                remove_factor(user=user, passkey=passkey, code=code)
                done = "The passkey is removed here; delete it on your device, too."
                messages.success(request, done if passkey else "The app is removed.")
                return SeeOther(resolve_url(PAGE))
    about = about_removing_factor(passkey, is_last=is_last(user, passkey))
    return ask(request, about, form)


@require_POST
def passkeys(request: SignedInRequest) -> HttpResponse:
    """Have the browser make a passkey, for the password; its answer is stored.

    Who gives no password here is sent to their provider first.
    """
    if ANSWER in request.POST:
        return _store(request)
    user = request.user
    form = PasskeyForm(user, request.POST)
    if form.is_valid():
        with form.refusals():
            name = form.cleaned_data["name"]
            if provider := signs_at(user):
                return leave_for(request, provider, Purpose.PASSKEY, sent={"name": name})
            if not confirm_password(user, form.cleaned_data["password"]):
                raise Refused.at("password", WRONG_SENTENCE)
            return _offer(request, name)
    return _page(request, passkey=form)


def _offer(request: SignedInRequest, name: str) -> HttpResponse:
    asked = asked_to_make(request, request.user, name)
    action = resolve_url("annotator:account_second_factor_passkeys")
    return ask_passkey(request, asked, "", back=PAGE, action=action)


def passkey_at_provider(
    request: SignedInRequest, sent: Mapping[str, Any], fresh: Fresh
) -> HttpResponse:
    """Have the browser make a passkey for who has just signed in anew at their provider."""
    assert fresh.user == request.user
    return _offer(request, sent["name"])


def _store(request: SignedInRequest) -> HttpResponse:
    user = request.user
    is_first = not has_factor(user)
    try:
        row, codes = add_passkey(request, user)
    except Refused as refusal:
        messages.error(request, refusal.sentence)
        return _page(request, status=refusal.status)
    return _set_up(request, f"The passkey {row.name} is stored.", codes, is_first=is_first)


def ask_passkey(
    request: HttpRequest,
    asked: str,
    does: str,
    *,
    back: str,
    action: str = "",
) -> HttpResponse:
    """Answer with the page whose script has an authenticator do what it is asked.

    `does` says what the passkey does then, and is empty where one is made. The answer goes to
    `action`, or else to where the request came.
    """
    context = {
        "asked": asked,
        "does": does,
        "back": back,
        "action": action or request.path,
    }
    return render(request, "annotator/accounts/use_passkey.html", context)


def _codes_page(request: SignedInRequest, codes: list[str]) -> HttpResponse:
    return render(request, "annotator/accounts/recovery_codes.html", {"codes": codes})


def _page(
    request: SignedInRequest,
    *,
    app: CodeForm | None = None,
    codes: CodeForm | None = None,
    passkey: PasskeyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the page; `app`, `codes` and `passkey` are the forms as they were sent."""
    user = request.user
    factor = app_of(user)
    device = describe_device(request.headers.get("User-Agent", ""))
    app, codes = app or _code_form("app"), codes or _code_form("codes")
    passkey = passkey or PasskeyForm(user, initial={"name": device})
    app.fields["code"].help_text = "The six digits that the app shows."
    if has_factor(user):
        for form in (app, codes):
            del form.fields["code"].widget.attrs["autofocus"]
    shown: tuple[RefusableForm, ...] = (app, codes, passkey)
    for one in shown:
        one.focus_error()
    context = {
        "since": factor and factor.confirmed_at,
        "app": app,
        "codes": codes,
        "codes_left": user.recovery_codes.count(),
        "passkey": passkey,
        **_passkeys_of(request),
        "signs_at": signs_at(user),
        "has_factor": has_factor(user),
        "is_required": settings.REQUIRE_SECOND_FACTOR,
    }
    if factor is None:
        context |= _offer_of_app(request)
    status = max(status, *(one.status for one in shown))
    template = "annotator/accounts/account_second_factor.html"
    return render(request, template, context, status=status)


def _passkeys_of(request: SignedInRequest) -> dict[str, Any]:
    user = request.user
    return {
        "passkeys": user.passkeys.order_by("made_at"),
        "usable": usable_passkeys(request, user).exists(),
        "rp_id": here(request).rp_id,
        "problem": problem_here(request),
    }


def _code_form(name: str, sent: Mapping[str, Any] | None = None) -> CodeForm:
    """Return a form for a code; the page has two, whose fields are told apart by the name."""
    return CodeForm(sent, auto_id=f"{name}_%s")


def _offer_of_app(request: SignedInRequest) -> dict[str, str]:
    secret = _offered(request)
    drawn = segno.make(address_of(secret, request.user), error="m", micro=False)
    picture = drawn.svg_inline(scale=4, dark="#000", light="#fff", border=3)
    return {
        # Drawn from our own text: shapes without any text.
        "picture": mark_safe(picture),  # noqa: S308
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
    }


def _offered(request: SignedInRequest) -> str:
    """Return the secret that this session was shown, or a new one; it is stored sealed."""
    owner = str(request.user.pk)
    try:
        return unseal(request.session.get(OFFERED, ""), owner=owner)
    except WrongKey:
        secret = pyotp.random_base32()
        request.session[OFFERED] = seal(secret, owner=owner)
        return secret
