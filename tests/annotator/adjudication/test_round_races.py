from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from annotator.adjudication.rounds import call_back, send_back, take_turn
from annotator.assignments.services import take_next
from annotator.campaigns.services import CampaignRules, change_rules
from annotator.models import Assignment, Candidate, Rating, Round, RoundKind, Ruling, SecondLook
from annotator.rating.services import skip_assignment
from core.errors import Forbidden, OutOfDate
from tests.amounts import tries
from tests.annotator.adjudication.discrepant import (
    HIGH,
    LOW,
    disagree,
    give_ladder,
    member,
    of,
    rate_all,
    revise,
    share,
    statuses,
)
from tests.annotator.adjudication.rulings import decide
from tests.crowd import at_once

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.django_db(transaction=True),
]
ROUNDS = tries(12, share=3)
Act = Callable[[], Any]


def outcomes(acts: Sequence[Act]) -> Counter[str]:
    """Run all acts from one moment on; count what came of each. A deadlock is an error."""
    return Counter(_outcome(answer) for answer in at_once(acts))


def _outcome(answer: object) -> str:
    if isinstance(answer, OutOfDate | Forbidden):
        return "out of date"
    if isinstance(answer, Exception):
        return repr(answer)
    return "nothing" if answer is None else "done"


def test_of_several_thirds_at_once_one_takes_the_place(cast) -> None:
    give_ladder(cast)
    people = [member(cast, f"third-{number}") for number in range(4)]
    for number in range(ROUNDS):
        reference = cast.reference(f"r{number}", 1)
        for person, scores in ((cast.alice, LOW), (cast.bob, HIGH)):
            cast.submit(cast.take(person), scores)
        counted = outcomes([partial(take_next, slug="cups", annotator=user) for user in people])
        assert counted == {"done": 1, "nothing": 3}
        (third,) = Assignment.objects.filter(candidate__reference=reference, status="open")
        cast.submit(third, (5, 5, 5, 5))
        assert statuses(reference.candidates.get()) == {"open"}
    assert Round.objects.filter(kind=RoundKind.LADDER).count() == ROUNDS


def test_the_two_who_bring_a_conflict_about_ask_one_third(cast) -> None:
    give_ladder(cast)
    for number in range(3):
        member(cast, f"third-{number}")
    for number in range(ROUNDS):
        reference = cast.reference(f"r{number}", 2)
        acts: list[Act] = []
        for person, scores in ((cast.alice, LOW), (cast.bob, HIGH)):
            first, second = cast.assign(person, reference)
            cast.submit(first, scores)
            acts.append(partial(cast.submit, second, scores))
        assert outcomes(acts) == {"done": 2}
        for candidate in reference.candidates.all():
            assert statuses(candidate) == {"waiting"}
            assert (candidate.rounds.count(), candidate.places, candidate.held) == (1, 3, 3)


def test_send_back_turn_and_ruling_at_once_leave_one_of_them_standing(cast, dora) -> None:
    one, two = (member(cast, f"judge-{number}", "adjudicator") for number in range(2))
    for number in range(ROUNDS):
        candidate = disagree(cast, f"r{number}")
        pk = of(candidate).pk
        counted = outcomes(
            [
                partial(send_back, conflict_id=pk, adjudicator=one, kind="again", question="Why?"),
                partial(take_turn, conflict_id=pk, adjudicator=two),
                partial(decide, of(candidate), dora),
                partial(revise, cast.alice, candidate, (2, 2, 2, 2)),
            ]
        )
        # One adjudicator's act holds; alice's counts unless a turn or a ruling came first.
        assert set(counted) <= {"done", "out of date"} and 1 <= counted["done"] <= 2
        is_asked = candidate.rounds.exists()
        is_ruled = Ruling.objects.filter(candidate=candidate).exists()
        assert is_asked + is_ruled + hasattr(Candidate.objects.get(pk=candidate.pk), "turn") == 1
        assert statuses(candidate) == {"waiting" if is_asked else "ruled" if is_ruled else "open"}


def test_second_looks_and_a_call_back_at_once_end_the_round_once(cast, dora) -> None:
    for number in range(ROUNDS):
        candidate = disagree(cast, f"r{number}")
        pk = of(candidate).pk
        send_back(conflict_id=pk, adjudicator=dora, kind="again", question="Why?")
        Rating.objects.update(revised_at=timezone.now() - timedelta(days=9))
        counted = outcomes(
            [
                partial(revise, cast.alice, candidate),
                partial(revise, cast.bob, candidate),
                partial(call_back, conflict_id=pk, adjudicator=dora),
            ]
        )
        assert set(counted) <= {"done", "nothing", "out of date"}
        assert not candidate.rounds.filter(finished_at=None).exists()
        assert statuses(candidate) == {"open"}
        answered = SecondLook.objects.filter(round__candidate=candidate, answered_at__isnull=False)
        assert answered.count() == Rating.objects.filter(candidate=candidate, round=2).count()


def test_the_ladder_meets_takers_leavers_and_new_rules_without_a_deadlock(cast) -> None:
    give_ladder(cast)
    people = [member(cast, f"third-{number}") for number in range(3)]
    for number in range(ROUNDS):
        # Opposite orders, so that two candidates are asked about in one submit.
        reference = cast.reference(f"r{number}", 2)
        rate_all(cast, cast.alice, reference, [(5, 5, 5, 5), (6, 6, 6, 6)])
        rows = cast.assign(cast.bob, reference)
        first, second = reference.candidates.order_by("candidate_id")
        values = {first.pk: (6, 6, 6, 6), second.pk: (5, 5, 5, 5)}
        cast.submit(rows[0], values[rows[0].candidate_id])
        held = cast.assign(people[0], reference)[0]
        now = {name: getattr(cast.campaign, name) for name in CampaignRules.__dataclass_fields__}
        wider = {"overlap": 2 + number % 2, "criterion_gap": 3 + number % 5}
        changed = CampaignRules(**(now | wider))
        counted = outcomes(
            [
                partial(cast.submit, rows[1], values[rows[1].candidate_id]),
                partial(skip_assignment, assignment=held, reason_code="unreadable"),
                *(partial(take_next, slug="cups", annotator=user) for user in people[1:]),
                partial(change_rules, campaign=cast.campaign, rules=changed, changed_by=cast.ada),
            ]
        )
        assert set(counted) <= {"done", "nothing"}, counted
        for candidate in reference.candidates.all():
            holding = candidate.assignments.filter(status__in=("open", "submitted")).count()
            assert candidate.held == holding
            assert candidate.has_room == (candidate.held < candidate.places)


def test_answers_of_many_people_on_shared_references_meet_no_deadlock(cast) -> None:
    give_ladder(cast)
    people = [member(cast, f"person-{number}") for number in range(4)]
    for number in range(ROUNDS):
        reference = cast.reference(f"r{number}", 3)
        acts = [
            partial(cast.submit, row, [3 * place] * 4)
            for place, person in enumerate(people[:3])
            for row in cast.assign(person, reference)
        ]
        assert outcomes(acts) == {"done": 9}
        for candidate in reference.candidates.all():
            assert statuses(candidate) <= {"open", "waiting", "lapsed"}
            assert share(people[0], candidate).status == "submitted"
            assert candidate.rounds.count() <= 1
