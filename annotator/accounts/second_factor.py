"""The second factor: set up, asked for at sign-in, renewed, taken away; its secrets are sealed."""

import hashlib
import hmac
import re
from typing import Final

import pyotp
from django.conf import settings
from django.db import transaction
from django.utils.crypto import get_random_string

from annotator import audit_log
from annotator.accounts.sessions import Ended, end_access
from annotator.models import RecoveryCode, SecondFactor, User
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
LOCKED_AWAY: Final = (
    "Codes of your phone cannot be checked: this site's secret key was changed. Use a recovery "
    "code, or ask a site admin to reset your second factor."
)


def new_secret() -> str:
    """Return a secret for a phone that is being set up; nothing is stored yet."""
    return pyotp.random_base32()


def address_of(secret: str, user: User) -> str:
    """Return what the picture holds for the phone."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name="PatClaimEval")


def set_up_factor(*, user: User, secret: str, code: str) -> list[str]:
    """Store a secret that the person's phone is shown to know; return the recovery codes, once."""
    limits = [(OF_CODES, str(user.pk))]
    take_or_refuse(limits, TOO_MANY)
    step = _step_of(secret, code)
    if step is None:
        raise Refused.at("code", WRONG)
    give_back(limits)
    with transaction.atomic():
        _, is_new = SecondFactor.objects.get_or_create(
            user=user,
            defaults={"secret": seal(secret, owner=str(user.pk)), "last_step": step},
        )
        if not is_new:
            raise OutOfDate("A second factor is set up already.")
        codes = _new_codes(user)
        audit_log.record_on(user, "second_factor.set_up", user)
    return codes


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


def renew_codes(*, user: User, code: str) -> list[str]:
    """Return new recovery codes, once, in the place of the old ones."""
    check_code(user=user, code=code)
    with transaction.atomic():
        codes = _new_codes(user)
        audit_log.record_on(user, "second_factor.codes_renewed", user)
    return codes


def remove_factor(*, user: User, code: str) -> None:
    """Take away one's own second factor, where the site does not require one."""
    if settings.REQUIRE_SECOND_FACTOR:
        raise Refused("This site requires a second factor; a site admin can reset it.")
    check_code(user=user, code=code)
    reset_factor(user=user, by=user)


@transaction.atomic
def reset_factor(*, user: User, by: User | None) -> Ended:
    """Take away somebody's second factor, so that they set up a new one; None is the operator.

    Ends their sessions and tokens, unless they did it themselves.
    """
    count, _ = SecondFactor.objects.filter(user=user).delete()
    if not count:
        raise OutOfDate(f"{user.username} has no second factor.")
    RecoveryCode.objects.filter(user=user).delete()
    ended = Ended(0, 0) if by == user else end_access(user=user, by=by)
    audit_log.record_on(user, "second_factor.reset", by)
    return ended


def _use_timed(user: User, code: str) -> bool:
    row = SecondFactor.objects.filter(user=user).first()
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
    rows = SecondFactor.objects.filter(user=user, last_step__lt=step)
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
