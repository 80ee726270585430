"""Passkeys: what a session has asked a browser, and whether the answer is its owner's.

What was asked lies in the session: an answer counts only in the browser that was asked, once,
within five minutes, for what it was asked for (docs/adr/0040).
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from annotator import audit_log
from annotator.accounts.second_factor import OF_CODES, TOO_MANY, first_codes
from annotator.accounts.services import OF_SIGNATURES
from annotator.models import Passkey, User
from annotator.rate_limits import RateLimit, give_back, take_or_refuse
from core.clock import database_now
from core.errors import OutOfDate, Refused
from core.webauthn import (
    LASTS_SECONDS,
    BadAnswer,
    Key,
    NotVerified,
    Place,
    Use,
    ask_to_make,
    ask_to_use,
    digest_named,
    made,
    place_of,
    problem_at,
    used,
)

# The field that holds an answer, and the button that asks for one.
ANSWER: Final = "passkey"
WANTED: Final = "use_passkey"
QUESTION: Final = "passkey_question"
MOST_PASSKEYS: Final = 20
MAKE: Final = "make"
OLD: Final = (
    "The passkey was asked for in another browser or tab, was used already, or took more than five "
    "minutes. Begin again."
)
WRONG: Final = (
    "This passkey is not one of this account, was removed here, or answered another page. Begin "
    "again, or use another way."
)
UNVERIFIED: Final = (
    "This passkey did not ask who you are. Set a PIN, a fingerprint or a face for it, or use "
    "another way."
)
CLONED: Final = (
    "This passkey was refused: it counts its uses, and counted fewer than before. Somebody may "
    "have copied it. Use another way, remove this passkey, and speak to a site admin."
)
DEACTIVATED: Final = "Your account here is deactivated. Ask a site admin."


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a passkey is used for; with `is_verified` a PIN, a finger or a face is needed.

    `limit` counts answers that were wrong, and `refused` is the act that each leaves.
    """

    name: str
    limit: RateLimit
    too_many: str
    refused: str
    is_verified: bool = True


# The password came before, or the session.
FACTOR: Final = Purpose(
    "second factor", OF_CODES, TOO_MANY, "second_factor.refused", is_verified=False
)
RULINGS: Final = Purpose(
    "sign rulings",
    OF_SIGNATURES,
    "Signing was refused too many times; nothing was stored. Try again in",
    "signature.refused",
)


def here(request: HttpRequest) -> Place:
    """Return where passkeys of this site count: at SITE_URL, or else where this request came."""
    return place_of(settings.SITE_URL or f"{request.scheme}://{request.get_host()}")


def problem_here(request: HttpRequest) -> str:
    """Return why this page can use no passkeys, as a sentence; "" where it can."""
    place, asked = here(request), place_of(f"{request.scheme}://{request.get_host()}")
    if place.origin != asked.origin:
        return f"Passkeys of this site are used at {place.origin}: open it there."
    return problem_at(place)


def usable_passkeys(request: HttpRequest, user: User) -> QuerySet[Passkey]:
    """Return the passkeys of a person that this page can use."""
    rows = user.passkeys.filter(rp_id=here(request).rp_id)
    return rows.none() if problem_here(request) else rows


def asked_of(
    request: HttpRequest,
    purpose: Purpose,
    owner: User,
    sent: Mapping[str, Any] | None = None,
) -> str:
    """Return what the browser is to ask an authenticator of this person, as JSON.

    `sent` is what is done once the answer is right. Refused where no passkey can be used here.
    """
    if problem := problem_here(request):
        raise Refused(problem)
    keys = list(usable_passkeys(request, owner).values_list("credential", flat=True))
    if not keys:
        raise Refused("You have no passkey for this address of the site.")
    challenge = _ask(request, purpose.name, sent or {})
    wish = ask_to_use(here(request), challenge, keys=keys, is_verified=purpose.is_verified)
    return json.dumps(wish["publicKey"])


def asked_to_make(request: HttpRequest, user: User, name: str) -> str:
    """Return what the browser is to ask an authenticator to make, as JSON; Refused as above."""
    if problem := problem_here(request):
        raise Refused(problem)
    known = list(user.passkeys.values_list("credential", flat=True))
    if len(known) >= MOST_PASSKEYS:
        raise Refused(f"{MOST_PASSKEYS} passkeys are enough; remove one first.")
    challenge = _ask(request, MAKE, {"name": name})
    wish = ask_to_make(
        here(request), challenge, user_id=user.pk.bytes, name=user.username, known=known
    )
    return json.dumps(wish["publicKey"])


def _ask(request: HttpRequest, purpose: str, sent: Mapping[str, Any]) -> str:
    challenge = secrets.token_urlsafe(32)
    request.session[QUESTION] = {
        "purpose": purpose,
        "challenge": challenge,
        "asked_at": database_now().isoformat(),
        "sent": dict(sent),
    }
    return challenge


@dataclass(frozen=True, slots=True)
class Asked:
    """What this session asked, taken out of it."""

    challenge: str
    asked_at: datetime
    sent: Mapping[str, Any]


def take_asked(request: HttpRequest, purpose: str) -> Asked:
    """Return what this session asked for, this once; Refused where it did not, or long ago."""
    found = request.session.pop(QUESTION, None)
    if found is None or found["purpose"] != purpose:
        raise Refused(OLD)
    asked_at = datetime.fromisoformat(found["asked_at"])
    if asked_at + timedelta(seconds=LASTS_SECONDS) <= database_now():
        raise Refused(OLD)
    return Asked(found["challenge"], asked_at, found["sent"])


def answered(request: HttpRequest, purpose: Purpose, owner: User) -> Mapping[str, Any]:
    """Return what was sent along with a question; Refused, on record, where the answer is wrong.

    To be called outside of a transaction, which a refusal would undo with its count and its act.
    """
    asked = take_asked(request, purpose.name)
    limits = [(purpose.limit, str(owner.pk))]
    take_or_refuse(limits, purpose.too_many)
    rows = Passkey.objects.filter(rp_id=here(request).rp_id).select_related("user")
    try:
        answer = request.POST.get(ANSWER, "")
        row = _row_of(rows.filter(user=owner), answer)
        _use(row, _checked(request, purpose, row, asked, answer), asked.asked_at)
        if not row.user.is_active:
            raise Refused(DEACTIVATED)
    except Refused:
        audit_log.record(
            action=purpose.refused,
            actor=request.user if isinstance(request.user, User) else None,
            object_type="user",
            object_id=owner.pk,
        )
        raise
    give_back(limits)
    return asked.sent


def _row_of(rows: QuerySet[Passkey], answer: str) -> Passkey:
    try:
        row = rows.filter(credential_sha256=digest_named(answer)).first()
    except BadAnswer as error:
        raise Refused(WRONG) from error
    if row is None:
        raise Refused(WRONG)
    return row


def _checked(
    request: HttpRequest, purpose: Purpose, row: Passkey, asked: Asked, answer: str
) -> Use:
    try:
        found = used(
            here(request),
            asked.challenge,
            answer,
            key=row.credential,
            user_id=row.user.pk.bytes,
            is_verified=purpose.is_verified,
        )
    except NotVerified as error:
        raise Refused(UNVERIFIED) from error
    except BadAnswer as error:
        raise Refused(WRONG) from error
    if found.is_backup_eligible != row.is_backup_eligible:
        raise Refused(WRONG)  # of a key it never changes
    return found


def _use(row: Passkey, use: Use, asked_at: datetime) -> None:
    """Note a use: of two answers to one challenge at one moment, one is let in."""
    newer = Passkey.objects.filter(pk=row.pk, asked_at__lt=asked_at)
    # Those that do not count send 0 each time.
    grown = Q(sign_count__lt=use.sign_count) if use.sign_count else Q(sign_count=0)
    if newer.filter(grown).update(
        sign_count=use.sign_count,
        is_backed_up=use.is_backed_up,
        used_at=database_now(),
        asked_at=asked_at,
    ):
        return
    if not newer.exists():
        raise Refused(OLD)
    audit_log.record_on(row, "passkey.cloned", None, user=str(row.user_id))
    raise Refused(CLONED)


def add_passkey(request: HttpRequest, user: User) -> tuple[Passkey, list[str]]:
    """Store the passkey that a browser made as it was asked; return the recovery codes, once.

    There are codes where it is the first second factor. Refused with what is wrong.
    """
    asked = take_asked(request, MAKE)
    place = here(request)
    try:
        key = made(place, asked.challenge, request.POST.get(ANSWER, ""))
    except BadAnswer as error:
        raise Refused("The browser made no passkey for this page. Begin again.") from error
    name = asked.sent["name"]
    return store_passkey(user=user, name=name, place=place, key=key, asked_at=asked.asked_at)


@transaction.atomic
def store_passkey(
    *, user: User, name: str, place: Place, key: Key, asked_at: datetime
) -> tuple[Passkey, list[str]]:
    """Store a passkey of a person; Refused where it is stored already."""
    codes = first_codes(user)
    try:
        with transaction.atomic():
            row = Passkey.objects.create(
                user=user,
                name=name,
                rp_id=place.rp_id,
                credential_sha256=key.digest,
                credential=key.credential,
                sign_count=key.sign_count,
                is_backup_eligible=key.is_backup_eligible,
                is_backed_up=key.is_backed_up,
                asked_at=asked_at,
            )
    except IntegrityError as error:
        raise OutOfDate("This passkey is stored already.") from error
    audit_log.record_on(row, "passkey.added", user, user=str(user.pk))
    return row, codes
