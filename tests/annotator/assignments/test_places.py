import random
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest
from django.utils import timezone

from annotator.assignments.services import (
    add_places,
    assign_candidates,
    free_place,
    hold_place,
    lapse_leases,
    lapse_leases_everywhere,
    take_next,
)
from annotator.models import HOLDING, Assignment, AuditEvent, Campaign, Candidate
from annotator.rating.services import recuse, return_to, skip_assignment
from core.errors import OutOfDate, Refused
from tests.amounts import few, tries
from tests.annotator.adjudication.discrepant import member
from tests.conftest import spread
from tests.crowd import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def run_out(rows: Iterable[Assignment]) -> None:
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk__in=[row.pk for row in rows]).update(lease_expires_at=past)


class Walk:
    """Random acts on one campaign, beside a dictionary that says what each should have done."""

    def __init__(self, cast, seed: int) -> None:
        self.chance = random.Random(seed)
        self.campaign: Campaign = cast.campaign
        self.submitted = cast.submit
        for number in range(8):
            cast.reference(f"r{number}", 3)
        self.people = [cast.alice, cast.bob, member(cast, "cleo"), member(cast, "dan")]
        self.known: dict[UUID, str] = {}
        self.history: list[str] = []
        self.done: Counter[str] = Counter()
        self.full: set[UUID] = set()
        self.has_seen_places_freed = False

    def step(self) -> None:
        act = self.chance.choices(
            [self.take, self.submit, self.skip, self.recuse, self.back, self.lapse, self.name],
            [6, 3, 4, 1, 3, 4, 2],
        )[0]
        self.history.append(act.__name__)
        before = dict(self.known)
        try:
            act()
        except Refused as refusal:
            self.history.append(refusal.sentence)
        self.done[act.__name__] += self.known != before

    def one(self, *statuses: str) -> Assignment | None:
        rows = [pk for pk, status in self.known.items() if status in statuses]
        if not rows:
            return None
        joined = ("campaign", "candidate", "annotator")
        return Assignment.objects.select_related(*joined).get(pk=self.chance.choice(rows))

    def take(self) -> None:
        row = take_next(slug=self.campaign.slug, annotator=self.chance.choice(self.people))
        if row is None:
            return
        if self.known.get(row.pk) != "open":
            held = Counter(self.holders())[row.candidate_id]
            assert held < self.campaign.overlap, self.history
        self.known[row.pk] = "open"

    def holders(self) -> list[UUID]:
        rows = [pk for pk, status in self.known.items() if status in HOLDING]
        return list(Assignment.objects.filter(pk__in=rows).values_list("candidate_id", flat=True))

    def submit(self) -> None:
        if row := self.one("open", "lapsed", "skipped", "recused"):
            self.submitted(row)
            self.known[row.pk] = "submitted"

    def skip(self) -> None:
        if row := self.one("open", "lapsed", "submitted", "skipped"):
            skip_assignment(assignment=row, reason_code="not-now")
            self.known[row.pk] = "skipped"

    def recuse(self) -> None:
        if row := self.one("open", "skipped", "submitted"):
            for departure in recuse(assignment=row):
                self.known[departure.assignment_id] = "recused"
                if departure.rerouted_to:
                    self.known[departure.rerouted_to.pk] = "open"

    def back(self) -> None:
        if row := self.one("skipped", "recused", "open"):
            return_to(assignment=row)
            self.known[row.pk] = "open"

    def lapse(self) -> None:
        row = self.one("open")
        if row and row.lease_expires_at:
            run_out([row])
            assert lapse_leases(self.campaign) == 1
            self.known[row.pk] = "lapsed"

    def name(self) -> None:
        user = self.chance.choice(self.people)
        free = Candidate.objects.exclude(assignments__annotator=user).order_by("pk")
        for row in assign_candidates(
            campaign=self.campaign, annotator=user, candidates=list(free[:1])
        ):
            self.known[row.pk] = "open"

    def check(self) -> None:
        stored = dict(Assignment.objects.values_list("pk", "status"))
        assert stored == self.known, self.history
        counted = Counter(self.holders())
        for pk, held, has_room in Candidate.objects.values_list("pk", "held", "has_room"):
            assert held == counted[pk], self.history
            assert has_room == (held < self.campaign.overlap), self.history
            self.has_seen_places_freed |= has_room and pk in self.full
            self.full = self.full - {pk} if has_room else self.full | {pk}


@pytest.mark.parametrize("seed", few(range(4)))
@pytest.mark.parametrize("overlap", [1, 2])
def test_what_candidates_say_of_their_places_is_always_a_recount(cast, seed, overlap) -> None:
    spread(cast.campaign, overlap)
    walk = Walk(cast, seed)
    for number in range(150):
        walk.step()
        walk.check()
        has_done_all = len(+walk.done) == 7 and walk.has_seen_places_freed
        if number >= tries(150, 3) and has_done_all:
            break
    # A walk in which everything was refused would show nothing.
    assert len(+walk.done) == 7, walk.done


def test_places_are_held_up_to_the_overlap_beyond_it_by_an_admin_and_given_back(cast) -> None:
    candidate = cast.reference("r1", 1).candidates.get()
    found = []
    for act in (hold_place, hold_place, hold_place, free_place, free_place, free_place):
        answer = act(candidate.pk)
        candidate.refresh_from_db()
        found.append((answer, candidate.held, candidate.has_room))
    assert found == [
        (True, 1, True),
        (True, 2, False),
        (False, 2, False),
        (None, 1, True),
        (None, 0, True),
        (None, 0, True),
    ]
    for _ in range(3):
        add_places([candidate.pk])
    scenes = []
    for _ in range(2):
        free_place(candidate.pk)
        candidate.refresh_from_db()
        scenes.append((candidate.held, candidate.has_room))
    assert scenes == [(2, False), (1, True)]


def test_a_run_out_lease_is_counted_once_and_written_to_the_trail(cast) -> None:
    cast.reference("r1", 2)
    run_out([cast.take(cast.alice)])
    take_next(slug=cast.campaign.slug, annotator=cast.bob)
    assert [lapse_leases(cast.campaign), lapse_leases(cast.campaign)] == [1, 0]
    assert AuditEvent.objects.filter(action="assignment.lapsed").count() == 1
    assert Assignment.objects.get(status="open").annotator == cast.bob
    # What was assigned by name never lapses.
    cast.assign(cast.alice, cast.reference("r2", 1))
    assert lapse_leases(cast.campaign) == 0


def test_the_sweeper_frees_places_in_every_campaign(cast) -> None:
    taken = []
    for campaign, user in ((cast.campaign, cast.alice), (cast.elsewhere, cast.mallory)):
        cast.reference("r1", 1, campaign)
        row = take_next(slug=campaign.slug, annotator=user)
        assert row is not None
        taken.append(row)
    run_out(taken)
    assert lapse_leases(cast.campaign) == 1
    assert lapse_leases_everywhere() == 1
    assert list(Candidate.objects.values_list("held", "has_room")) == [(0, True)] * 2


@pytest.mark.django_db(transaction=True)
def test_one_person_asking_twice_at_once_gets_one_candidate(cast) -> None:
    cast.reference("r1", 3)
    answers = at_once([lambda: take_next(slug=cast.campaign.slug, annotator=cast.alice)] * 4)
    assert len({row.pk for row in answers if isinstance(row, Assignment)}) == 1, answers
    assert Assignment.objects.count() == 1
    assert sum(Candidate.objects.values_list("held", flat=True)) == 1


@pytest.mark.django_db(transaction=True)
def test_taking_back_twice_at_once_holds_one_place(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    skip_assignment(assignment=row, reason_code="not-now")
    answers = at_once([lambda: return_to(assignment=row)] * 4)
    assert answers.count(None) == 1, answers
    assert sum(isinstance(answer, OutOfDate) for answer in answers) == 3, answers
    assert Candidate.objects.get().held == 1


@pytest.mark.django_db(transaction=True)
def test_a_submit_and_a_skip_at_once_leave_one_state_and_its_count(cast) -> None:
    for number in range(4):
        reference = cast.reference(f"r{number}", 1)
        (row,) = cast.assign(cast.alice, reference)
        acts = [
            partial(cast.submit, row),
            partial(skip_assignment, assignment=row, reason_code="not-now"),
        ]
        answers = at_once(acts)
        assert sum(isinstance(answer, OutOfDate) for answer in answers) == 1, answers
        row.refresh_from_db()
        held = reference.candidates.get().held
        assert (row.status, held) in {("submitted", 1), ("skipped", 0)}, answers
