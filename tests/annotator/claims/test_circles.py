"""Tests of the search for circles."""

from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.tree import find_circles

LINKS = st.lists(st.lists(st.integers(0, 6), max_size=3), min_size=7, max_size=7)


def reach(out):
    """Which nodes each node reaches, by repeated squaring of the relation."""
    known = [{place, *targets} for place, targets in enumerate(out)]
    for _ in out:
        known = [set().union(*(known[item] for item in own)) for own in known]
    return known


@given(LINKS)
def test_nodes_share_a_group_when_each_reaches_the_other(out):
    group, known = find_circles(out), reach(out)
    for one in range(len(out)):
        for two in range(len(out)):
            together = two in known[one] and one in known[two]
            assert (group[one] == group[two]) == together


def test_a_circle_of_many_nodes_is_one_group():
    assert len(set(find_circles([[(place + 1) % 50_000] for place in range(50_000)]))) == 1
