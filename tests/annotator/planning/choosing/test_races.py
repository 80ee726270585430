"""The queue is put into order while annotators take, leave and withdraw: nobody notices."""

import random
from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db.models import Count, F, Q

from annotator.assignments.services import take_next
from annotator.models import HOLDING, Assignment, Campaign, Candidate, Reference
from annotator.planning.choosing.queries import waiting_references
from annotator.planning.choosing.services import order_queue, set_choosing
from annotator.rating.services import recuse, skip_assignment
from core.errors import OutOfDate
from tests.amounts import tries
from tests.conftest import grant, make_user
from tests.crowd import at_once

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.django_db(transaction=True),
]


def put_into_order(campaign: Campaign, seed: int) -> int:
    teaching = waiting_references(campaign)
    random.Random(seed).shuffle(teaching)
    return order_queue(campaign=campaign, teaching=teaching)


def outcome(answer: object) -> str:
    if isinstance(answer, OutOfDate):
        return "out of date"
    return repr(answer) if isinstance(answer, Exception) else "done"


def leave(row: Assignment, *, reference: bool) -> Any:
    if reference:
        return recuse(assignment=row, reason="my client")
    return skip_assignment(assignment=row, reason_code="not-now")


def test_taking_and_leaving_beside_a_new_order_counts_every_place(cast) -> None:
    for number in range(12):
        cast.reference(f"r{number:02}", 3)
    people = [grant(make_user(f"p{n}"), cast.campaign, "annotator") for n in range(4)]
    campaign = set_choosing(campaign=cast.campaign, is_on=True, percent=30, by=cast.ada)
    put_into_order(campaign, 0)
    seen = Counter[str]()
    for turn in range(tries(20, share=4)):
        own = Assignment.objects.filter(annotator=people[turn % 4], status="open").first()
        left = [partial(leave, own, reference=turn % 2 == 0)] if own else []
        acts: list[Any] = [partial(take_next, slug="cups", annotator=person) for person in people]
        acts += [partial(put_into_order, campaign, turn), partial(put_into_order, campaign, turn)]
        seen += Counter(map(outcome, at_once([*acts, *left])))
        Assignment.objects.filter(status="open", annotator=people[turn % 3]).update(
            status="submitted"
        )
    assert set(seen) <= {"done", "out of date"}, seen
    assert not Candidate.objects.filter(held__gt=F("places")).exists()
    holding = Q(assignments__status__in=HOLDING)
    counted = Candidate.objects.annotate(count=Count("assignments", filter=holding))
    assert not counted.exclude(held=F("count")).exists()
    # The candidates of a reference stand together, and the share was drawn once.
    places = Candidate.objects.values("reference").annotate(Count("queue_position", distinct=True))
    assert {row["queue_position__count"] for row in places} == {1}
    drawn = Reference.objects.filter(is_control__isnull=False)
    assert (drawn.count(), drawn.filter(is_control=True).count()) == (12, 4)
