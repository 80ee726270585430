"""P4: of two tabs that change one rating, the first wins and the second is shown both texts."""

from functools import partial
from itertools import count

import pytest
from django.db import transaction

from annotator.models import Draft, Rating, RatingRevision
from annotator.rubric import CRITERIA
from tests.crowd import at_once
from tests.promises.harness import SCALE, Tab
from tests.served.server import Server
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P4"),
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.django_db(transaction=True),
]
RACES = 50 * SCALE


@pytest.mark.parametrize("base", [0, 1], ids=["first rating", "revision"])
def test_two_tabs_from_one_version_end_in_one_success_and_one_page_with_both_texts(
    cast, server: Server, base: int, tally: Tally
) -> None:
    tabs = [Tab(cast.alice, server.port) for _ in range(2)]
    numbers = count()
    with transaction.atomic():
        rows = [
            row
            for number in range(RACES // 5)
            for row in cast.assign(cast.alice, cast.reference(f"r{number}", 5))
        ]
        for row in rows[: RACES * base]:
            cast.submit(row, comment="what both tabs saw")
    tally.tried(races=len(rows))
    for row in rows:
        said = [f"words of race {next(numbers)}" for _ in tabs]
        forms = [
            dict.fromkeys(CRITERIA, "7")
            | {"comment": words, "version": str(base), "draft_version": "0", "key": words}
            for words in said
        ]
        posts = [
            partial(tab.post, f"/rate/{row.pk}/", form)
            for tab, form in zip(tabs, forms, strict=True)
        ]
        answers = at_once(posts)
        assert sorted(answer.status for answer in answers) == [303, 409], answers
        loser = [answer.status for answer in answers].index(409)
        winner = 1 - loser
        rating = Rating.objects.get(assignment=row)
        assert (rating.version, rating.comment) == (base + 1, said[winner])
        assert all(words in answers[loser].body for words in said)
        assert Draft.objects.get(assignment=row).typed["comment"] == said[loser]
    tally.found(lost=0, doubled=0, errors=0)
    assert RatingRevision.objects.count() == RACES * (base + 1)
