"""Faults that a test plants into a server of its own: each takes a guard of the product away.

SERVED_FAULT names one; only tests/served/settings reads it.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]


def plant_the_fault(get_response: Answer) -> Answer:
    """Plant what SERVED_FAULT names, once everything is loaded; middleware of the test's server."""
    if name := os.environ.get("SERVED_FAULT"):
        FAULTS[name]()
    return get_response


def whoever_comes_last_wins() -> None:
    """Revise a rating whatever version its author has seen."""
    from annotator.models import Rating
    from annotator.rating.services import revise_rating

    def revise(**given: Any) -> Rating:
        with transaction.atomic():
            # Locked, or of two at once the second would learn of the first after all.
            stored = Rating.objects.select_for_update().get(pk=given["rating_id"])
            return revise_rating(**given | {"version": stored.version})

    replace(revise_rating, revise)


def own_clock() -> None:
    """Take the time from the machine of the web server, not from the database."""
    from core.clock import database_now

    replace(database_now, lambda: datetime.now(UTC))


def wait_for_the_broker() -> None:
    """Enqueue a job within the request, and without a limit of time."""
    from config.celery import app

    app.conf.broker_transport_options = {}


def each_process_counts_alone() -> None:
    """Count tries in the memory of each process, as a cache of its own does."""
    from annotator.rate_limits import Asked, take

    tries: Counter[Any] = Counter()

    def take_here(asked: Iterable[Asked]) -> int:
        limits = list(asked)
        if any(tries[limit] >= limit[0].burst for limit in limits):
            return 1
        tries.update(limits)
        return 0

    replace(take, take_here)


def swallow_the_full_disk() -> None:
    """Answer that it is stored where the database had no space or did not answer."""
    from django.http import JsonResponse

    from annotator.site.errors import _unavailable

    def stored(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
        return JsonResponse({"detail": "stored"}, status=201)

    replace(_unavailable, stored)


def replace(old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Put a function into the place of another, in every module that has imported it."""
    for module in list(sys.modules.values()):
        for name in [name for name, value in vars(module).items() if value is old]:
            setattr(module, name, new)


FAULTS: Final[dict[str, Callable[[], None]]] = {
    plant.__name__: plant
    for plant in (
        whoever_comes_last_wins,
        own_clock,
        wait_for_the_broker,
        each_process_counts_alone,
        swallow_the_full_disk,
    )
}
