"""What the rate page is given."""

import pytest

from annotator.models import Campaign
from annotator.queries.locks import LOCKED_SENTENCE
from annotator.queries.rate_page import CLOSED_SENTENCE, rate_page, read_pane


def test_dependent_claims_stand_deeper_than_what_they_depend_on() -> None:
    pane = read_pane(
        "Reference",
        "1. A cup.\n2. The cup of claim 1.\n3. The cup of claim 2.\n4. A spoon.",
    )
    assert [(line.number, line.depth) for line in pane.lines] == [(1, 0), (2, 1), (3, 2), (4, 0)]
    assert [line.depends_on for line in pane.lines] == [(), (1,), (2,), ()]
    assert (pane.claim_count, pane.word_count) == (4, 14)


def test_a_claim_that_depends_on_itself_or_on_nothing_known_is_shown() -> None:
    pane = read_pane("x", "1. The cup of claim 1.\n2. The cup of claim 99.")
    assert [line.number for line in pane.lines] == [1, 2]
    assert all(line.depth <= 1 for line in pane.lines)


def test_text_without_numbers_is_shown_as_it_is() -> None:
    pane = read_pane("x", "A cup <b>")
    assert [(line.number, line.words) for line in pane.lines] == [(None, "A cup <b>")]
    assert pane.claim_count == 0


@pytest.mark.parametrize("name", ["bob", "ada", "mallory"])
def test_another_persons_assignment_has_no_page(cast, name: str) -> None:
    row = cast.assign(cast.alice, cast.reference())[0]
    assert rate_page(getattr(cast, name), row.pk) is None


def test_siblings_are_ones_own_candidates_of_the_reference(cast) -> None:
    reference = cast.reference()
    rows = cast.assign(cast.alice, reference)
    cast.assign(cast.bob, reference)
    cast.submit(rows[0])
    page = rate_page(cast.alice, rows[1].pk)
    assert page is not None
    assert [(s.is_rated, s.is_current) for s in page.siblings] == [
        (True, False),
        (False, True),
        (False, False),
    ]


def test_a_closed_campaign_says_why_nothing_can_be_sent(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference())
    cast.submit(rows[0])
    Campaign.objects.update(status="closed")
    rated, unrated = (rate_page(cast.alice, row.pk) for row in rows[:2])
    assert rated is not None
    assert unrated is not None
    assert rated.closed_because == LOCKED_SENTENCE
    assert unrated.closed_because == CLOSED_SENTENCE
    assert not rated.is_writable
