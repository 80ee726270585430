"""Writes about sessions: seen again, ended by their owner, by an admin, by time."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import BrowserSession, User
from annotator.refusals import OutOfDate
from annotator.services import audit
from annotator.services.tokens import revoke_tokens
from annotator.sign_in.session_store import end_of

SEEN_EVERY: Final = timedelta(minutes=1)


def see_session(row: BrowserSession) -> None:
    """Let a session go on, as its owner is at work; to be called a minute apart.

    A session that was ended meanwhile stays ended.
    """
    row.seen_at = database_now()
    row.expire_date = end_of(row.started_at, row.seen_at)
    BrowserSession.objects.filter(pk=row.pk).update(
        seen_at=row.seen_at, expire_date=row.expire_date
    )


@transaction.atomic
def end_session(*, user: User, session_id: UUID) -> None:
    """End one session of a person's own; OutOfDate when it has ended already."""
    count, _ = BrowserSession.objects.filter(user=user, id=session_id).delete()
    if not count:
        raise OutOfDate("This session has ended already.")
    _record(user, user, count)


@transaction.atomic
def end_sessions(*, user: User, by: User | None, keep: UUID | None = None) -> int:
    """End the sessions of a person, all or all but one; return how many."""
    rows = BrowserSession.objects.filter(user=user)
    count, _ = (rows.exclude(id=keep) if keep else rows).delete()
    if count:
        _record(user, by, count)
    return count


@dataclass(frozen=True, slots=True)
class Ended:
    """How many ways in were shut."""

    sessions: int
    tokens: int

    @property
    def sentence(self) -> str:
        return f"Sessions ended: {self.sessions}. API tokens revoked: {self.tokens}."


@transaction.atomic
def end_access(*, user: User, by: User | None, keep: UUID | None = None) -> Ended:
    """Shut every way into an account but its password: sessions, all or all but one, and tokens.

    Who knows that somebody else was in does not have to know by which way.
    """
    return Ended(end_sessions(user=user, by=by, keep=keep), revoke_tokens(user=user, by=by))


def delete_ended_sessions() -> int:
    """Delete the sessions whose time is over; return how many."""
    count, _ = BrowserSession.objects.filter(expire_date__lt=Now()).delete()
    return count


def _record(user: User, by: User | None, count: int) -> None:
    audit.record(
        actor=by,
        action="session.ended",
        object_type="user",
        object_id=user.pk,
        details={"sessions": count},
    )
