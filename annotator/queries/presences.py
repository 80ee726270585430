"""Which background programs are alive."""

from collections import Counter
from datetime import timedelta
from typing import Final

from annotator.clock import database_now
from annotator.models import Presence

# Three and a half reports: one that is late makes nobody dead.
ALIVE_FOR: Final = timedelta(seconds=35)


def alive() -> Counter[str]:
    """Return how many programs of each kind of work were heard of lately."""
    since = database_now() - ALIVE_FOR
    return Counter(Presence.objects.filter(seen_at__gte=since).values_list("work", flat=True))
