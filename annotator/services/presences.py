"""Who works in the background: programs report that they live, and are forgotten when they end."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from django.db import transaction

from annotator.clock import database_now
from annotator.models import Presence

FORGOTTEN_AFTER: Final = timedelta(days=1)


def report_presence(*, name: str, works: Iterable[str]) -> None:
    """Note that this program lives now; the clock is the database's, which all share."""
    now = database_now()
    with transaction.atomic():
        for work in works:
            Presence.objects.update_or_create(
                name=name,
                work=work,
                defaults={"seen_at": now},
                create_defaults={"seen_at": now, "started_at": now},
            )


def end_presence(*, name: str) -> None:
    """Forget a program that stops in order, so that nobody takes it for alive."""
    Presence.objects.filter(name=name).delete()


def forget_presences() -> int:
    """Delete what has not been heard of for a day; return how many."""
    late = database_now() - FORGOTTEN_AFTER
    return Presence.objects.filter(seen_at__lt=late).delete()[0]
