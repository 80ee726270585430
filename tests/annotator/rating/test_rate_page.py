"""What the rate page is given."""

import pytest

from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import Assignment, Campaign
from annotator.rating.queries import CLOSED_SENTENCE, rate_page
from annotator.rating.services import skip_assignment

pytestmark = pytest.mark.postgres


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


def test_a_skipped_candidate_says_how_to_take_it_back(cast) -> None:
    (row, *_) = cast.assign(cast.alice, cast.reference())
    skip_assignment(assignment=row, reason_code="unreadable")
    page = rate_page(cast.alice, row.pk)
    assert page is not None
    assert page.is_skipped
    assert "Take it back" in page.closed_because


def test_neighbours_are_ones_own_assignments_in_order_whatever_their_state(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    rows += cast.assign(cast.alice, cast.reference("r2", 1))
    cast.assign(cast.bob, cast.reference("r3", 2))
    cast.submit(rows[0])
    pages = [rate_page(cast.alice, row.pk) for row in rows]
    keys = [row.pk for row in rows]
    assert [page.previous for page in pages if page] == [None, *keys[:-1]]
    assert [page.following for page in pages if page] == [*keys[1:], None]


def test_the_reading_holds_both_texts_whole(cast) -> None:
    (row, *_) = cast.assign(cast.alice, cast.reference())
    page = rate_page(cast.alice, row.pk)
    assert page is not None
    for side, text in (
        (page.reading.reference, row.candidate.reference.claims),
        (page.reading.candidate, row.candidate.claims),
    ):
        pieces = [
            claim.marker + "".join(s.text for part in claim.limitations for s in part.segments)
            for claim in side.claims
        ]
        assert "".join(pieces) == text


def test_what_was_withdrawn_says_so_and_takes_no_rating(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    Assignment.objects.update(status="withdrawn")
    page = rate_page(cast.alice, row.pk)
    assert page is not None and not page.is_writable
    assert "taken this candidate back" in page.closed_because
