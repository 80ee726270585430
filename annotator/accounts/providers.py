"""Sign-in at a provider: what a session has asked, the way there, and what came back is checked.

What was asked lies in the session, by the state that goes along: an answer counts only in the
browser that asked, once, within ten minutes, from the provider that was asked (docs/adr/0039).
"""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url

from annotator.accounts.names import name_problem
from annotator.accounts.sign_in import client_address, network_of
from annotator.models import Identity, User
from annotator.rate_limits import RateLimit, take_or_refuse
from core.clock import database_now
from core.errors import Refused
from core.oidc.client import (
    Budget,
    ProviderDown,
    ProviderRefused,
    Tokens,
    published,
    tokens_for_code,
    user_info,
)
from core.oidc.settings import Provider
from core.oidc.tokens import BadToken, check_fresh, groups_of, read_id_token

QUESTIONS: Final = "provider_questions"
# Of several tabs each has one; the oldest gives way.
MOST_QUESTIONS: Final = 5
LASTS_SECONDS: Final = 600
# Characters of unsent forms that one session stores, because anybody can begin a sign-in.
MOST_RESUBMITTED: Final = 150_000
OF_ADDRESS: Final = RateLimit("provider sign-in address", 60, 1)
OLD: Final = (
    "This sign-in was begun in another browser, was ended already, or took more than ten minutes. "
    "Begin again."
)


class Purpose:
    """What a person goes to the provider for."""

    SIGN_IN: Final = "sign in"
    LINK: Final = "link"
    RULINGS: Final = "sign rulings"
    TOKEN: Final = "make a token"  # noqa: S105
    PASSKEY: Final = "make a passkey"


FRESH: Final = frozenset({Purpose.RULINGS, Purpose.TOKEN, Purpose.PASSKEY})


@dataclass(frozen=True, slots=True)
class Question:
    """What a session asked a provider; `sent` is what is done once the answer is right."""

    provider: str
    purpose: str
    nonce: str
    verifier: str
    asked_at: int
    target: str = ""
    invitation: str = ""
    resubmitted: str = field(default="", repr=False)
    sent: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Person:
    """Who the provider says has signed in; `groups` are None where it does not say."""

    provider: Provider
    subject: str
    name: str
    address: str
    groups: tuple[str, ...] | None
    session: str


@dataclass(frozen=True, slots=True)
class Fresh:
    """Stands for what a person types, where their provider or passkey has just vouched for them."""

    user: User


def provider_named(name: str) -> Provider | None:
    """Return the provider of the settings with this name."""
    return next((one for one in settings.OIDC_PROVIDERS if one.name == name), None)


def provider_of(issuer: str) -> Provider | None:
    """Return the provider of the settings with this issuer."""
    return next((one for one in settings.OIDC_PROVIDERS if one.issuer == issuer), None)


def may_use_password(user: User) -> bool:
    """Return whether the account signs in with a password here, or passwords are switched off."""
    return settings.EMERGENCY_ACCOUNT in (None, user.username)


def signs_at(user: User) -> Provider | None:
    """Return the provider that is asked where others give their password; None for a password."""
    if not settings.OIDC_PROVIDERS or (user.has_usable_password() and may_use_password(user)):
        return None
    rows = user.identities.order_by("-signed_in_at")
    issuers = rows.values_list("issuer", flat=True)
    return next(filter(None, map(provider_of, issuers)), None)


def own_providers(user: User) -> list[tuple[Provider, list[Identity]]]:
    """Return the providers of the settings, and who the person is there."""
    if not settings.OIDC_PROVIDERS:
        return []
    linked = list(user.identities.order_by("made_at"))
    return [
        (provider, [row for row in linked if row.issuer == provider.issuer])
        for provider in settings.OIDC_PROVIDERS
    ]


def redirect_uri(request: HttpRequest, provider: Provider) -> str:
    """Return the address that the provider sends people back to; it has to know it."""
    return request.build_absolute_uri(resolve_url("annotator:provider_back", provider.name))


def leave_for(request: HttpRequest, provider: Provider, purpose: str, **more: Any) -> HttpResponse:
    """Send the browser to the provider; Refused where it does not answer or too many ask.

    `more` is what else the Question holds. A page leads there, as browsers would apply
    `form-action` to the redirect of a form.
    """
    sentence = "Too many sign-ins were begun from here. Nothing is locked: try again in"
    take_or_refuse([(OF_ADDRESS, network_of(client_address(request)))], sentence)
    try:
        place = published(provider, Budget()).authorization
    except ProviderDown as error:
        raise Refused(down_sentence(provider, error)) from error
    now, state = int(database_now().timestamp()), secrets.token_urlsafe(32)
    question = Question(
        provider=provider.name,
        purpose=purpose,
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(48),
        asked_at=now,
        **more,
    )
    asked = {key: row for key, row in _asked(request).items() if row["asked_at"] > _oldest(now)}
    latest = sorted(asked, key=lambda key: asked[key]["asked_at"])[-(MOST_QUESTIONS - 1) :]
    kept = {key: asked[key] for key in latest} | {state: asdict(question)}
    if sum(len(row["resubmitted"]) for row in kept.values()) > MOST_RESUBMITTED:
        raise Refused(
            f"What you typed is too long to be kept while you sign in at {provider.label}. Your "
            "browser's back button still shows it: copy it, then sign in."
        )
    request.session[QUESTIONS] = kept
    wish = {
        **dict(provider.parameters),
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": redirect_uri(request, provider),
        "scope": provider.scopes,
        "state": state,
        "nonce": question.nonce,
        "code_challenge": _challenge(question.verifier),
        "code_challenge_method": "S256",
    }
    if purpose in FRESH:
        # Some say when only where the claim is named, too.
        claims = '{"id_token":{"auth_time":{"essential":true}}}'
        wish |= {"prompt": "login", "max_age": "0", "claims": claims}
    url = f"{place}{'&' if '?' in place else '?'}{urlencode(wish)}"
    response = render(request, "annotator/site/leave.html", {"provider": provider, "url": url})
    response["Refresh"] = f"0;url={url}"
    return response


def down_sentence(provider: Provider, error: ProviderDown) -> str:
    """Return what a person reads while the provider does not answer."""
    return (
        f"{provider.label} cannot be reached at the moment ({error}). Nothing is lost: try again "
        "in a minute, or ask a site admin."
    )


def take_question(request: HttpRequest, name: str, state: str) -> Question:
    """Return what this session asked the provider, this once; Refused where it asked nothing."""
    asked = _asked(request)
    found = asked.pop(state, None)
    if found is None:
        raise Refused(OLD)
    request.session[QUESTIONS] = asked
    question = Question(**found)
    if question.asked_at <= _oldest(int(database_now().timestamp())) or question.provider != name:
        raise Refused(OLD)
    return question


def answered(request: HttpRequest, provider: Provider, question: Question, code: str) -> Person:
    """Return who has signed in, by the code that came back; Refused with what is wrong."""
    budget, label = Budget(), provider.label
    try:
        tokens = tokens_for_code(
            provider,
            code=code,
            verifier=question.verifier,
            redirect_uri=redirect_uri(request, provider),
            budget=budget,
        )
        now = int(database_now().timestamp())
        claims = read_id_token(
            provider, tokens.id_token, nonce=question.nonce, now=now, budget=budget
        )
        if question.purpose in FRESH:
            check_fresh(claims, question.asked_at)
        claims = whole_claims(provider, claims, tokens, budget, with_name=True)
    except ProviderDown as error:
        raise Refused(down_sentence(provider, error)) from error
    except ProviderRefused as error:
        raise Refused(f"{label} did not accept this sign-in ({error}). Begin again.") from error
    except BadToken as error:
        raise Refused(f"What {label} sent is not to be believed: {error}.") from error
    if missing := [name for name, value in provider.required if str(claims.get(name)) != value]:
        raise Refused(
            f"{label} signed you in, but {', '.join(missing)} is not what this site requires. "
            "Sign in there with the account of your firm."
        )
    return Person(
        provider=provider,
        subject=str(claims["sub"]),
        name=name_of(claims),
        address=str(claims.get("email") or "")[:254],
        groups=groups_of(provider, claims),
        session=str(claims.get("sid") or ""),
    )


def whole_claims(
    provider: Provider,
    claims: dict[str, Any],
    tokens: Tokens,
    budget: Budget,
    *,
    with_name: bool = False,
) -> dict[str, Any]:
    """Return the claims; where they name no groups, with those that the provider gives elsewhere.

    `with_name` asks there for somebody without a name, too.
    """
    if groups_of(provider, claims) != () and (name_of(claims) or not with_name):
        return claims
    more = user_info(provider, tokens.access_token, budget)
    if more and more.get("sub") != claims["sub"]:
        raise BadToken("it speaks of two people")
    return more | claims


def name_of(claims: Mapping[str, Any]) -> str:
    """Return a user name made of what the provider calls the person; "" where none can be."""
    for claim in ("preferred_username", "email", "name", "nickname"):
        text = str(claims.get(claim) or "").partition("@")[0]
        name = ".".join(text.split())[:150]
        if name and not name_problem(name):
            return name
    return ""


def session_digest(provider: Provider, session: str) -> str:
    """Return what is stored of a session at the provider, and which logout tokens name."""
    return hashlib.sha256(f"{provider.issuer} {session}".encode()).hexdigest() if session else ""


def _asked(request: HttpRequest) -> dict[str, Any]:
    return dict(request.session.get(QUESTIONS, {}))


def _oldest(now: int) -> int:
    return now - LASTS_SECONDS


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
