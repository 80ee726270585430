"""Where sessions are kept: rows that end after idling, or after a time in any case.

Both ends stand in one column, `expire_date`, and are judged by the clock of the database.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import BrowserSession

DEVICE = "device"


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
        known.expire_date = end_of(known.started_at, known.seen_at)
        self.row = known
        return known


def end_of(started_at: datetime, seen_at: datetime) -> datetime:
    """Return when a session ends unless it is seen again."""
    return min(
        started_at + timedelta(hours=settings.SESSION_HOURS),
        seen_at + timedelta(minutes=settings.SESSION_IDLE_MINUTES),
    )


def digest(session_key: str | None) -> str:
    """Return what is stored of a key; it is random, so a plain digest cannot be guessed."""
    return hashlib.sha256((session_key or "").encode()).hexdigest()[:40]
