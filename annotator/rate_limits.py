"""How often something may be done, counted in the database for all processes together.

Each limit lets `burst` in at once and one more every `seconds` after that, so that within any 60
seconds at most `burst + 60 / seconds` get in. One moment is stored per limit and subject: the time
at which all that was let in would have come, had it come evenly (the generic cell rate algorithm,
ITU-T I.371). Nothing has to be reset, and what is over is deleted by the sweeper.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

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


def take(asked: Iterable[Asked]) -> int:
    """Count something under all the limits, or under none; return the seconds to wait, 0 for none.

    The limits are asked in the order given, which must be the same wherever they meet: two
    processes then never wait for each other.
    """
    now = database_now()
    with transaction.atomic():
        for limit, subject in asked:
            rows = UsedPace.objects.select_for_update(no_key=True)
            key = {"subject_sha256": _key(limit, subject)}
            row, _ = rows.get_or_create(**key, defaults={"free_at": now})
            latest = now + timedelta(seconds=limit.seconds * limit.burst)
            # A moment later than the latest means that the clock was set back. Ignore it.
            begun = max(row.free_at, now) if row.free_at <= latest else now
            row.free_at = begun + timedelta(seconds=limit.seconds)
            row.save(update_fields=["free_at"])
            if row.free_at > latest:
                transaction.set_rollback(True)
                return ceil((row.free_at - latest).total_seconds())
    return 0


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
