"""How many calls of the API each person has made: counted here, told to the database in lots.

A write for each call that reads would cost more than the call, so each process counts for itself
and takes a lot from the shared limit when it has used one up. What a process has not told yet is at
most one lot less one call: a limit of 2,400 is kept to within 47 calls for each process, and is
never reached early.
"""

import threading
import time
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from annotator.services.pace import Pace, take

LOTS: Final = 50
FORGOTTEN_AFTER_SECONDS: Final = 60
MOST_PEOPLE: Final = 10_000


@dataclass(slots=True)
class _Count:
    untold: int
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
        count.untold += 1
        if count.untold < lot:
            return 0
        count.untold = 0
    # Outside of the lock: the database may let this thread wait, and others need not.
    wait = take([(Pace("api", limit, 60 / limit), subject)], count=lot)
    if wait:
        with _lock:
            count.shut_until = now + wait
            # The lot that was let in is told with the next call.
            count.untold = lot - 1
    return wait


def _counted(subject: str, now: float) -> _Count:
    count = _counts.get(subject)
    if count is None or now - max(count.began_at, count.shut_until) > FORGOTTEN_AFTER_SECONDS:
        if len(_counts) >= MOST_PEOPLE:
            _counts.clear()
        count = _counts[subject] = _Count(0, now)
    return count
