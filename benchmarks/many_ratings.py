"""Measures a rating, and pages beside it, in a database that holds many ratings.

    benchmarks/many_ratings.py [--ratings 0 100000 ...] [--times 100] [--explain]

Needs the PostgreSQL of DATABASE_URL, on this machine, as its owner; a database beside it is filled
and dropped. Processor time of this process and of the database's own, whole requests through every
middleware without the HTTP server; the longest statement of each, with --explain its plan.
"""

import argparse
import logging
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

from shared.hosts import own_database
from shared.measuring import machine, print_row, seconds

TICKS = os.sysconf("SC_CLK_TCK")
FREE = 3_000
# Of one act: what takes a second is not asked for a hundred times.
LONGEST_SECONDS = 10
HEADINGS = ("act", "here, ms", "database, ms", "statements", "longest statement, ms")


def main() -> None:
    """Fill, measure, print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, nargs="+", default=[0, 100_000])
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        print("Needs DATABASE_URL: `scripts/with-services .venv/bin/python benchmarks/...`")
        return
    for ratings in options.ratings:
        with own_database():
            logging.disable(logging.INFO)
            measure(ratings, options.times, options.explain)


def measure(ratings: int, times: int, explains: bool) -> None:
    """Fill one database, and print what each act takes in it."""
    from many_rows import fill, run

    took = seconds(lambda: fill(max(ratings, 10)))
    scene = Scene(times)
    ((size,),) = run("SELECT pg_size_pretty(pg_database_size(current_database()))")
    print(f"{ratings:,} ratings, {size}, filled in {took:.0f} s; {machine()}")
    print_row(*HEADINGS)
    ((backend,),) = run("SELECT pg_backend_pid()")
    for name, act in scene.acts():
        act()
        statements = asked_by(act)
        here, there, done = time.process_time(), cpu_of(backend), 0
        end = time.monotonic() + LONGEST_SECONDS
        while done < times and time.monotonic() < end:
            act()
            done += 1
        here, there = time.process_time() - here, cpu_of(backend) - there
        longest = max(statements, key=lambda one: float(one["time"]))
        figures = [f"{1000 * spent / done:.1f}" for spent in (here, there)]
        print_row(name, *figures, len(statements), f"{1000 * float(longest['time']):.0f}")
        if explains and longest["sql"].startswith("SELECT"):
            print(longest["sql"][:1000])
            for (line,) in run(f"EXPLAIN (ANALYZE, BUFFERS) {longest['sql']}"):
                print("   ", line)
    measure_seal()


def measure_seal(seconds_each: float = 3.0) -> None:
    """Print how many acts of the audit trail end in a second, by how many write at once.

    Each commits on its own. Where fsync is off, as beside the tests, no disk is waited for.
    """
    from many_rows import run

    print("fsync", *run("SHOW fsync")[0])
    print_row("writers at once", "acts sealed a second", "ms each")
    for writers in (1, 2, 4, 8, 16):
        with ThreadPoolExecutor(writers) as pool:
            done = sum(pool.map(seal_for, [seconds_each] * writers))
        print_row(writers, f"{done / seconds_each:,.0f}", f"{1000 * seconds_each / done:.2f}")


def seal_for(seconds_each: float) -> int:
    """Add entries to the trail for so long, each in a transaction; return how many."""
    from django.db import connection
    from many_rows import run

    done, end = 0, time.monotonic() + seconds_each
    while time.monotonic() < end:
        run(
            "INSERT INTO annotator_auditevent (action, object_type, object_id, details) "
            "VALUES ('rating.submitted', 'rating', gen_random_uuid()::text, '{\"version\": 1}')"
        )
        done += 1
    connection.close()
    return done


def cpu_of(pid: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def asked_by(act: Callable[[], object]) -> list[dict[str, str]]:
    """Return the statements of one act."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        act()
    return list(captured.captured_queries)


def add_free(campaign: str) -> None:
    """Give a campaign candidates that are to be rated."""
    from many_rows import CLAIMS, insert, of_key

    from annotator.models import Candidate, Reference

    shared = {"campaign": f"'{campaign}'::uuid", "claims": CLAIMS, "claims_sha256": "'live' || n"}
    reference = {"id": of_key("lf", "n"), "reference_id": "'l' || n"}
    insert(Reference, FREE // 5, shared | reference)
    candidate = {
        "id": of_key("lc", "n"),
        "reference": of_key("lf", "(n / 5)"),
        "candidate_id": "'l' || n",
        "queue_position": "n",
    }
    insert(Candidate, FREE, shared | candidate)


class Scene:
    """A campaign with free candidates, and an annotator of it who has rated for years."""

    def __init__(self, times: int) -> None:
        from django.test import Client

        from annotator.accounts.sessions import create_token
        from annotator.models import Campaign, Membership, User

        assert times * 3 + 20 < FREE
        annotator = User.objects.get(username="person-0")
        admin = User.objects.create(username="boss", is_superuser=True)
        live, old = (
            Campaign.objects.create(slug="live", name="Live"),
            Campaign.objects.get(slug="c-0"),
        )
        for campaign in (live, old):
            Membership.objects.create(user=admin, campaign=campaign, role="admin")
        Membership.objects.create(user=annotator, campaign=live, role="annotator")
        add_free(str(live.pk))
        token = create_token(user=annotator).token
        self.here = Client(headers={"authorization": f"Token {token}"})
        self.page, self.boss = Client(), Client()
        self.page.force_login(annotator)
        self.boss.force_login(admin)
        # The version of the draft that was stored last.
        self.drafts = 0

    def acts(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield what is measured, by name."""
        yield "next and submit, over REST", self.rate
        held = self.taken()
        yield "rate page", lambda: self.ask(self.page, f"/rate/{held}/")
        yield "ping of the rate page", lambda: self.page.post(f"/rate/{held}/ping/")
        yield "a draft of the rate page", lambda: self.draft(held)
        for name, address in (
            ("home of an annotator", "/"),
            ("own ratings", "/rated/"),
        ):
            yield name, lambda address=address: self.ask(self.page, address)
        for name, address in (
            ("home of a site admin", "/"),
            ("progress of a campaign of 10,000", "/campaigns/c-0/"),
            ("settled ratings of that campaign", "/campaigns/c-0/settled/"),
            ("members", "/campaigns/c-0/members/"),
            ("users of the site", "/users/"),
            ("audit trail of that campaign", "/campaigns/c-0/audit/"),
            ("audit trail of the site", "/audit/"),
            ("figures for Prometheus", "/metrics"),
        ):
            yield name, lambda address=address: self.ask(self.boss, address)
        yield "a pass of the sweeper", self.sweep

    def taken(self) -> str:
        answer = self.here.post("/api/v1/campaigns/live/assignments/next/")
        assert answer.status_code == 200, answer.content
        return str(answer.json()["id"])

    def rate(self) -> None:
        scores = {
            "feature_completeness": 7,
            "conceptual_clarity": 6,
            "terminology_consistency": 5,
            "logical_linkage": 4,
        }
        answer = self.here.post(
            "/api/v1/ratings/",
            {"assignment": self.taken(), "scores": scores},
            content_type="application/json",
            headers={"Idempotency-Key": str(uuid.uuid4())},
        )
        assert answer.status_code == 201, answer.content

    def draft(self, held: str) -> None:
        sent = {"feature_completeness": "7", "comment": str(self.drafts), "version": "0"}
        answer = self.page.post(
            f"/rate/{held}/draft/",
            sent | {"draft_version": self.drafts},
            headers={"HX-Request": "true"},
        )
        assert answer.status_code == 200, answer.content
        self.drafts = answer.json()["version"]

    def ask(self, client: Any, address: str) -> None:
        answer = client.get(address)
        if answer.status_code != 200:
            sys.exit(f"{address}: {answer.status_code}")

    def sweep(self) -> None:
        from django.core.management import call_command

        call_command("sweep", stdout=StringIO(), stderr=StringIO())


if __name__ == "__main__":
    main()
