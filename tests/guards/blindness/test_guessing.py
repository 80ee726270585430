"""P18, B2, B3: what is shown, without the claims, shows no classifier which system it was."""

import random
import re
from collections.abc import Iterable, Iterator, MutableSequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.assignments.services import assign_candidates, take_next
from annotator.models import Assignment, Candidate, Membership, Reference
from tests.conftest import signed_in
from tests.guards.blindness.clocks import clock_query
from tests.guards.blindness.guesser import Shown, share_guessed
from tests.soak.tally import Tally, tally

__all__ = ["tally"]
pytestmark = [pytest.mark.slow, pytest.mark.promise("P18")]
ITEMS: Final = 500
MOST_RIGHT: Final = 0.55
SURE: Final = 0.9
LINK: Final = re.compile(r'href="/rate/([0-9a-f-]{36})/"')


class Unshuffled(random.Random):
    """A fault: leaves everything in the order in which it came."""

    def shuffle(self, x: MutableSequence[object]) -> None:
        """Do nothing."""


class DrawnClock(dict[str, str]):
    """What asks a database for its time: it answers a drawn step after the one before."""

    def __init__(self, chance: random.Random) -> None:
        """Begin where no lease has run out by the database's own clock."""
        super().__init__()
        self.chance = chance
        self.now = datetime(2100, 1, 1)

    def __getitem__(self, vendor: str) -> str:
        """Go on by up to a tenth of a second."""
        self.now += timedelta(milliseconds=self.chance.randrange(1, 100))
        return clock_query(self.now, vendor)


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> random.Random:
    """Repeat every draw, those of random ids included, so that the guess is the same each time.

    A coin is right more often than the pass line in one of some twenty tries.
    """
    chance = random.Random(20_261_122)
    monkeypatch.setattr("os.urandom", chance.randbytes)
    monkeypatch.setattr("random.SystemRandom", lambda: chance)
    monkeypatch.setattr("core.clock._NOW", DrawnClock(chance))
    return chance


@pytest.fixture
def pairs(cast, draws: random.Random) -> list[Candidate]:
    """Two candidates a reference, the first system's first, and one text for them all."""
    references = Reference.objects.bulk_create(
        Reference(
            campaign=cast.campaign,
            reference_id=f"r{number}",
            claims="1. A cup.",
            claims_sha256=f"{number}",
            position=number,
        )
        for number in range(ITEMS // 2)
    )
    return Candidate.objects.bulk_create(
        Candidate(
            reference=reference,
            campaign=cast.campaign,
            queue_position=reference.position,
            candidate_id=f"{reference.position}-{system}",
            system=system,
            claims="1. A mug.",
            claims_sha256=f"{reference.position}-{system}",
        )
        for reference in references
        for system in ("first", "second")
    )


@pytest.fixture
def rows(cast, pairs, draws) -> dict[str, Assignment]:
    """Give alice everything; her assignments by id."""
    assign_candidates(campaign=cast.campaign, annotator=cast.alice, candidates=pairs, chance=draws)
    return by_id(cast)


def by_id(cast) -> dict[str, Assignment]:
    found = Assignment.objects.filter(annotator=cast.alice).order_by("position")
    return {str(row.pk): row for row in found.select_related("candidate")}


def shown(row: Assignment, text: str) -> Shown:
    candidate = row.candidate
    return Shown(text, str(candidate.reference_id), candidate.system == "first")


def queue_of(cast, rows: dict[str, Assignment]) -> Iterator[Shown]:
    """Yield the lines of the queue's pages, in the order of the pages."""
    client = signed_in(cast.alice)
    count = client.get("/").context["queue"].page.paginator.num_pages
    texts: dict[str, str] = {}
    for number in range(1, count + 1):
        pieces = re.split(LINK, client.get(f"/?page={number}").content.decode())
        for pk, after in zip(pieces[1::2], pieces[2::2], strict=True):
            texts[pk] = f"{texts.get(pk, '')} {pk} {after[:600]}"
    assert len(texts) == len(rows)
    for pk, text in texts.items():
        yield shown(rows[pk], text)


def pages_of(cast, rows: dict[str, Assignment]) -> Iterator[Shown]:
    """Yield the rate page of every candidate with its headers, in the order in which it is met."""
    client = signed_in(cast.alice)
    for pk, row in rows.items():
        answer = client.get(f"/rate/{pk}/")
        headers = " ".join(f"{name} {value}" for name, value in answer.items())
        yield shown(row, f"{headers} {answer.content.decode()}")


def next_answers(cast) -> Iterator[Shown]:
    """Yield what a program is given next, and what answers its rating, until nothing is left."""
    token = create_token(user=cast.alice).token
    api = Client(headers={"Authorization": f"Token {token}"})
    texts = {}
    for _ in range(ITEMS):
        answer = api.post("/api/v1/campaigns/cups/assignments/next/")
        texts[answer.json()["id"]] = answer.content.decode()
        Assignment.objects.filter(pk=answer.json()["id"]).update(status="submitted")
    rows = by_id(cast)
    assert len(texts) == ITEMS
    for pk, text in texts.items():
        yield shown(rows[pk], text)


@pytest.mark.promise("P18", planted=True)
def test_the_guesser_learns_from_a_word_and_from_an_order() -> None:
    """Planted faults: a word that one system has more often, and the smaller of two numbers."""
    chance = random.Random(1)
    for plant in ("a {}", "{}"):
        rows = [
            Shown(
                plant.format("new" if is_first else "old")
                if "a" in plant
                else f"{chance.randrange(1000) * 2 + (0 if is_first else 2000)}",
                str(number),
                is_first,
            )
            for number in range(60)
            for is_first in chance.sample((True, False), 2)
        ]
        assert share_guessed(rows) > SURE


@pytest.mark.promise("P18", planted=True)
def test_the_guesser_finds_a_system_that_the_order_reveals(cast, pairs, draws) -> None:
    """The planted fault: candidates sorted by their system."""
    assign_candidates(
        campaign=cast.campaign, annotator=cast.alice, candidates=pairs, chance=Unshuffled()
    )
    assert share_guessed(queue_of(cast, by_id(cast))) > SURE


def assert_blind(found: Iterable[Shown], tally: Tally) -> None:
    """Assert that the guesser is right about as often as a coin."""
    share = share_guessed(found)
    tally.tried(items_guessed=ITEMS)
    tally.noted(f"{share:.1%} were guessed")
    assert share <= MOST_RIGHT


def test_the_queue_does_not_reveal_the_system(cast, rows, tally) -> None:
    assert_blind(queue_of(cast, rows), tally)


@pytest.mark.exhaustive
def test_the_pages_of_candidates_do_not_reveal_the_system(cast, rows, tally) -> None:
    assert_blind(pages_of(cast, rows), tally)


@pytest.mark.exhaustive
def test_what_a_program_is_answered_does_not_reveal_the_system(cast, pairs, tally) -> None:
    assert_blind(next_answers(cast), tally)


def test_two_annotators_meet_the_candidates_of_a_reference_in_orders_of_their_own(
    cast, pairs, draws
) -> None:
    orders = []
    for user in (cast.alice, cast.bob):
        assign_candidates(campaign=cast.campaign, annotator=user, candidates=pairs, chance=draws)
        rows = Assignment.objects.filter(annotator=user).order_by("position")
        orders.append(list(rows.values_list("candidate_id", flat=True)))
    alike = sum(one == other for one, other in zip(*orders, strict=True)) / len(pairs)
    assert 0.4 < alike < 0.6


@pytest.mark.exhaustive
def test_the_order_drawn_by_take_next_differs_from_one_annotator_to_the_next(
    cast, pairs, draws
) -> None:
    assert Membership.objects.filter(campaign=cast.campaign, role="annotator").count() == 2
    firsts: dict[UUID, dict[UUID, UUID]] = {}
    for user in (cast.alice, cast.bob):
        for _ in range(60):
            row = take_next(slug="cups", annotator=user)
            assert row is not None
            firsts.setdefault(row.candidate.reference_id, {}).setdefault(user.pk, row.candidate_id)
            Assignment.objects.filter(pk=row.pk).update(status="submitted")
    alike = [len(set(by.values())) == 1 for by in firsts.values() if len(by) == 2]
    assert 0 < sum(alike) < len(alike)
