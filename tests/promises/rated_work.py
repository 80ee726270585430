"""Ratings for many annotators at once: what each is to send, and their sending of it."""

import random
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from patclaimeval.rubric import CRITERIA
from tests.conftest import make_reference
from tests.crowd import at_once
from tests.promises.harness import (
    Answer,
    Caller,
    differences,
    on_progress,
    rating_body,
    server_errors,
)
from tests.soak.tally import Tally

Work = dict[Caller, list[dict[str, Any]]]


def give_work(cast: Any, callers: list[Caller], references: int) -> Work:
    """Assign every caller references of five by name, the same to two; return what they send."""
    chance = random.Random(1)
    work: Work = {caller: [] for caller in callers}
    for number in range(references * len(callers) // 2):
        reference = make_reference(cast.campaign, f"work-{number}", 5)
        for place in (0, 1):
            caller = callers[(2 * number + place) % len(callers)]
            for row in cast.assign(caller.user, reference):
                scores = [chance.randint(0, 10) for _ in CRITERIA]
                work[caller].append(rating_body(row.pk, scores, f"\u00e4 {row.pk}"))
    return work


def sent_of(work: Work) -> list[dict[str, Any]]:
    return [rating for ratings in work.values() for rating in ratings]


def send_all(work: Work, deaths: dict[str, str], **how: bool) -> dict[str, Answer]:
    """Have all callers send their ratings at once, each to its end; return the last answers.

    `deaths` holds at which moment the server process dies of an assignment's rating.
    """

    def send(caller: Caller) -> dict[str, Answer]:
        return {
            rating["assignment"]: caller.submit_until_answered(
                rating, deaths.get(rating["assignment"], ""), **how
            )
            for rating in work[caller]
        }

    acknowledged: dict[str, Answer] = {}
    for answers in at_once([partial(send, caller) for caller in work]):
        assert isinstance(answers, dict), answers
        acknowledged |= answers
    return acknowledged


def assert_faithful(
    work: Work,
    acknowledged: dict[str, Answer],
    tally: Tally,
    *,
    more_callers: Sequence[Caller] = (),
    expected: Collection[int] = (),
) -> None:
    """Assert that all is stored as it was sent and acknowledged, and that no answer was a failure.

    `expected` are the answers by which the server shows that what it needs is away.
    """
    callers = [*work, *more_callers]
    wrong = differences(acknowledged, sent_of(work))
    met = {status: n for status, n in server_errors(callers).items() if status not in expected}
    on_progress(tally, [], wrong)
    tally.found(errors=sum(met.values()))
    assert wrong == []
    assert met == {}
