"""Two annotators who submit at the same instant open exactly one conflict: not none, not two."""

from functools import partial
from typing import Any

import pytest
from django.db import transaction

from annotator.models import AuditEvent, Conflict, Rating, RatingRevision, Reference
from tests.crowd import at_once
from tests.promises.harness import SCALE, SERVED, Caller, make_callers, rating_body

pytestmark = [pytest.mark.promise("P6"), *SERVED]
RACES = 25 * SCALE


def submit(caller: Caller, assignment_id: object, scores: list[int]) -> int:
    return caller.submit(rating_body(assignment_id, scores), key=str(assignment_id)).status


def references(cast: Any, candidates: int) -> list[Reference]:
    with transaction.atomic():
        return [cast.reference(f"r{number}", candidates) for number in range(RACES)]


def test_both_submits_of_one_candidate_open_one_conflict(cast, server, tally) -> None:
    tally.tried(pairs_of_submits_at_once=RACES)
    one, two = make_callers(cast.campaign, 2, server.port)
    for reference in references(cast, 1):
        acts = []
        # Three points apart in one criterion, and in nothing else.
        for caller, scores in ((one, [5, 5, 5, 5]), (two, [5, 5, 5, 8])):
            (row,) = cast.assign(caller.user, reference)
            acts.append(partial(submit, caller, row.pk, scores))
        assert at_once(acts) == [201, 201]
        found = Conflict.objects.filter(candidate__reference=reference)
        shown = ("kind", "criterion", "gap", "status")
        expected = [("criterion_gap", "logical_linkage", 3, "open")]
        assert list(found.values_list(*shown)) == expected
    assert Rating.objects.count() == RatingRevision.objects.count() == 2 * RACES
    assert AuditEvent.objects.filter(action="conflict.opened").count() == RACES


def test_the_last_submits_on_two_candidates_open_one_order_flip(cast, server, tally) -> None:
    tally.tried(pairs_of_submits_at_once=RACES)
    one, two = make_callers(cast.campaign, 2, server.port)
    for reference in references(cast, 2):
        acts = []
        # Each puts another candidate first; the second ratings of both come at once.
        for caller, first, second in ((one, [6] * 4, [5] * 4), (two, [5] * 4, [6] * 4)):
            rows = {row.candidate_id: row for row in cast.assign(caller.user, reference)}
            left, right = (rows[pk] for pk in sorted(rows))
            assert submit(caller, left.pk, first) == 201
            acts.append(partial(submit, caller, right.pk, second))
        assert at_once(acts) == [201, 201]
        found = Conflict.objects.filter(candidate__reference=reference)
        assert list(found.values_list("kind", "gap", "status")) == [("order_flip", 11, "open")]
    assert AuditEvent.objects.filter(action="conflict.opened").count() == RACES
