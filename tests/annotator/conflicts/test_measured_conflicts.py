import random
import uuid
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.adjudication.rounds import call_back, give_back, send_back, take_turn
from annotator.adjudication.rulings.services import void_adjudication
from annotator.conflicts.queries import reference_ratings
from annotator.conflicts.rules import ConflictRules, find_flips, find_gaps
from annotator.conflicts.services import measure_conflicts
from annotator.models import (
    UNSETTLED,
    Adjudication,
    Assignment,
    AuditEvent,
    Conflict,
    Rating,
    Reference,
    Round,
    Ruling,
)
from annotator.rating.services import revise_rating
from core.errors import Forbidden, OutOfDate, Refused
from tests.amounts import tries
from tests.annotator.adjudication.rulings import decide
from tests.annotator.conflicts.findings import as_findings
from tests.conftest import grant, make_reference, make_user, spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def rows() -> set[tuple[object, ...]]:
    return set(
        Conflict.objects.values_list(
            *("pk", "candidate", "other_candidate", "kind", "criterion", "gap", "status")
        )
    )


def flips(reference: Reference) -> dict[tuple[str, ...], tuple[int, str]]:
    """Return gap and status of the order flips by the last digits of their candidates' ids."""
    rows = Conflict.objects.filter(candidate__reference=reference, kind="order_flip")
    found = rows.values_list("candidate_id", "other_candidate_id", "gap", "status")
    names = {one.pk: one.candidate_id.rsplit("-", 1)[-1] for one in reference.candidates.all()}
    return {
        tuple(sorted((names[one], names[other]))): (gap, status)
        for one, other, gap, status in found
    }


def by_number(assignments: list[Assignment]) -> list[Assignment]:
    return sorted(assignments, key=lambda row: int(row.candidate.candidate_id.rsplit("-", 1)[-1]))


def by_all_pairs(reference: Reference, rules: ConflictRules) -> tuple[set[str], set[str]]:
    """Return the candidates in a conflict that is unsettled, and in one that nobody is asked of."""
    rulings = Ruling.objects.filter(is_valid=True).values_list("candidate_id", flat=True)
    rounds = Round.objects.filter(finished_at=None).values_list("candidate_id", flat=True)
    ruled, asked = {pk.hex for pk in rulings}, {pk.hex for pk in rounds}
    ratings = reference_ratings(reference.pk)
    findings = [*find_gaps(ratings, rules), *as_findings(find_flips(ratings, rules))]
    pairs = [{finding.candidate, finding.other_candidate} - {""} for finding in findings]
    pairs = [pair for pair in pairs if not pair <= ruled]
    return set().union(*pairs), set().union(*(pair for pair in pairs if not pair & asked))


def stored(*statuses: str) -> set[str]:
    found = Conflict.objects.filter(status__in=statuses)
    pairs = found.values_list("candidate_id", "other_candidate_id")
    return {pk.hex for pair in pairs for pk in pair if pk is not None}


ACTS = {"submit", "rule", "void", "revise", "send", "call"}


def act(chance: random.Random, cast, pending: list[Any]) -> str:
    """Do something that may change what conflicts; say what."""
    acts = ["submit"] * 3 * bool(pending) + ["rule", "rule", "void", "revise", "send", "call"]
    what = chance.choice(acts)
    if what == "submit":
        cast.submit(pending.pop(), [chance.choice((0, 4, 5, 9))] * 4)
        return what
    place = ("candidate__candidate_id", "other_candidate__candidate_id", "kind", "criterion")
    status = {"rule": "open", "send": "open", "call": "waiting"}.get(what)
    # In an order that does not hang on random keys.
    table = {
        "void": Adjudication.objects.filter(voided_at=None).order_by("made_at"),
        "revise": Rating.objects.order_by("candidate__candidate_id", "annotator__username"),
    }.get(what, Conflict.objects.filter(status=status).order_by(*place))
    row: Any = chance.choice(list(table) or [None])
    if row is None:
        return ""
    if what == "rule":
        decide(row, cast.carol)
    elif what == "send":
        send_back(conflict_id=row.pk, adjudicator=cast.carol, kind="again", question="Claim 2?")
    elif what == "call":
        call_back(conflict_id=row.pk, adjudicator=cast.carol)
    elif what == "void":
        void_adjudication(adjudication_id=row.pk, reason="Wrong key.", by=cast.ada)
    else:
        revise_rating(
            rating_id=row.pk,
            annotator=row.annotator,
            version=row.version,
            scores=dict.fromkeys(row.scores, chance.choice((0, 4, 5, 9))),
            comment="",
        )
    return what


@pytest.mark.parametrize("has_ladder", [False, True])
def test_after_every_act_the_candidates_in_conflict_are_those_of_all_pairs(cast, carol, has_ladder):
    cast.campaign.has_ladder = has_ladder
    cast.campaign.save()
    size = 6
    keys = [uuid.UUID(int=number) for number in range(1, size + 1)]
    reference = make_reference(cast.campaign, "r1", size, keys)
    erin = grant(make_user("erin"), cast.campaign, "annotator")
    chance = random.Random(5)
    pending = [row for who in (cast.alice, cast.bob, erin) for row in cast.assign(who, reference)]
    pending.sort(key=lambda row: (row.annotator.username, row.candidate.candidate_id))
    chance.shuffle(pending)
    done: set[str] = set()
    for number in range(60):
        if number >= tries(60, 2) and done >= ACTS:
            break
        with suppress(OutOfDate, Refused, Forbidden):
            done.add(act(chance, cast, pending))
        unsettled, open_now = by_all_pairs(reference, ConflictRules(has_ladder=has_ladder))
        assert stored(*UNSETTLED) == unsettled
        if not has_ladder:
            assert stored("open") == open_now
        before = rows()
        measure_conflicts(cast.campaign, reference.pk, cast.campaign.created_at)
        assert rows() == before
    assert done >= ACTS
    assert {row[3] for row in rows()} == {"criterion_gap", "overall_gap", "order_flip"}


def test_a_submit_asks_the_database_as_often_for_many_candidates_with_ratings_to_come(cast) -> None:
    spread(cast.campaign, 3)
    grant(make_user("erin"), cast.campaign, "annotator")
    asked = []
    for size in (6, 12):
        keys = [uuid.UUID(int=100 * size + number) for number in range(size)]
        reference = make_reference(cast.campaign, f"r{size}", size, keys)
        reference.candidates.update(places=3)
        most = 0
        for who, sign in ((cast.alice, 1), (cast.bob, -1)):
            # In the same order each time, not in the annotator's own, which is drawn.
            for place, row in enumerate(by_number(cast.assign(who, reference))):
                with CaptureQueriesContext(connection) as queries:
                    cast.submit(row, [5 + sign * (2 * place - size) * 5 // size] * 4)
                most = max(most, len(queries))
        asked.append(most)
        assert {status for _, status in flips(reference).values()} == {"waiting", "lapsed"}
    assert asked[1] <= asked[0]


def rate(cast, reference: Reference, **values: tuple[int | None, ...]) -> None:
    """Have people rate the candidates in the order of their ids; None is left for later."""
    for name, scores in values.items():
        user = getattr(cast, name)
        given = {row.candidate.candidate_id: row for row in cast.assign(user, reference)}
        for key, score in zip(sorted(given), scores, strict=True):
            if score is not None:
                cast.submit(given[key], [score] * 4)


def test_a_flip_that_somebody_has_open_stays_until_it_is_given_back(cast, carol) -> None:
    reference = cast.reference("r1", 3)
    rate(cast, reference, alice=(4, 6, None), bob=(6, 4, None))
    conflict = Conflict.objects.get(kind="order_flip")
    take_turn(conflict_id=conflict.pk, adjudicator=carol)
    # The third candidate is further from the first than the second is, each way.
    for who, score in ((cast.alice, 9), (cast.bob, 1)):
        cast.submit(cast.campaign.assignments.get(annotator=who, status="open"), [score] * 4)
    wider = {("0", "2"): (55, "open"), ("1", "2"): (33, "open")}
    assert flips(reference) == wider | {("0", "1"): (22, "open")}
    give_back(conflict_id=conflict.pk, adjudicator=carol)
    measure_conflicts(cast.campaign, reference.pk, cast.campaign.created_at)
    assert flips(reference) == wider | {("0", "1"): (22, "lapsed")}


def test_a_flip_lapses_when_others_are_wider_and_opens_again(cast) -> None:
    reference = cast.reference("r1", 3)
    rate(cast, reference, alice=(4, 6, 10), bob=(6, 4, 10))
    assert flips(reference) == {("0", "1"): (22, "open")}
    rating = Rating.objects.get(annotator=cast.bob, overall_numerator=110)
    for version, score, shown in (
        (1, 0, {("0", "2"): (66, "open"), ("1", "2"): (44, "open")}),
        (2, 10, {("0", "1"): (22, "open")}),
        (3, 0, {("0", "2"): (66, "open"), ("1", "2"): (44, "open")}),
    ):
        revise_rating(
            rating_id=rating.pk,
            annotator=cast.bob,
            version=version,
            scores=dict.fromkeys(rating.scores, score),
            comment="",
        )
        found = flips(reference)
        assert {pair: one for pair, one in found.items() if one[1] == "open"} == shown
        assert {one[1] for pair, one in found.items() if pair not in shown} <= {"lapsed"}
    flip = {"action": "conflict.opened", "details__kind": "order_flip"}
    assert len(found) == AuditEvent.objects.filter(**flip).count() == 3
