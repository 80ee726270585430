"""Measures a submit to a reference of many candidates on which two annotators disagree.

    benchmarks/large_reference.py [--candidates 1000] [--submits 40]

Runs in this process on a fresh database (SQLite, or the PostgreSQL that DATABASE_URL names). Scores
are drawn, so that about a third of all pairs stand in opposite order. Times are of the whole
transaction of a submit, which holds its reference, and on SQLite the lock of all writers.
"""

import argparse
import random
import time

from shared.hosts import own_database
from shared.measuring import machine, spread


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=1_000)
    parser.add_argument("--submits", type=int, default=40)
    options = parser.parse_args()
    with own_database():
        measure(fill(options.candidates, options.submits))


def fill(count: int, left: int) -> list[object]:
    """Store one reference with its ratings; return the assignments that are left to be rated."""
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign

    rows = RatedRows(Campaign.objects.create(slug="large", name="Large", overlap=2))
    one, other = (member(rows.campaign, f"annotator{number}") for number in range(2))
    reference = rows.reference(1, "1. A cup.")
    chance, waiting = random.Random(1), []
    for number in range(count):
        candidate = rows.candidate(reference, number, f"1. A cup {number}.", held=2)
        rows.rating(candidate, one, drawn(chance))
        if number < left:
            waiting.append(rows.assignment(candidate, other))
        else:
            rows.rating(candidate, other, drawn(chance))
    rows.store()
    return waiting


def drawn(chance: random.Random) -> dict[str, int]:
    """Return four scores near one drawn value, as of a candidate that is good or bad as a whole."""
    from annotator.rubric import CRITERIA

    level = chance.randint(1, 9)
    return {key: level + chance.randint(-1, 1) for key in CRITERIA}


def measure(waiting: list[object]) -> None:
    """Measure what conflicts once, then submit what is left; print times and rows."""
    from django.db import connection, transaction

    from annotator.conflicts.services import measure_conflicts
    from annotator.models import Conflict
    from annotator.rating.services import submit_rating
    from core.clock import database_now

    first = waiting[0]
    start = time.perf_counter()
    with transaction.atomic():
        measure_conflicts(first.campaign, first.candidate.reference_id, database_now())
    print(f"database: {connection.vendor}; {machine()}")
    print(f"all conflicts, the first time: {time.perf_counter() - start:.2f} s")
    chance, times = random.Random(2), []
    for row in waiting:
        start = time.perf_counter()
        submit_rating(assignment_id=row.pk, annotator=row.annotator, scores=drawn(chance))
        times.append(time.perf_counter() - start)
    flips = Conflict.objects.filter(kind="order_flip").count()
    print(f"submit: {spread(times)} ms (median / p95 / max); {flips} order flips")


if __name__ == "__main__":
    main()
