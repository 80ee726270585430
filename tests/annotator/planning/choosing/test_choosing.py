"""A campaign that chooses its order: what comes first, what is drawn, and what is not moved."""

import random
from typing import Any

import pytest
from django.db.models import F

from annotator.assignments.services import take_next
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Reference,
)
from annotator.planning.choosing.queries import (
    choosing_campaigns,
    choosing_of,
    is_out_of_order,
    waiting_references,
)
from annotator.planning.choosing.rules import BLOCK
from annotator.planning.choosing.services import order_queue, set_choosing
from annotator.planning.queries import plan_facts
from annotator.planning.sentinels import add_sentinels
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def references(cast) -> list[Reference]:
    return [cast.reference(f"r{number:02}", 2) for number in range(20)]


def choose(cast, *, is_on: bool = True, percent: int = 30) -> Campaign:
    return set_choosing(campaign=cast.campaign, is_on=is_on, percent=percent, by=cast.ada)


def order(cast, *, backwards: bool = True, seed: int = 1) -> int:
    """Put the queue into order as if the last that came taught most."""
    teaching = waiting_references(cast.campaign)
    if backwards:
        teaching.reverse()
    return order_queue(campaign=cast.campaign, teaching=teaching, chance=random.Random(seed))


def queue() -> list[tuple[str, bool | None]]:
    """Return the references in the order of the queue, and whether each is control."""
    rows = Candidate.objects.order_by("queue_position", "reference__reference_id")
    names = rows.values_list("reference__reference_id", "reference__is_control")
    return list(dict.fromkeys(names))


def taken(cast, person: Any, count: int) -> list[str]:
    """Return the references of the candidates that somebody is given one after the other."""
    found = []
    for _ in range(count):
        row = take_next(slug="cups", annotator=person)
        assert row is not None
        Assignment.objects.filter(pk=row.pk).update(status="submitted")
        found.append(row.candidate.reference.reference_id)
    return found


def test_off_everything_comes_as_it_was_imported(cast, references) -> None:
    assert not Campaign.objects.get(slug="cups").is_choosing
    assert taken(cast, cast.alice, 6) == ["r00", "r00", "r01", "r01", "r02", "r02"]
    assert not choosing_campaigns()
    with pytest.raises(OutOfDate, match="does not choose"):
        order(cast)


def test_a_share_is_drawn_and_the_rest_comes_as_it_teaches(cast, references) -> None:
    choose(cast)
    assert [row.slug for row in choosing_campaigns()] == ["cups"]
    assert is_out_of_order(cast.campaign)
    assert order(cast) == 20
    found = queue()
    assert sum(is_control is True for _, is_control in found) == 6
    assert sum(is_control is True for _, is_control in found[:BLOCK]) == 3
    chosen = [name for name, is_control in found if is_control is False]
    assert chosen == sorted(chosen, reverse=True)
    assert not is_out_of_order(cast.campaign)
    event = AuditEvent.objects.get(action="queue.ordered")
    assert (event.details["references"], event.details["control"]) == (20, 6)
    assert len(event.details["control_sha256"]) == 64
    names = [name for name, _ in found]
    assert taken(cast, cast.alice, 6) == [name for name in names[:3] for _ in (1, 2)]


def test_the_control_share_is_drawn_and_in_an_order_of_chance(cast, references) -> None:
    """Over many draws each reference is control as often as another, and as often early."""
    choose(cast)
    drawn: dict[str, int] = {}
    early: dict[str, int] = {}
    for seed in range(60):
        Reference.objects.update(is_control=None)
        order(cast, seed=seed)
        names = [name for name, is_control in queue() if is_control]
        for name in names:
            drawn[name] = drawn.get(name, 0) + 1
        for name in names[:3]:
            early[name] = early.get(name, 0) + 1
    assert len(drawn) == 20
    assert all(8 <= count <= 28 for count in drawn.values()), drawn
    assert all(2 <= count <= 18 for count in early.values()), early


def test_what_is_drawn_stays_drawn_and_what_comes_later_gets_its_share(cast, references) -> None:
    choose(cast)
    order(cast)
    before = dict(queue())
    taken(cast, cast.alice, 8)
    for number in range(20, 31):
        cast.reference(f"r{number}", 2)
    assert is_out_of_order(cast.campaign)
    order(cast)
    after = dict(queue())
    assert {name: after[name] for name in before} == before
    assert sum(value is True for value in after.values()) == 10
    assert not any(value is None for value in after.values())


def test_what_is_begun_is_not_moved_behind_and_what_was_begun_before_is_not_drawn(
    cast, references
) -> None:
    taken(cast, cast.alice, 3)
    choose(cast)
    order(cast)
    found = queue()
    assert found[:2] == [("r00", None), ("r01", None)]
    assert all(is_control is not None for _, is_control in found[2:])
    # The other half of r01, and then what stands first of the rest.
    assert taken(cast, cast.alice, 2) == ["r01", found[2][0]]
    # Bob is given what alice has begun, so that both rate it.
    assert taken(cast, cast.bob, 4) == ["r00", "r00", "r01", "r01"]
    known = choosing_of(Campaign.objects.get(slug="cups"))
    assert (known.before, known.control, known.chosen, known.waiting) == (2, 6, 12, 0)


def test_what_an_annotator_has_by_name_stays_as_it_was(cast, references) -> None:
    rows = cast.assign(cast.alice, references[4]) + cast.assign(cast.alice, references[2])
    before = list(Assignment.objects.order_by("position").values_list("pk", "label"))
    choose(cast)
    order(cast)
    assert list(Assignment.objects.order_by("position").values_list("pk", "label")) == before
    assert take_next(slug="cups", annotator=cast.alice) == rows[0]


def test_a_plan_gives_the_references_in_the_order_of_the_queue(cast, references) -> None:
    choose(cast)
    order(cast)
    campaign = Campaign.objects.get(slug="cups")
    names = dict(Reference.objects.values_list("pk", "reference_id"))
    planned = [names[type(next(iter(names)))(one.key)] for one in plan_facts(campaign, [])[0]]
    assert planned == [name for name, _ in queue()] != sorted(planned)


def test_switched_off_the_queue_is_as_before_to_the_number(cast, references) -> None:
    before = list(Candidate.objects.order_by("pk").values_list("pk", "queue_position"))
    choose(cast)
    order(cast)
    assert list(Candidate.objects.order_by("pk").values_list("pk", "queue_position")) != before
    choose(cast, is_on=False)
    assert list(Candidate.objects.order_by("pk").values_list("pk", "queue_position")) == before


def test_the_draw_is_taken_back_only_where_nothing_chosen_was_begun(cast, references) -> None:
    choose(cast)
    order(cast)
    choose(cast, is_on=False)
    assert not Reference.objects.exclude(is_control=None).exists()
    choose(cast, percent=40)
    order(cast)
    chosen = next(name for name, is_control in queue() if is_control is False)
    cast.assign(cast.alice, Reference.objects.get(reference_id=chosen))
    drawn = dict(queue())
    choose(cast, is_on=False, percent=40)
    assert dict(queue()) == drawn
    events = AuditEvent.objects.filter(action="choosing.set").order_by("pk")
    assert [event.details["is_undone"] for event in events] == [False, True, False, False]
    with pytest.raises(Refused, match="drawn at 40 per cent"):
        choose(cast, percent=50)


@pytest.mark.parametrize("percent", [-1, 0, 9, 91, 100, 10**6])
def test_a_share_that_leaves_nothing_to_choose_or_to_measure_is_refused(cast, percent) -> None:
    with pytest.raises(Refused, match="From 10 to 90 per cent"):
        choose(cast, percent=percent)


def test_a_closed_campaign_is_left_alone(cast, references) -> None:
    choose(cast)
    Campaign.objects.filter(slug="cups").update(status="closed")
    assert not choosing_campaigns()
    with pytest.raises(OutOfDate, match="closed"):
        order(cast)
    with pytest.raises(OutOfDate, match="closed"):
        choose(cast, is_on=False)


def test_candidates_that_came_later_join_the_others_of_their_reference(cast, references) -> None:
    choose(cast)
    order(cast)
    moved = Candidate.objects.exclude(queue_position=F("reference__position")).first()
    assert moved is not None
    own = Reference.objects.filter(pk=moved.reference_id)
    own.update(claims="1. A cup with a lid of steel.")
    Reference.objects.exclude(pk=moved.reference_id).update(claims="A cup")
    (sentinel,) = add_sentinels(
        campaign=Campaign.objects.get(slug="cups"), count=1, seed=1, by=cast.ada
    )
    assert sentinel.reference_id == moved.reference_id
    siblings = Candidate.objects.filter(reference=sentinel.reference_id)
    assert len(set(siblings.values_list("queue_position", flat=True))) == 1
    late = Candidate.objects.create(
        reference=references[3],
        campaign=cast.campaign,
        queue_position=4000,
        candidate_id="late",
        claims="1. A mug.",
        claims_sha256="late",
    )
    assert is_out_of_order(cast.campaign)
    order(cast)
    siblings = Candidate.objects.filter(reference=late.reference_id)
    assert len(set(siblings.values_list("queue_position", flat=True))) == 1


def test_erased_references_are_neither_drawn_nor_waited_for(cast, references) -> None:
    choose(cast)
    Reference.objects.filter(reference_id__lt="r10").update(erased_at="2026-01-01T00:00Z")
    assert order(cast) == 10
    assert Reference.objects.filter(is_control=True).count() == 3
    assert not is_out_of_order(cast.campaign)
