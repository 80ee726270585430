"""P4: of two tabs that change one rating, the first wins and the second is shown both texts."""

from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import Any

import pytest
from django.db import transaction

from annotator.models import Assignment, Draft, Rating, RatingRevision
from patclaimeval.rubric import CRITERIA
from tests.crowd import at_once
from tests.promises.harness import SCALE, SERVED, Tab
from tests.served.faults import whoever_comes_last_wins

pytestmark = [pytest.mark.promise("P4"), *SERVED]
# Of first ratings, and as many of revisions.
RACES = 15 if SCALE == 1 else 25 * SCALE


def assign(cast: Any, base: int, races: int) -> list[Assignment]:
    """Give alice candidates, and have her rate them where the race is about a revision."""
    with transaction.atomic():
        rows = [
            row
            for number in range(races // 5)
            for row in cast.assign(cast.alice, cast.reference(f"r{number}", 5))
        ]
        for row in rows[: races * base]:
            cast.submit(row, comment="what both tabs saw")
    return rows


def race(tabs: Sequence[Tab], row: Assignment, base: int, texts: Sequence[str]) -> str:
    """Have both tabs send their texts at once; return what is wrong with the end of it, or ""."""
    forms = [
        dict.fromkeys(CRITERIA, "7")
        | {"comment": text, "version": str(base), "draft_version": "0", "key": text}
        for text in texts
    ]
    posts = [
        partial(tab.post, f"/rate/{row.pk}/", form) for tab, form in zip(tabs, forms, strict=True)
    ]
    answers = at_once(posts)
    statuses = [answer.status for answer in answers]
    if sorted(statuses) != [303, 409]:
        return f"answered {statuses}"
    loser = statuses.index(409)
    rating = Rating.objects.get(assignment=row)
    if (rating.version, rating.comment) != (base + 1, texts[1 - loser]):
        return "what the winner wrote is not what is stored"
    if not all(text in answers[loser].body for text in texts):
        return "the loser does not see both texts"
    if Draft.objects.get(assignment=row).typed["comment"] != texts[loser]:
        return "what the loser wrote is lost"
    return ""


@pytest.mark.parametrize(
    "base",
    [
        pytest.param(0, marks=pytest.mark.exhaustive, id="first rating"),
        pytest.param(1, id="revision"),
    ],
)
def test_two_tabs_from_one_version_end_in_one_success_and_one_page_with_both_texts(
    cast, server, base, tally
) -> None:
    tabs = [Tab(cast.alice, server.port) for _ in range(2)]
    numbers = count()
    rows = assign(cast, base, RACES)
    tally.tried(races=len(rows))
    for row in rows:
        texts = [f"text of race {next(numbers)}" for _ in tabs]
        assert race(tabs, row, base, texts) == ""
    tally.found(lost=0, doubled=0, errors=0)
    assert RatingRevision.objects.count() == RACES * (base + 1)


def test_a_revision_without_a_look_at_the_version_is_found_out(cast, start_server) -> None:
    server = start_server(SERVED_FAULT=whoever_comes_last_wins.__name__)
    tabs = [Tab(cast.alice, server.port) for _ in range(2)]
    row, *_ = assign(cast, base=1, races=5)
    assert race(tabs, row, 1, ["of one tab", "of another"]) == "answered [303, 303]"
