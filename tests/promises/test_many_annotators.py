"""P30: fifty annotators do not notice each other; the figures are noted, only their work is judged.

make soak SOAK_ARGS=tests/promises/test_many_annotators.py
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from typing import Any, Final

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotator.assignments.queries import QueueCampaign, queue_for
from annotator.models import Candidate, Draft, Rating, Reference, User
from annotator.site import home
from patclaimeval.rubric import CRITERIA
from tests.conftest import grant, make_reference, make_user, spread
from tests.crowd import at_once
from tests.promises.harness import SCALE, Answer, Tab
from tests.served.server import Server
from tests.soak.tally import Tally

pytestmark = [pytest.mark.promise("P30"), pytest.mark.slow, pytest.mark.django_db(transaction=True)]
ANNOTATORS: Final = 50 if SCALE > 1 else 10
SECONDS: Final = 120 if SCALE > 1 else 3
# Two rate each candidate; more than they come to within the time.
REFERENCES: Final = 1500 if SCALE > 1 else 40
CANDIDATES: Final = 5
# One word in each claim of the candidate is another: 20 marks, of which published pairs of this
# length have as many.
FEATURES: Final = (
    "a handle is joined to the body",
    "a wall of fired clay surrounds a space for a liquid and has a lower edge of even width",
    "an outer surface, which a hand can hold, is covered with a layer of glaze of one colour",
    "a foot of smaller diameter carries the weight and keeps the table free of scratches",
)
CLAIMS: Final = "\n".join(
    f"{n}. {f'The cup of claim {n - 1}' if n > 1 else 'A cup comprising a body'}, wherein "
    f"{', and '.join(FEATURES)}."
    for n in range(1, 21)
)
FROM_THE_SCRIPT: Final = {"HX-Request": "true"}


@dataclass
class Figures:
    """What a crowd met: the seconds of each answer and its status, by what was asked for."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)

    def timed(self, what: str, ask: Callable[[], Answer]) -> Answer:
        begun = time.monotonic()
        answer = ask()
        self.seconds.setdefault(what, []).append(time.monotonic() - begun)
        self.statuses[what, answer.status] += 1
        return answer

    def __iadd__(self, other: "Figures") -> "Figures":
        for what, seconds in other.seconds.items():
            self.seconds.setdefault(what, []).extend(seconds)
        self.statuses += other.statuses
        return self

    @property
    def requests(self) -> int:
        return self.statuses.total()

    def lines(self) -> Iterator[str]:
        for what, seconds in self.seconds.items():
            ordered = sorted(seconds)
            middle, most = (ordered[int(share * len(ordered))] for share in (0.5, 0.95))
            yield f"{what}: {1000 * middle:.0f} / {1000 * most:.0f} / {1000 * ordered[-1]:.0f} ms"


def work(tab: Tab, name: str, is_over: Event) -> Figures:
    """Take, look, type, submit and go on to what comes next, until the time is over."""
    met = Figures()
    place = met.timed("take", lambda: tab.post("/campaigns/cups/next/", {})).location
    while place.startswith("/rate/") and not is_over.is_set():
        met.timed("page", partial(tab.get, place))
        form = dict.fromkeys(CRITERIA, "7") | {"comment": f"{name} {place}", "version": "0"}
        save = partial(tab.post, f"{place}draft/", form | {"draft_version": "0"}, **FROM_THE_SCRIPT)
        met.timed("draft", save)
        submit = partial(tab.post, place, form | {"draft_version": "1", "key": f"{name} {place}"})
        place = met.timed("submit and next", submit).location
    return met


@contextmanager
def memory_noted(server: Server, tally: Tally) -> Iterator[Event]:
    """Give what is set once the time is over; note how far the server grew after a warm start."""
    is_over = Event()
    noted: list[int] = []

    def watch() -> None:
        is_over.wait(SECONDS / 4)
        noted.append(server.memory_kb())
        is_over.wait(3 * SECONDS / 4)
        noted.append(server.memory_kb())
        is_over.set()

    thread = Thread(target=watch)
    thread.start()
    try:
        yield is_over
    finally:
        is_over.set()
        thread.join()
    begun, ended = (kb / 1024 for kb in noted)
    tally.noted(f"the server grew from {begun:.0f} to {ended:.0f} MB in the last three quarters")


def test_fifty_annotators_at_once_are_all_answered_and_all_is_stored(cast, server, tally) -> None:
    with transaction.atomic():
        for number in range(REFERENCES):
            make_reference(cast.campaign, f"r{number}", CANDIDATES)
        Reference.objects.update(claims=CLAIMS)
        Candidate.objects.update(claims=CLAIMS.replace("joined", "glued"))
        spread(cast.campaign, 2)
        names = [f"annotator-{number}" for number in range(ANNOTATORS)]
        people = [grant(make_user(name), cast.campaign, "annotator") for name in names]
    tabs = [Tab(user, server.port) for user in people]
    met = Figures()
    begun = time.monotonic()
    with memory_noted(server, tally) as is_over:
        for one in at_once(
            [partial(work, *each, is_over) for each in zip(tabs, names, strict=True)]
        ):
            assert isinstance(one, Figures), one
            met += one
        took = time.monotonic() - begun
    submits = met.statuses["submit and next", 303]
    tally.tried(annotators=ANNOTATORS, submits=submits, requests=met.requests)
    tally.noted(f"{submits / took:.1f} submits a second over {took:.0f} s")
    for line in met.lines():
        tally.noted(f"median / p95 / longest of {line}")
    failed = sum(n for (_, status), n in met.statuses.items() if status >= 500)
    stored = Rating.objects.count()
    tally.found(errors=failed, lost=max(0, submits - stored), doubled=max(0, stored - submits))
    usual = {("take", 303), ("page", 200), ("draft", 200), ("submit and next", 303)}
    assert set(met.statuses) == usual
    assert stored == submits > 0
    assert not Draft.objects.exists()


def queries_of_a_round(cast: Any, references: int) -> list[int]:
    """Return how many queries each step of the journey asks, with so much beside it."""
    user = grant(make_user(f"of-{references}"), cast.campaign, "annotator")
    rows = [
        row
        for number in range(references)
        for row in cast.assign(user, make_reference(cast.campaign, f"{user}-{number}", 3))
    ]
    client = Client()
    client.force_login(user)
    place = f"/rate/{rows[0].pk}/"
    form = dict.fromkeys(CRITERIA, "7") | {"version": "0", "key": place}
    steps = (
        partial(client.get, "/"),
        partial(client.get, place),
        partial(
            client.post, f"{place}draft/", form | {"draft_version": "0"}, headers=FROM_THE_SCRIPT
        ),
        partial(client.post, place, form | {"draft_version": "1"}),
    )
    asked = []
    for step in steps:
        with CaptureQueriesContext(connection) as queries:
            assert step().status_code in (200, 303)
        asked.append(len(queries))
    return asked


def test_no_step_asks_the_database_more_often_the_more_there_is(cast) -> None:
    assert queries_of_a_round(cast, 2) == queries_of_a_round(cast, 20)


def test_a_query_for_each_line_of_a_page_is_found_out(cast, monkeypatch) -> None:
    def ask_for_each(user: User) -> tuple[QueueCampaign, ...]:
        parts = queue_for(user)
        for line in (line for part in parts for line in part.references):
            assert Reference.objects.filter(reference_id=line.reference_id).exists()
        return parts

    monkeypatch.setattr(home, "queue_for", ask_for_each)
    assert queries_of_a_round(cast, 2) != queries_of_a_round(cast, 20)
