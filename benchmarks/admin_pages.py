"""Measures the pages of a full campaign: progress, what-if, settled ratings, conflicts, agreement.

    benchmarks/admin_pages.py [--candidates 10000] [--times 60] [--only PART]

Runs in this process on a fresh database (SQLite, or the PostgreSQL that DATABASE_URL names) with
three ratings of every candidate, the conflicts that they show, a ruling on some, and the figures of
agreement that a worker would have made. Times are of whole requests through every middleware,
without the HTTP server; "CPU here" leaves out what else ran on the machine, and PostgreSQL.
"""

import argparse
import random
import statistics
import sys
import time
from datetime import timedelta

from shared.hosts import own_database
from shared.measuring import machine, seconds, spread

ANNOTATORS = 6
RATED_BY = 3
CANDIDATES_EACH = 10
RULED = 200
PAGES = (
    ("progress", "admin", "/campaigns/full/"),
    ("counts", "admin", "/campaigns/full/counts/"),
    ("what-if", "admin", "/campaigns/full/what-if/"),
    ("what-if, other rules", "admin", "/campaigns/full/what-if/?criterion_gap=2&ladder=on"),
    ("settled", "admin", "/campaigns/full/settled/"),
    ("settled, last page", "admin", "/campaigns/full/settled/?page=40"),
    ("adjudication list", "carol", "/adjudication/"),
    ("rulings", "admin", "/campaigns/full/rulings/"),
    ("plan", "admin", "/campaigns/full/plan/"),
    ("members", "admin", "/campaigns/full/members/"),
    ("reliability", "admin", "/campaigns/full/reliability/"),
)


def main() -> None:
    """Fill, measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with own_database():
        fill(options.candidates)
        work_out_reliability()
        measure(options.times, options.only)


def fill(count: int) -> None:
    """Store the campaign with its ratings, conflicts and rulings."""
    from django.utils import timezone
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign, Rating

    campaign = Campaign.objects.create(slug="full", name="Full", overlap=RATED_BY)
    member(campaign, "admin", "admin")
    users = [member(campaign, f"annotator{n}") for n in range(ANNOTATORS)]
    chance, now = random.Random(1), timezone.now() - timedelta(days=3)
    rows = RatedRows(campaign, now)
    for number in range(count):
        group = number // CANDIDATES_EACH
        if number % CANDIDATES_EACH == 0:
            reference = rows.reference(number, "1. A cup with a handle and a lid. " * 200)
        text = "1. A mug with a handle and a cover. " * 200
        candidate = rows.candidate(reference, number, text, places=RATED_BY, held=RATED_BY)
        for step in range(RATED_BY):
            row = rows.rating(candidate, users[(group + step) % ANNOTATORS], drawn(number, chance))
            row.active_seconds = chance.randint(60, 900)
    rows.store()
    dispute(campaign, now)
    print(f"{count} candidates, {Rating.objects.count()} ratings", file=sys.stderr)


def drawn(number: int, chance: random.Random) -> dict[str, int]:
    """Return scores around a quality that the candidate's number decides."""
    from annotator.rubric import CRITERIA

    middle = 2 + number * 7919 % 7
    return {key: min(10, max(0, round(chance.gauss(middle, 0.9)))) for key in CRITERIA}


def dispute(campaign: object, now: object) -> None:
    """Open the conflicts that the ratings show, and rule on some."""
    from annotator.conflicts.services import measure_conflicts
    from annotator.models import Candidate, Conflict, Reference

    for pk in Reference.objects.filter(campaign=campaign).values_list("pk", flat=True):
        measure_conflicts(campaign, pk, now)
    disputed = Conflict.objects.order_by("pk").values_list("candidate_id", flat=True)
    some = list(dict.fromkeys(disputed))[:RULED]
    rows = Conflict.objects.filter(candidate__in=some, other_candidate=None)
    rows.update(status="ruled")
    adjudicate(Candidate.objects.filter(pk__in=some), now)
    print(f"{Conflict.objects.count()} conflicts", file=sys.stderr)


def adjudicate(candidates: object, now: object) -> None:
    """Store a ruling on each candidate, with the turn that it took."""
    from shared.campaigns import member

    from annotator.models import Adjudication, AuditEvent, Campaign, Conflict, Ruling
    from annotator.rubric import ALL_CRITERIA

    campaign = Campaign.objects.get()
    carol = member(campaign, "carol", "adjudicator")
    for candidate in candidates.only("pk"):
        conflict = Conflict.objects.filter(candidate=candidate).first()
        row = Adjudication.objects.create(
            conflict=conflict,
            adjudicator=carol,
            decision="scores",
            reason_code="overlooked",
            reason="Claim 2.",
            ratings_seen=[],
            made_at=now + timedelta(minutes=7),
            signed_as="carol",
            meaning="I decide.",
            record_sha256="0" * 64,
        )
        Ruling.objects.create(
            adjudication=row, candidate=candidate, scores=dict.fromkeys(ALL_CRITERIA, "5")
        )
        AuditEvent.objects.create(
            at=now,
            actor=carol,
            campaign=campaign,
            action="turn.taken",
            object_type="conflict",
            object_id=str(conflict.pk),
        )


def work_out_reliability() -> None:
    """Have the figures of agreement made here, as a worker makes them."""
    from annotator.models import Campaign
    from annotator.reliability.services import carry_out_reliability, request_reliability

    row = request_reliability(campaign=Campaign.objects.get())
    took = seconds(lambda: carry_out_reliability(row.pk))
    print(f"reliability worked out in {took:.0f} s", file=sys.stderr)


def measure(times: int, only: str) -> None:
    """Ask for each page again and again; print times, queries and weight."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from annotator.models import User

    # A page that is broken must not hide the others.
    clients = {name: Client(raise_request_exception=False) for name in ("admin", "carol")}
    for name, client in clients.items():
        client.force_login(User.objects.get(username=name))
    print(f"database: {connection.vendor}; {machine()}")
    for name, reader, address in PAGES:
        if only and not name.startswith(only):
            continue
        client = clients[reader]
        with CaptureQueriesContext(connection) as captured:
            page = client.get(address)
        # The next request clears the log that the context reads from.
        queries = list(captured.captured_queries)
        if page.status_code != 200:
            print(f"{name}: {page.status_code}")
            continue
        taken, worked = [], []
        for _ in range(times):
            work = time.process_time()
            taken.append(seconds(lambda: client.get(address)))  # noqa: B023 - called at once
            worked.append(time.process_time() - work)
        print(
            f"{name}: {spread(taken)} ms (median / p95 / max), "
            f"CPU here {statistics.median(worked) * 1000:.0f} ms, {len(queries)} queries "
            f"({sum(float(query['time']) for query in queries) * 1000:.0f} ms), "
            f"{len(page.content) / 1000:.0f} kB"
        )


if __name__ == "__main__":
    main()
