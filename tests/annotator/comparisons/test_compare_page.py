"""What the compare page is given."""

from dataclasses import fields
from itertools import combinations

import pytest

from annotator.comparisons.queries import ComparePage, compare_page
from annotator.comparisons.services import assign_comparisons
from annotator.models import Candidate, Comparison

pytestmark = pytest.mark.postgres


@pytest.fixture
def rows(cast) -> list[Comparison]:
    pairs = list(combinations(cast.reference().candidates.all(), 2))
    return assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs)


@pytest.mark.parametrize("name", ["bob", "ada", "mallory"])
def test_another_persons_comparison_has_no_page(cast, rows, name: str) -> None:
    assert compare_page(getattr(cast, name), rows[0].pk) is None


def test_left_and_right_are_those_of_the_row(cast, rows) -> None:
    for row in rows:
        page = compare_page(cast.alice, row.pk)
        assert page is not None
        for view, candidate in ((page.left_view, row.left), (page.right_view, row.right)):
            words = "".join(s.text for e in view.claims[0].limitations for s in e.segments)
            assert words and candidate.claims.endswith(words)


def test_neighbours_are_ones_own_in_order(cast, rows) -> None:
    pages = [compare_page(cast.alice, row.pk) for row in rows]
    assert all(pages)
    assert [page.previous for page in pages if page] == [None, rows[0].pk, rows[1].pk]
    assert [page.following for page in pages if page] == [rows[1].pk, rows[2].pk, None]


def test_no_candidate_row_is_handed_to_the_template(cast, rows) -> None:
    page = compare_page(cast.alice, rows[0].pk)
    assert page is not None
    values = [getattr(page, field.name) for field in fields(ComparePage)]
    assert not any(isinstance(value, Candidate | Comparison) for value in values)


def test_the_page_takes_few_queries(cast, rows, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(6):
        compare_page(cast.alice, rows[1].pk)
