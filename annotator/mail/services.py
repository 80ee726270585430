"""Writes of mail: an address, its confirmation, what it is for, and a lost password."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotator import audit_log
from annotator.accounts.names import account_of
from annotator.accounts.services import WRONG_SENTENCE, confirm_password, replace_password
from annotator.accounts.sessions import token_digest
from annotator.accounts.sign_in import network_of
from annotator.models import MailAddress, MailKind, PasswordReset, User
from annotator.outgoing.queue import queue_mail
from annotator.rate_limits import RateLimit, refuse_haste, take_or_refuse
from core.clock import database_now
from core.errors import OutOfDate, Refused

CONFIRM_WITHIN: Final = timedelta(days=1)
RESET_WITHIN: Final = timedelta(hours=1)
OF_ADDRESSES: Final = RateLimit("mail addresses", 5, 300)
# Of an address that asks, of an account that is asked about, and of all together.
OF_RESETS_THERE: Final = RateLimit("resets there", 10, 60)
OF_RESETS: Final = RateLimit("resets of an account", 3, 600)
OF_ALL_RESETS: Final = RateLimit("resets", 60, 10)
OFF: Final = "This site sends no mail."
GONE: Final = "This link was used already, or its time is over."


def set_address(*, user: User, address: str, password: str) -> None:
    """Store where a person wants to be mailed, and send a link there that confirms it.

    Nothing else is sent before. Refused by field; to be called outside of a transaction.
    """
    if not settings.EMAIL_HOST:
        raise Refused(OFF)
    if not confirm_password(user, password):
        raise Refused.at("password", WRONG_SENTENCE)
    refuse_haste(OF_ADDRESSES, user, "Mails to a new address")
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        changed = {
            "address": address,
            "confirmed_at": None,
            "token_sha256": token_digest(token),
            "token_expires_at": database_now() + CONFIRM_WITHIN,
            "refused_at": None,
            "refused_code": "",
        }
        MailAddress.objects.update_or_create(user=user, defaults=changed)
        PasswordReset.objects.filter(user=user).delete()
        queue_mail("confirm", person=user, sealed={"token": token, "address": address})
        audit_log.record_on(user, "mail.address_set", user)


@transaction.atomic
def confirm_address(*, user: User, token: str) -> MailAddress:
    """Count an address as the person's, whose link was sent there; OutOfDate for another link."""
    rows = MailAddress.objects.filter(user=user, token_sha256=token_digest(token))
    now = database_now()
    living = rows.filter(token_expires_at__gt=Now())
    # One statement: the link counts once.
    if not living.update(confirmed_at=now, token_sha256="", token_expires_at=None):
        raise OutOfDate(GONE)
    audit_log.record_on(user, "mail.address_confirmed", user)
    return MailAddress.objects.get(user=user)


@transaction.atomic
def choose_kinds(*, user: User, kinds: Sequence[str]) -> None:
    """Store what a person wants to be mailed about; OutOfDate without an address."""
    chosen = [kind for kind in MailKind.values if kind in kinds]
    if not MailAddress.objects.filter(user=user).update(kinds=chosen):
        raise OutOfDate("Set an address first.")
    audit_log.record_on(user, "mail.kinds_chosen", user, kinds=chosen)


@transaction.atomic
def remove_address(*, user: User) -> None:
    """Forget where a person was mailed; nothing more is sent, and no lost password is mailed."""
    count, _ = MailAddress.objects.filter(user=user).delete()
    if not count:
        raise OutOfDate("There is no address any more.")
    PasswordReset.objects.filter(user=user).delete()
    audit_log.record_on(user, "mail.address_removed", user)


def ask_reset(*, username: str, asked_from: str) -> None:
    """Have a link to choose a new password sent, if there is an account with an address.

    The same is done for a name that nobody has: who asks learns nothing, not by the time that it
    takes either. A worker looks the name up. TooOften by the address, the name and in all.
    """
    if not settings.EMAIL_HOST:
        raise Refused(OFF)
    limits = [
        (OF_ALL_RESETS, ""),
        (OF_RESETS_THERE, network_of(asked_from)),
        (OF_RESETS, account_of(username)),
    ]
    take_or_refuse(limits, "This was asked for too often. Try again in")
    queue_mail("reset", sealed={"username": username})


@transaction.atomic
def make_reset(*, username: str) -> tuple[User, str, str] | None:
    """Return the account, its address and a new token; None where nothing can be sent.

    A link that was made before counts no more.
    """
    user = User.objects.filter(username=username, is_active=True).first()
    row = MailAddress.objects.filter(user=user).first() if user else None
    if user is None or row is None or row.confirmed_at is None or row.refused_at is not None:
        return None
    token = secrets.token_urlsafe(32)
    PasswordReset.objects.filter(user=user).delete()
    PasswordReset.objects.create(
        user=user, token_sha256=token_digest(token), expires_at=database_now() + RESET_WITHIN
    )
    audit_log.record_on(user, "password.reset_sent", None)
    return user, row.address, token


def reset_of(token: str) -> PasswordReset | None:
    """Return what a link stands for while it counts."""
    rows = PasswordReset.objects.filter(
        token_sha256=token_digest(token), expires_at__gt=Now(), user__is_active=True
    )
    return rows.select_related("user").first()


@transaction.atomic
def reset_password(*, token: str, new: str) -> User:
    """Give the account of a link another password, which ends its access and uses the link up.

    OutOfDate where the link counts no more; Refused, naming the field `new`, for a weak password,
    and the link stays good. A second factor is asked for at the sign-in as before.
    """
    row = reset_of(token)
    # The row is deleted first, so that of two who use one link at one moment one gets in.
    if row is None or not PasswordReset.objects.filter(pk=row.pk).delete()[0]:
        raise OutOfDate(GONE)
    replace_password(user=row.user, new=new, by=row.user)
    return row.user


def delete_old_resets() -> int:
    """Delete links that count no more; return how many."""
    count, _ = PasswordReset.objects.filter(expires_at__lte=Now()).delete()
    return count
