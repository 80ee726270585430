"""Measures a submit to a reference of many candidates on which two annotators disagree.

    benchmarks/large_reference.py [--candidates 1000] [--submits 40]

Runs in this process on a fresh database (SQLite, or the PostgreSQL that DATABASE_URL names). Scores
are drawn, so that about a third of all pairs stand in opposite order. Times are of the whole
transaction of a submit, which holds its reference, and on SQLite the lock of all writers.
"""

import argparse
import os
import random
import statistics
import sys
import time
from pathlib import Path

from own_database import own_database

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]


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
    from django.utils import timezone

    from annotator.models import (
        Assignment,
        Campaign,
        Candidate,
        Membership,
        Rating,
        Reference,
        User,
    )
    from annotator.rubric import overall_numerator

    campaign = Campaign.objects.create(slug="large", name="Large", overlap=2)
    users = [User.objects.create(username=f"annotator{number}") for number in range(2)]
    for user in users:
        Membership.objects.create(campaign=campaign, user=user, role="annotator")
    reference = Reference.objects.create(
        campaign=campaign, reference_id="r", claims="1. A cup.", claims_sha256="r", position=1
    )
    candidates = [
        Candidate(
            reference=reference,
            campaign=campaign,
            queue_position=1,
            candidate_id=f"c{number}",
            claims=f"1. A cup {number}.",
            claims_sha256=f"c{number}",
            held=2,
            has_room=False,
        )
        for number in range(count)
    ]
    chance, now = random.Random(1), timezone.now()
    assignments, ratings = [], []
    for number, candidate in enumerate(candidates):
        for user in users:
            is_open = user is users[1] and number < left
            assignments.append(
                Assignment(
                    campaign=campaign,
                    annotator=user,
                    candidate=candidate,
                    label=f"Candidate {number + 1}",
                    position=number + 1,
                    status="open" if is_open else "submitted",
                )
            )
            if is_open:
                continue
            given = drawn(chance)
            ratings.append(
                Rating(
                    assignment=assignments[-1],
                    candidate=candidate,
                    annotator=user,
                    rubric_version=campaign.rubric_version,
                    submitted_at=now,
                    revised_at=now,
                    overall_numerator=overall_numerator(given),
                    **given,
                )
            )
    for rows in (candidates, assignments, ratings):
        type(rows[0]).objects.bulk_create(rows, batch_size=500)
    return [row for row in assignments if row.status == "open"]


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
    print(f"database: {connection.vendor}; load {os.getloadavg()[0]:.1f}")
    print(f"all conflicts, the first time: {time.perf_counter() - start:.2f} s")
    chance, times = random.Random(2), []
    for row in waiting:
        start = time.perf_counter()
        submit_rating(assignment_id=row.pk, annotator=row.annotator, scores=drawn(chance))
        times.append(time.perf_counter() - start)
    print(
        f"submit: median {statistics.median(times) * 1000:.0f} ms, max {max(times) * 1000:.0f} ms; "
        f"{Conflict.objects.filter(kind='order_flip').count()} order flips"
    )


if __name__ == "__main__":
    main()
