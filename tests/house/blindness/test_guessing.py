"""B2, B3: nothing but the text of a candidate tells better than chance which system made it."""

import random
import re
from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import pytest
from django.test import Client

from annotator.models import Assignment, Candidate, Membership, Reference, User
from annotator.services.assignments import assign_candidates, take_next
from annotator.services.people import create_token

ITEMS: Final = 500
MOST_RIGHT: Final = 0.55
RATE_LINK: Final = re.compile(r'href="/rate/([0-9a-f-]{36})/"[^>]*>[^<]*?(\d+)')


@dataclass(frozen=True, slots=True)
class Seen:
    """What an annotator sees of one candidate beside its text, and which system made it."""

    features: tuple[float, ...]
    is_first_system: bool


class Unshuffled(random.Random):
    """A fault: leaves everything in the order in which it came."""

    def shuffle(self, x: MutableSequence[object]) -> None:
        """Do nothing."""


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> random.Random:
    """Repeat every draw, those of random ids included, so that the guess is the same each time."""
    chance = random.Random(20_261_121)
    monkeypatch.setattr("os.urandom", chance.randbytes)
    monkeypatch.setattr("random.SystemRandom", lambda: chance)
    return chance


@pytest.fixture
def pairs(cast, draws: random.Random) -> None:
    """Two candidates a reference, always in the same order of import: the first system first."""
    for number in range(ITEMS):
        reference = Reference.objects.create(
            campaign=cast.campaign,
            reference_id=f"r{number}",
            claims="1. A cup.",
            claims_sha256=f"{number}",
            position=number,
        )
        Candidate.objects.bulk_create(
            Candidate(
                reference=reference,
                campaign=cast.campaign,
                queue_position=number,
                candidate_id=f"{number}-{system}",
                system=system,
                claims=f"1. A mug of {system}.",
                claims_sha256=f"{number}-{system}",
            )
            for system in ("first", "second")
        )


def of_id(pk: UUID) -> tuple[float, ...]:
    """Return what the digits of an id could tell."""
    return (pk.int % 2, pk.int >> 96, pk.int & 0xFFFF)


def as_seen(rows: Sequence[Assignment]) -> list[Seen]:
    """Return each assignment as its annotator meets it, in the order in which it is met."""
    systems = dict(Candidate.objects.values_list("pk", "system"))
    found, before = [], None
    for place, row in enumerate(rows):
        reference = row.candidate.reference_id
        within = 1 if reference == before else 0
        before = reference
        number = int(row.label.split()[-1])
        features = (place, place % 2, within, number, number % 2, row.position % 2)
        found.append(Seen((*features, *of_id(row.pk)), systems[row.candidate_id] == "first"))
    return found


@dataclass(frozen=True, slots=True)
class Guesser:
    """Takes those whose feature is at most the cut for the first system, or those above it."""

    index: int
    cut: float
    is_low_first: bool

    def __call__(self, one: Seen) -> bool:
        return (one.features[self.index] <= self.cut) == self.is_low_first


def guessers(seen: Sequence[Seen]) -> Iterator[Guesser]:
    """Yield simple guessers: one feature, cut at one of its values."""
    for index in range(len(seen[0].features)):
        values = sorted({one.features[index] for one in seen})
        for cut in values[:: max(1, len(values) // 20)]:
            yield Guesser(index, cut, is_low_first=True)
            yield Guesser(index, cut, is_low_first=False)


def share_right(guess: Guesser, seen: Sequence[Seen]) -> float:
    return sum(guess(one) == one.is_first_system for one in seen) / len(seen)


def learnt_share(seen: list[Seen], draws: random.Random) -> float:
    """Return how often the best guesser of one half is right about the other half."""
    draws.shuffle(seen)
    half = len(seen) // 2
    learn, test = seen[:half], seen[half:]
    best = max(guessers(learn), key=lambda guess: share_right(guess, learn))
    return share_right(best, test)


def rows_of(user: User) -> list[Assignment]:
    rows = Assignment.objects.filter(annotator=user).select_related("candidate")
    return list(rows.order_by("position"))


def test_the_guesser_finds_a_system_that_the_order_tells(cast, pairs, draws) -> None:
    """A planted fault: without shuffling, the first of each pair is of the first system."""
    rows = list(Candidate.objects.order_by("queue_position", "candidate_id"))
    assign_candidates(
        campaign=cast.campaign, annotator=cast.alice, candidates=rows, chance=Unshuffled()
    )
    assert learnt_share(as_seen(rows_of(cast.alice)), draws) > 0.95


def test_order_label_and_id_of_a_named_assignment_do_not_tell_the_system(
    cast, pairs, draws
) -> None:
    rows = list(Candidate.objects.order_by("queue_position", "candidate_id"))
    for user in (cast.alice, cast.bob):
        assign_candidates(campaign=cast.campaign, annotator=user, candidates=rows, chance=draws)
        assert learnt_share(as_seen(rows_of(user)), draws) <= MOST_RIGHT


def test_what_the_page_of_the_queue_shows_does_not_tell_the_system(
    cast, pairs, draws, client: Client
) -> None:
    rows = list(Candidate.objects.order_by("queue_position", "candidate_id")[: 2 * 250])
    assign_candidates(campaign=cast.campaign, annotator=cast.alice, candidates=rows, chance=draws)
    client.force_login(cast.alice)
    links = RATE_LINK.findall(client.get("/").content.decode())
    by_pk = {str(row.pk): row for row in rows_of(cast.alice)}
    met = [by_pk[pk] for pk in dict.fromkeys(pk for pk, _ in links)]
    assert len(met) == len(rows)
    assert learnt_share(as_seen(met), draws) <= MOST_RIGHT


def test_what_the_api_gives_out_next_does_not_tell_the_system(cast, pairs, draws) -> None:
    token = create_token(user=cast.alice).token
    api = Client(headers={"Authorization": f"Token {token}"})
    systems = dict(Candidate.objects.values_list("claims", "system"))
    seen, before, within = [], "", 0
    for place in range(ITEMS):
        told = api.post("/api/v1/campaigns/cups/assignments/next/").json()
        within = within + 1 if told["reference"]["reference_id"] == before else 0
        before = told["reference"]["reference_id"]
        number = int(told["candidate"]["label"].split()[-1])
        pk = UUID(told["id"])
        first = systems[told["candidate"]["claims"]] == "first"
        seen.append(Seen((place, place % 2, within, number % 2, *of_id(pk)), first))
        Assignment.objects.filter(pk=pk).update(status="submitted")
    assert learnt_share(seen, draws) <= MOST_RIGHT


def test_two_annotators_meet_the_candidates_of_a_reference_in_orders_of_their_own(
    cast, pairs, draws
) -> None:
    rows = list(Candidate.objects.order_by("queue_position", "candidate_id"))
    orders = []
    for user in (cast.alice, cast.bob):
        assign_candidates(campaign=cast.campaign, annotator=user, candidates=rows, chance=draws)
        orders.append([row.candidate_id for row in rows_of(user)])
    alike = sum(one == other for one, other in zip(*orders, strict=True)) / len(rows)
    assert 0.4 < alike < 0.6


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
