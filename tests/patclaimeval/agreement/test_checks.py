"""Checks count copies of the reference, twins, repeats and shared references."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.agreement.items import (
    Item,
    collapse_spaces,
    contain_reference,
    contains_reference,
    item_checks,
)

# Few texts, so that copies, twins and repeats are frequent.
TEXTS = st.sampled_from(("a lid", "a  lid", "a lid ", "a cup", "a\ncup", "a jar"))
ITEMS = st.lists(
    st.builds(
        Item, st.sampled_from(("r1", "r2")), TEXTS, TEXTS, TEXTS, st.sampled_from((-1, 0, 1))
    ),
    max_size=25,
)


@given(ITEMS)
def test_counts_equal_those_of_going_through_the_items(items) -> None:
    checks = item_checks(items)
    seen: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    versions: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    ids: defaultdict[str, set[str]] = defaultdict(set)
    repeated = contradicting = preferred = 0
    for item in items:
        (first, y), (second, _) = sorted([(item.b, item.y), (item.c, -item.y)])
        earlier = seen[item.reference_id, first, second]
        if item.b == item.c:
            y = item.y
        repeated += bool(earlier)
        contradicting += bool(earlier - {y})
        earlier.add(y)
        for text in (item.b, item.c):
            versions[item.reference_id, collapse_spaces(text)].add(text)
        ids[collapse_spaces(item.reference)].add(item.reference_id)
        is_b, is_c = (
            collapse_spaces(item.reference) == collapse_spaces(text) for text in (item.b, item.c)
        )
        preferred += is_b - is_c == item.y != 0
    assert checks["duplicates"] == {"items": repeated, "contradicting": contradicting}
    assert checks["white_space_twins"] == sum(len(texts) - 1 for texts in versions.values())
    assert checks["candidates"] == sum(len(texts) for texts in versions.values())
    assert checks["references_with_shared_text"] == sum(len(names) > 1 for names in ids.values())
    assert checks["self_comparisons"] == sum(
        collapse_spaces(i.b) == collapse_spaces(i.c) for i in items
    )
    copies = [contains_reference(item) for item in items]
    assert contain_reference(items).tolist() == copies
    assert checks["contain_reference"]["items"] == sum(copies)
    assert checks["contain_reference"]["reference_preferred"] == preferred


def test_white_space_is_folded_and_nothing_else() -> None:
    assert collapse_spaces("  1. A\n\n lid.\t") == "1. A lid."
    assert collapse_spaces("A-b") != collapse_spaces("A - b")


def test_an_item_contains_its_reference_also_under_other_white_space() -> None:
    assert contains_reference(Item("r", "1. A lid.", "1. A  lid.\n", "x", 1))
    assert not contains_reference(Item("r", "1. A lid.", "1. a lid.", "x", 1))


def test_counts_of_items_references_candidates_and_labels() -> None:
    checks = item_checks(
        [Item("r1", "A", "b", "c", 1), Item("r1", "A", "c", "d", 1), Item("r2", "Z", "b", "e", 0)]
    )
    assert checks["items"] == 3
    assert checks["references"] == 2
    assert checks["candidates"] == 5
    assert checks["labels"] == {"-1": 0, "0": 1, "1": 2}


def test_copies_of_the_reference_are_distinguished_and_their_wins_counted() -> None:
    rows = (("a lid", "c", 1), ("b", "a  lid", -1), ("a lid", "d", -1), ("e", "f", 1))
    found = item_checks([Item("r", "a lid", *row) for row in rows])["contain_reference"]
    assert (found["items"], found["byte_identical"], found["white_space_only"]) == (3, 2, 1)
    assert found["reference_preferred"] == 2


def test_repeats_are_found_on_swapped_sides_and_contradictions_named() -> None:
    items = [Item("r", "A", b, c, y) for b, c, y in (("b", "c", 1), ("c", "b", -1), ("b", "c", 0))]
    checks = item_checks([*items, Item("other", "A", "b", "c", 0)])
    assert checks["duplicates"] == {"items": 2, "contradicting": 1}
    assert checks["references_with_shared_text"] == 1
    checks = item_checks([Item("r", "A", "b c", "b  c", 0), Item("r", "A", "b c", "d", 1)])
    assert (checks["self_comparisons"], checks["white_space_twins"]) == (1, 1)
