"""How often something may be done, counted in the database for all processes together.

Each limit lets `burst` in at once and one more every `seconds` after that, so that within any 60
seconds at most `burst + 60 / seconds` get in. One moment is stored per limit and subject: the time
at which all that was let in would have come, had it come evenly (the generic cell rate algorithm,
ITU-T I.371). Nothing has to be reset, and what is over is deleted by the sweeper.

A write for each call that reads would cost more than the call, so each process counts for itself
and takes a lot from the shared limit when it has used one up. What a process has not reported yet
is at most one lot less one call: a limit of 2,400 is kept to within 47 calls for each process, and
is never reached early.
"""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from annotator.models import UsedPace, User
from core.clock import database_now
from core.errors import TooOften


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `burst` at once, and one more every `seconds`."""

    name: str
    burst: int
    seconds: float


Asked = tuple[RateLimit, str]
"""A limit with whom or what it is asked for."""


def take(asked: Iterable[Asked], count: int = 1) -> int:
    """Count something under all the limits, or under none; return the seconds to wait, 0 for none.

    The limits are asked in the order given, which must be the same wherever they meet: two
    processes then never wait for each other.
    """
    now = database_now()
    wait = timedelta()
    impossible: list[tuple[str, datetime]] = []
    with transaction.atomic():
        for limit, subject in asked:
            rows = UsedPace.objects.select_for_update(no_key=True)
            key = {"subject_sha256": _key(limit, subject)}
            row, _ = rows.get_or_create(**key, defaults={"free_at": now})
            latest = now + timedelta(seconds=limit.seconds * limit.burst)
            if row.free_at > latest:
                impossible.append((row.pk, latest))
            believed = min(max(row.free_at, now), latest)
            row.free_at = believed + timedelta(seconds=limit.seconds * count)
            row.save(update_fields=["free_at"])
            wait = row.free_at - latest
            if wait > timedelta():
                transaction.set_rollback(True)
                break
    if wait <= timedelta():
        return 0
    # A clock that jumped forward and back left a moment that no count reaches. The refusal rolled
    # its correction back, and without it everybody would be refused for as long as the jump.
    for pk, latest in impossible:
        UsedPace.objects.filter(pk=pk, free_at__gt=latest).update(free_at=latest)
    return ceil(wait.total_seconds())


def give_back(asked: Iterable[Asked]) -> None:
    """Take back what was counted, as it was none of what the limits are against."""
    with transaction.atomic():
        for limit, subject in asked:
            rows = UsedPace.objects.select_for_update(no_key=True)
            row = rows.filter(subject_sha256=_key(limit, subject)).first()
            if row is not None:
                row.free_at -= timedelta(seconds=limit.seconds)
                row.save(update_fields=["free_at"])


def take_or_refuse(asked: Iterable[Asked], sentence: str) -> None:
    """Count something under all the limits, or raise TooOften: `sentence` and the wait.

    To be called outside of a transaction, which a refusal would undo with the count.
    """
    if wait := take(asked):
        raise TooOften(f"{sentence} {format_wait(wait)}.", retry_after=wait)


def refuse_haste(limit: RateLimit, person: User, what: str) -> None:
    """Count a request of a person as `take_or_refuse` does; `what` begins the sentence."""
    sentence = f"{what} were asked for too often. Nothing was stored: try again in"
    take_or_refuse([(limit, str(person.pk))], sentence)


def format_wait(seconds: int) -> str:
    """Return a wait as text."""
    if seconds < 120:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    return f"{-(-seconds // 60)} minutes"


def delete_used_up() -> int:
    """Delete what limits nobody any more; return how many rows."""
    count, _ = UsedPace.objects.filter(free_at__lt=database_now()).delete()
    return count


def _key(limit: RateLimit, subject: str) -> str:
    return salted_hmac(f"pace {limit.name}", subject, algorithm="sha256").hexdigest()


LOTS: Final = 50
FORGOTTEN_AFTER_SECONDS: Final = 60


@dataclass(slots=True)
class _Count:
    unreported: int
    began_at: float
    shut_until: float = 0.0


_counts: dict[str, _Count] = {}
_lock = threading.Lock()


def count_call(subject: str) -> int:
    """Count a call; return the seconds to wait where there were too many, else 0."""
    limit = settings.API_CALLS_PER_MINUTE
    lot = max(1, limit // LOTS)
    now = time.monotonic()
    with _lock:
        count = _counted(subject, now)
        if count.shut_until > now:
            return int(count.shut_until - now) + 1
        count.unreported += 1
        if count.unreported < lot:
            return 0
        count.unreported = 0
    # Outside of the lock: the database may let this thread wait, and others need not.
    wait = take([(RateLimit("api", limit, 60 / limit), subject)], count=lot)
    if wait:
        with _lock:
            count.shut_until = now + wait
            # The lot that was let in is reported with the next call.
            count.unreported = lot - 1
    return wait


def _counted(subject: str, now: float) -> _Count:
    count = _counts.get(subject)
    if count is None or now - max(count.began_at, count.shut_until) > FORGOTTEN_AFTER_SECONDS:
        count = _counts[subject] = _Count(0, now)
    return count
