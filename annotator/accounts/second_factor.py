"""The second factor: set up, asked for at sign-in, renewed, taken away; its secrets are sealed.

It is an app's code, a passkey (annotator/accounts/passkeys.py), or several of these; recovery codes
come with the first and go with the last.
"""

import hashlib
import hmac
import re
from typing import Final

import pyotp
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import get_random_string

from annotator import audit_log
from annotator.access.second_step import has_factor
from annotator.accounts.providers import Fresh
from annotator.accounts.sessions import Ended, end_access
from annotator.models import Passkey, RecoveryCode, SecondFactor, User
from annotator.rate_limits import RateLimit, give_back, take_or_refuse
from annotator.sealing import WrongKey, seal, unseal
from core.clock import database_now
from core.errors import OutOfDate, Refused

STEP_SECONDS: Final = 30
# A phone may be half a minute early or late; each step further is another code to guess.
STEPS_OFF: Final = (0, -1, 1)
TIMED: Final = re.compile(r"[0-9]{6}")
RECOVERY_CODES: Final = 10
# Without look-alikes; 16 of 31 signs are 79 bits, which no digest of them gives away.
ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
# Who asks has the password: three of a million codes count at a time, so 290 a day find few.
OF_CODES: Final = RateLimit("second factor", 5, 300)
TOO_MANY: Final = "Too many codes were tried. Try again in"
WRONG: Final = "This code is not right, or was used already. Type the next one that is shown."
REQUIRED: Final = (
    "This site requires a second factor, and this is your last one. Set up another one first; if "
    "it is lost, a site admin can reset it."
)
LOCKED_AWAY: Final = (
    "Codes of your phone cannot be checked: this site's secret key was changed. Use a recovery "
    "code, or ask a site admin to reset your second factor."
)


def address_of(secret: str, user: User) -> str:
    """Return what the picture holds for the phone."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name="PatClaimEval")


def set_up_factor(*, user: User, secret: str, code: str) -> list[str]:
    """Store a secret that the person's phone is shown to know; return the recovery codes, once.

    There are none where a passkey was there before.
    """
    limits = [(OF_CODES, str(user.pk))]
    take_or_refuse(limits, TOO_MANY)
    step = _step_of(secret, code)
    if step is None:
        raise Refused.at("code", WRONG)
    give_back(limits)
    with transaction.atomic():
        codes = first_codes(user)
        _, is_new = SecondFactor.objects.get_or_create(
            user=user,
            defaults={"secret": seal(secret, owner=str(user.pk)), "last_step": step},
        )
        if not is_new:
            raise OutOfDate("An app is set up already.")
        audit_log.record_on(user, "second_factor.set_up", user)
    return codes


def first_codes(user: User) -> list[str]:
    """Return new recovery codes for who has no second factor yet, and is about to have one."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    return [] if has_factor(user) else _new_codes(user)


def check_code(*, user: User, code: str) -> None:
    """Use up a code of the phone or a recovery code; Refused where it is none, or was used.

    To be called outside of a transaction, which a refusal would undo with the count.
    """
    limits = [(OF_CODES, str(user.pk))]
    take_or_refuse(limits, TOO_MANY)
    typed = "".join(code.split()).lower()
    if TIMED.fullmatch(typed):
        is_right = _use_timed(user, typed)
    else:
        recovery = RecoveryCode.objects.filter(user=user, code_sha256=_digest(user, typed))
        is_right = recovery.delete()[0] == 1
    if not is_right:
        audit_log.record_on(user, "second_factor.refused", None)
        raise Refused.at("code", WRONG)
    give_back(limits)


def renew_codes(*, user: User, code: str | Fresh) -> list[str]:
    """Return new recovery codes, once, in the place of the old ones."""
    if isinstance(code, str):
        check_code(user=user, code=code)
    with transaction.atomic():
        codes = _new_codes(user)
        audit_log.record_on(user, "second_factor.codes_renewed", user)
    return codes


def remove_factor(*, user: User, passkey: Passkey | None, code: str = "") -> None:
    """Take away one's own passkey, or the app without one; the app and the last one for a code.

    Refused for the last one where the site requires one, OutOfDate where it has gone already.
    """
    if passkey is None or is_last(user, passkey):
        refuse_required(user, passkey)
        check_code(user=user, code=code)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        refuse_required(user, passkey)
        rows = user.passkeys.filter(pk=passkey.pk) if passkey else _apps(user)
        if not rows.delete()[0]:
            raise OutOfDate("This second factor is removed already.")
        if not has_factor(user):
            RecoveryCode.objects.filter(user=user).delete()
        if passkey:
            audit_log.record_on(passkey, "passkey.removed", user, user=str(user.pk))
        else:
            audit_log.record_on(user, "second_factor.reset", user)


def is_last(user: User, passkey: Passkey | None) -> bool:
    """Return whether the person has no second factor beside this passkey, or beside the app."""
    if passkey is None:
        return not user.passkeys.exists()
    return not (_apps(user).exists() or user.passkeys.exclude(pk=passkey.pk).exists())


def refuse_required(user: User, passkey: Passkey | None) -> None:
    """Raise Refused where this is the last second factor, and the site requires one."""
    if settings.REQUIRE_SECOND_FACTOR and is_last(user, passkey):
        raise Refused(REQUIRED)


@transaction.atomic
def reset_factor(*, user: User, by: User | None) -> Ended:
    """Take away all second factors of somebody, so that they set up new ones; None is the operator.

    Ends their sessions and tokens, unless they did it themselves.
    """
    if not has_factor(user):
        raise OutOfDate(f"{user.username} has no second factor.")
    for rows in (_apps(user), user.passkeys, RecoveryCode.objects.filter(user=user)):
        rows.all().delete()
    ended = Ended(0, 0) if by == user else end_access(user=user, by=by)
    audit_log.record_on(user, "second_factor.reset", by)
    return ended


def app_of(user: User) -> SecondFactor | None:
    """Return the app that a person has set up."""
    return _apps(user).first()


def _apps(user: User) -> QuerySet[SecondFactor]:
    return SecondFactor.objects.filter(user=user)


def _use_timed(user: User, code: str) -> bool:
    row = app_of(user)
    if row is None:
        return False
    try:
        secret = unseal(row.secret, owner=str(user.pk))
    except WrongKey as error:
        raise Refused.at("code", LOCKED_AWAY) from error
    step = _step_of(secret, code)
    if step is None:
        return False
    # One statement: of two requests with one code at one moment, one is let in.
    rows = _apps(user).filter(last_step__lt=step)
    return rows.update(last_step=step) == 1


def _step_of(secret: str, code: str) -> int | None:
    now = int(database_now().timestamp()) // STEP_SECONDS
    clock = pyotp.TOTP(secret)
    typed = "".join(code.split()).encode()
    for off in STEPS_OFF:
        if hmac.compare_digest(clock.generate_otp(now + off).encode(), typed):
            return now + off
    return None


def _new_codes(user: User) -> list[str]:
    RecoveryCode.objects.filter(user=user).delete()
    codes = [get_random_string(16, ALPHABET) for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(user=user, code_sha256=_digest(user, code)) for code in codes
    )
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in codes]


def _digest(user: User, code: str) -> str:
    return hashlib.sha256(f"{user.pk} {code.replace('-', '')}".encode()).hexdigest()
