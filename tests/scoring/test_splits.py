"""Splits: no claim text on two sides, whatever the data."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.splits import (
    SPLIT_NAMES,
    SplitError,
    SplitItem,
    shared_texts,
    split_by_item,
    split_by_reference,
)


def items_of(references: int, each: int = 3) -> list[SplitItem]:
    return [
        SplitItem(f"q{r}-{n}", f"reference {r}", f"b {r} {n}", f"c {r} {n}")
        for r in range(references)
        for n in range(each)
    ]


def split(items: list[SplitItem], seed: int = 0) -> dict[str, str]:
    return split_by_reference(items, test_share=0.2, validation_share=0.2, seed=seed)


# Few texts for many items, so that references share candidates and hang together in chains.
text = st.integers(0, 40).map("text {}".format)
some_items = st.lists(st.tuples(text, text, text), min_size=1, max_size=25).map(
    lambda rows: [SplitItem(f"q{n}", *row) for n, row in enumerate(rows)]
)


@given(some_items, st.integers(0, 5))
def test_no_text_ever_stands_on_two_sides(items: list[SplitItem], seed: int) -> None:
    try:
        of_item = split(items, seed)
    except SplitError:
        assume(False)
    sides: dict[str, set[str]] = {}
    for item in items:
        for one in (item.reference, item.b, item.c):
            sides.setdefault(one, set()).add(of_item[item.id])
    assert {len(found) for found in sides.values()} == {1}
    assert shared_texts(items, of_item) == 0
    assert set(of_item.values()) == set(SPLIT_NAMES)


@given(some_items, st.randoms())
def test_the_order_of_the_items_changes_nothing(
    items: list[SplitItem], chance: random.Random
) -> None:
    mixed = list(items)
    chance.shuffle(mixed)
    try:
        expected = split(items)
    except SplitError:
        with pytest.raises(SplitError):
            split(mixed)
    else:
        assert split(mixed) == expected


def test_another_seed_gives_another_split() -> None:
    items = items_of(20)
    assert split(items, 1) == split(items, 1)
    assert len({tuple(sorted(split(items, seed).items())) for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("references", "expected"),
    [(20, (3, 2, 15)), (100, (15, 8, 77)), (3, (1, 1, 1)), (4, (1, 1, 2))],
)
def test_shares_count_whole_references(references: int, expected: tuple[int, ...]) -> None:
    # 100 references: 15 test; 10 % of the 85 left are 8 (round half to even); the rest trains.
    items = items_of(references, each=1)
    found = list(split_by_reference(items, test_share=0.15, validation_share=0.1, seed=3).values())
    assert tuple(found.count(name) for name in ("test", "validation", "train")) == expected


def test_references_that_share_a_candidate_text_go_together() -> None:
    items = [*items_of(6, each=1), SplitItem("link", "reference 0", "b 3 0", "other")]
    for seed in range(20):
        of_item = split(items, seed)
        assert of_item["q0-0"] == of_item["q3-0"] == of_item["link"]


def test_one_reference_cannot_be_split() -> None:
    with pytest.raises(SplitError, match="1 independent references cannot fill 3 splits"):
        split(items_of(1))


def test_references_that_all_share_a_text_cannot_be_split() -> None:
    items = [SplitItem(f"q{n}", f"reference {n}", "the same candidate", "") for n in range(9)]
    with pytest.raises(SplitError, match="impossible"):
        split(items)


def test_shares_of_zero_leave_everything_for_training() -> None:
    of_item = split_by_reference(items_of(1), test_share=0, validation_share=0, seed=0)
    assert set(of_item.values()) == {"train"}


@pytest.mark.parametrize("share", [-0.1, 0.91, float("nan"), float("inf")])
def test_a_share_off_its_range_is_refused(share: float) -> None:
    for by in (split_by_reference, split_by_item):
        with pytest.raises(SplitError, match=r"between 0 and 0\.9"):
            by(items_of(9), test_share=share, validation_share=0.1, seed=0)
        with pytest.raises(SplitError, match=r"between 0 and 0\.9"):
            by(items_of(9), test_share=0.1, validation_share=share, seed=0)


def test_a_split_by_item_leaks_and_the_count_says_so() -> None:
    items = items_of(2, each=20)
    of_item = split_by_item(items, test_share=0.2, validation_share=0.1, seed=0)
    assert shared_texts(items, of_item) == 2  # the two references
    with pytest.raises(SplitError, match="2 items cannot fill 3 splits"):
        split_by_item(items[:2], test_share=0.2, validation_share=0.1, seed=0)


def test_a_text_that_is_reference_here_and_candidate_there_ties_both() -> None:
    items = [
        SplitItem("1", "1. A cup.", "b1", "c1"),
        SplitItem("2", "1. A mug.", "1. A cup.", "c2"),
    ]
    with pytest.raises(SplitError, match="1 independent references"):
        split_by_reference(items, test_share=0.5, validation_share=0, seed=0)
