"""Sessions as rows that end after idling or after a time, and API tokens.

Both ends stand in one column, `expire_date`, and are judged by the clock of the database.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from annotator import audit_log
from annotator.models import ApiToken, BrowserSession, Campaign, TokenScope, User
from core.clock import database_now
from core.errors import OutOfDate, Refused

DEVICE = "device"
# Of a session that began at a provider: its name, the identity, the session there, the latest end.
PROVIDER = "provider"
IDENTITY = "identity"
PROVIDER_SESSION = "provider_session"


class SessionStore(DatabaseStore):
    """A store that knows whose session it is; the engine that SESSION_ENGINE names."""

    row: BrowserSession | None = None
    asked_at: datetime | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def _get_session_from_db(self) -> BrowserSession | None:
        rows = BrowserSession.objects.annotate(asked_at=Now()).filter(expire_date__gt=Now())
        self.row = rows.filter(session_key=digest(self.session_key)).first()
        if self.row is None:
            self._session_key = None
        else:
            self.asked_at = self.row.asked_at
        return self.row

    def save(self, must_create: bool = False) -> None:
        """Write the session; Django would take a full disk for a session that was ended."""
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError | InterfaceError):
                raise error.__context__ from error.__context__.__cause__
            raise

    def exists(self, session_key: str) -> bool:
        return BrowserSession.objects.filter(session_key=digest(session_key)).exists()

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            BrowserSession.objects.filter(session_key=digest(key)).delete()

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        key = digest(self._get_or_create_session_key())  # type: ignore[attr-defined]
        known = self.row if self.row is not None and self.row.session_key == key else None
        if known is None:
            now = database_now()
            known = BrowserSession(session_key=key, started_at=now, seen_at=now)
        known.session_data = self.encode(data)
        known.user_id = data.get(SESSION_KEY)
        known.device = data.get(DEVICE, "")
        known.identity_id = data.get(IDENTITY)
        known.provider_session_sha256 = data.get(PROVIDER_SESSION, "")
        known.expire_date = end_of(known)
        self.row = known
        return known


def end_of(row: BrowserSession) -> datetime:
    """Return when a session ends unless it is seen again."""
    latest = row.started_at + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    idle = row.seen_at + timedelta(minutes=settings.SESSION_IDLE_MINUTES)
    return min(latest, idle)


def digest(session_key: str | None) -> str:
    """Return what is stored of a key; it is random, so a plain digest cannot be guessed."""
    return hashlib.sha256((session_key or "").encode()).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token as it is shown once."""

    token: str
    row: ApiToken


@transaction.atomic
def revoke_token(*, user: User, token_id: UUID) -> None:
    """End a token of one's own; OutOfDate when there is none of that id."""
    count, _ = ApiToken.objects.filter(pk=token_id, user=user).delete()
    if not count:
        raise OutOfDate("This token is revoked already.")
    audit_log.record(actor=user, action="token.revoked", object_type="token", object_id=token_id)


@transaction.atomic
def revoke_tokens(*, user: User, by: User | None) -> int:
    """End every token of a person, each on record; return how many were alive."""
    rows = ApiToken.objects.select_for_update(no_key=True, of=("self",)).filter(user=user)
    found = list(rows.order_by("pk").values_list("pk", "expires_at"))
    now = database_now()
    alive = [pk for pk, expires_at in found if expires_at > now]
    ApiToken.objects.filter(pk__in=[pk for pk, _ in found]).delete()
    audit_log.record_each(
        actor=by,
        action="token.revoked",
        object_type="token",
        details_by_id=[(pk, {}) for pk in alive],
    )
    return len(alive)


def note_use(token: ApiToken) -> None:
    """Note the day on which a token is used: one write a day, not one a call."""
    today = database_now().date()
    if token.last_used_on != today:
        ApiToken.objects.filter(pk=token.pk).update(last_used_on=today)


LONGEST_TOKEN_DAYS: Final = 90
MOST_TOKENS: Final = 50


def token_digest(token: str) -> str:
    """Return what is stored of a token. It is random, so a plain digest cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def create_token(
    *,
    user: User,
    scope: str = TokenScope.WRITE,
    days: int = LONGEST_TOKEN_DAYS,
    campaign: Campaign | None = None,
) -> NewToken:
    """Make an API token that expires after 1 to 90 days, for one campaign or all of the user's."""
    if not 1 <= days <= LONGEST_TOKEN_DAYS:
        raise Refused.at("days", f"A token lives 1 to {LONGEST_TOKEN_DAYS} days, not {days}.")
    if campaign is not None and not campaign.memberships.filter(user=user).exists():
        raise Refused.at("campaign", f"{user.username} has no role in {campaign.slug}.")
    if ApiToken.objects.filter(user=user, expires_at__gt=database_now()).count() >= MOST_TOKENS:
        raise Refused(f"{MOST_TOKENS} tokens are enough; revoke one first.")
    token = secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        user=user,
        token_sha256=token_digest(token),
        scope=scope,
        campaign=campaign,
        expires_at=database_now() + timedelta(days=days),
    )
    audit_log.record(
        actor=user,
        campaign=campaign,
        action="token.created",
        object_type="token",
        object_id=row.pk,
        details={"scope": scope, "days": days},
    )
    return NewToken(token, row)


SEEN_EVERY: Final = timedelta(minutes=1)


def see_session(row: BrowserSession) -> None:
    """Let a session go on, as its owner is at work; to be called a minute apart.

    A session that was ended meanwhile stays ended.
    """
    row.seen_at = database_now()
    row.expire_date = end_of(row)
    BrowserSession.objects.filter(pk=row.pk).update(
        seen_at=row.seen_at, expire_date=row.expire_date
    )


@transaction.atomic
def end_session(*, user: User, session_id: UUID) -> None:
    """End one session of a person's own; OutOfDate when it has ended already."""
    count, _ = BrowserSession.objects.filter(user=user, id=session_id).delete()
    if not count:
        raise OutOfDate("This session has ended already.")
    audit_log.record_on(user, "session.ended", user, sessions=count)


@transaction.atomic
def end_sessions(*, user: User, by: User | None, keep: UUID | None) -> int:
    """End the sessions of a person, all or all but one; return how many."""
    rows = BrowserSession.objects.filter(user=user)
    count, _ = (rows.exclude(id=keep) if keep else rows).delete()
    if count:
        audit_log.record_on(user, "session.ended", by, sessions=count)
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
