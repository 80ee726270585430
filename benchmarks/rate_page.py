"""Measures the rate page in a full campaign: next page after a submit, queries, weight.

    benchmarks/rate_page.py [--candidates 10000] [--pages 300]

Runs in this process on a fresh database (SQLite, or the PostgreSQL that DATABASE_URL names) with
five ratings of every candidate, but for those that the measured annotator has still to rate. Times
are of whole requests through every middleware, without the HTTP server; each page shows a pair of
claim sets that this process has not read before, as after a restart.
"""

import argparse
import gzip
import itertools
import random
import sys
import time

from shared.hosts import own_database
from shared.measuring import machine, spread

CLAIMS = 20
ANNOTATORS = 5


def main() -> None:
    """Fill, measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=300)
    options = parser.parse_args()
    with own_database():
        user = fill(options.candidates, options.pages)
        measure(user, options.pages)


def texts(number: int) -> tuple[str, str]:
    """Return a reference and a candidate of 20 claims, no two pairs alike."""
    from annotation_flow.texts import make_items
    from claim_reading import joined

    found = list(itertools.islice(make_items(60), 60))
    start = number % 50
    return (
        joined((item.reference for item in itertools.cycle(found[start:])), CLAIMS)
        + f" Reference {number}.",
        joined((item.candidate for item in itertools.cycle(found[start:])), CLAIMS)
        + f" Candidate {number}.",
    )


def fill(count: int, pages: int) -> object:
    """Store the campaign with its ratings; return the annotator who has `pages` left to rate."""
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign, Rating
    from annotator.rubric import CRITERIA

    campaign = Campaign.objects.create(slug="full", name="Full", overlap=ANNOTATORS)
    users = [member(campaign, f"annotator{n}") for n in range(ANNOTATORS)]
    pairs = [texts(number) for number in range(pages)]
    chance, rows = random.Random(1), RatedRows(campaign)
    for number in range(count):
        reference_text, candidate_text = pairs[number % pages]
        if number % 10 == 0:
            reference = rows.reference(number, reference_text)
        text = f"{candidate_text} {number}"
        candidate = rows.candidate(reference, number, text, held=ANNOTATORS)
        for place, user in enumerate(users):
            if place == 0 and number < pages:
                rows.assignment(candidate, user)
            else:
                rows.rating(candidate, user, {key: chance.randint(4, 6) for key in CRITERIA})
    rows.store()
    print(f"{count} candidates, {Rating.objects.count()} ratings", file=sys.stderr)
    return users[0]


def measure(user: object, pages: int) -> None:
    """Rate page after page as a browser does; print times, queries and weight."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from annotator.rubric import CRITERIA

    client = Client(headers={"Accept-Encoding": "gzip"})
    client.force_login(user)
    address = client.get("/").content.decode().split('href="/rate/')[1].split('"')[0]
    address = f"/rate/{address}"
    shown, submitted, weights, queries = [], [], [], []
    client.get(address)
    for number in range(pages - 1):
        fields = dict.fromkeys(CRITERIA, "5") | {"version": "0", "draft_version": "0"}
        start = time.perf_counter()
        answer = client.post(address, fields | {"key": f"k{number}", "shown": "aligned diff"})
        submitted.append(time.perf_counter() - start)
        address = answer["Location"]
        if number % 20 == 0:
            with CaptureQueriesContext(connection) as captured:
                page = client.get(address)
            queries.append(len(captured))
            weights.append(len(gzip.compress(page.content, 6)))
            continue
        start = time.perf_counter()
        page = client.get(address)
        shown.append(time.perf_counter() - start)
        assert page.status_code == 200, page.status_code
    print(f"database: {connection.vendor}; {machine()}")
    for name, times in (("page", shown), ("submit", submitted)):
        print(f"{name}: {spread(times)} ms (median / p95 / max)")
    print(f"queries of the page: at most {max(queries)}")
    print(f"weight of the page, gzip: at most {max(weights) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
