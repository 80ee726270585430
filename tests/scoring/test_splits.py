from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.quadruplets import (
    SPLIT_NAMES,
    SplitError,
    SplitPlan,
    TextGroups,
    deal_groups,
    shared_texts,
)

Item = tuple[str, str, str]


def items_of(references: int, each: int = 3) -> list[Item]:
    return [
        (f"reference {r}", f"b {r} {n}", f"c {r} {n}")
        for r in range(references)
        for n in range(each)
    ]


def grouped(items: list[Item]) -> tuple[TextGroups, list[list[int]]]:
    groups = TextGroups()
    rows = [[groups.number(text) for text in item] for item in items]
    for a, b, c in rows:
        groups.tie(a, b)
        groups.tie(a, c)
    return groups, rows


def split(
    items: list[Item], seed: int = 0, test: float = 0.2, validation: float = 0.2
) -> list[str]:
    groups, rows = grouped(items)
    names = [groups.name(row[0]) for row in rows]
    of_name = deal_groups(names, SplitPlan("reference", test, validation, seed))
    return [of_name[name] for name in names]


def sides_of(items: list[Item], splits: list[str]) -> list[int]:
    """Return on how many sides each text stands."""
    sides: dict[str, set[str]] = {}
    for item, name in zip(items, splits, strict=True):
        for one in item:
            sides.setdefault(one, set()).add(name)
    return [len(found) for found in sides.values()]


def shared(items: list[Item], splits: list[str]) -> int:
    return shared_texts(grouped(items)[1], splits)


# Few texts for many items, so that references share candidates and hang together in chains.
text = st.integers(0, 40).map("text {}".format)
some_items = st.lists(st.tuples(text, text, text), min_size=1, max_size=25)


@given(some_items, st.randoms())
def test_the_order_of_the_items_changes_nothing(items, chance) -> None:
    mixed = list(items)
    chance.shuffle(mixed)
    try:
        expected = split(items)
    except SplitError:
        with pytest.raises(SplitError):
            split(mixed)
    else:
        assert dict(zip(mixed, split(mixed), strict=True)) == dict(
            zip(items, expected, strict=True)
        )


@given(some_items, st.lists(st.integers(0, 2), min_size=25, max_size=25))
def test_texts_on_several_sides_are_counted_as_by_hand(items, places) -> None:
    splits = [SPLIT_NAMES[place] for place in places[: len(items)]]
    assert shared(items, splits) == sum(count > 1 for count in sides_of(items, splits))


def test_another_seed_gives_another_split() -> None:
    items = items_of(20)
    assert split(items, 1) == split(items, 1)
    assert len({tuple(split(items, seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("references", "expected"),
    [(20, (3, 2, 15)), (100, (15, 8, 77)), (3, (1, 1, 1)), (4, (1, 1, 2))],
)
def test_shares_count_whole_references(references, expected) -> None:
    # 100 references: 15 test; 10 % of the 85 left are 8 (round half to even); the rest trains.
    found = split(items_of(references, each=1), 3, 0.15, 0.1)
    assert tuple(found.count(name) for name in ("test", "validation", "train")) == expected


@pytest.mark.parametrize(
    "items",
    [
        items_of(1),
        [(f"reference {n}", "the same candidate", "") for n in range(9)],
        [("1. A cup.", "b1", "c1"), ("1. A mug.", "1. A cup.", "c2")],
    ],
)
def test_one_reference_or_those_that_all_share_a_text_cannot_be_split(items) -> None:
    words = "impossible: 1 independent references cannot fill 3 splits"
    with pytest.raises(SplitError, match=words):
        split(items)


def test_a_refusal_names_what_belongs_together() -> None:
    for by, words in (("family", "patent families"), ("ipc", "IPC subclasses")):
        with pytest.raises(SplitError, match=f"1 independent {words} cannot fill 2"):
            deal_groups([7, 7], SplitPlan(by, 0.2, 0))


def test_shares_of_zero_leave_everything_for_training() -> None:
    assert set(split(items_of(1), test=0, validation=0)) == {"train"}


@pytest.mark.parametrize("share", [-0.1, 0.91, float("nan"), float("inf")])
def test_a_share_off_its_range_is_refused(share) -> None:
    for shares in ((share, 0.1), (0.1, share)):
        for by in ("reference", "item"):
            things: list[Any] = [str(n) if by == "item" else n for n in range(9)]
            with pytest.raises(SplitError, match=r"between 0 and 0\.9"):
                deal_groups(things, SplitPlan(by, *shares))


def test_a_split_by_item_leaks_and_the_count_says_so() -> None:
    items = items_of(2, each=20)
    ids = [str(n) for n in range(40)]
    of_id = deal_groups(ids, SplitPlan("item", 0.2, 0.1))
    assert shared(items, [of_id[one] for one in ids]) == 2  # the two references
    with pytest.raises(SplitError, match="2 items cannot fill 3 splits"):
        deal_groups(ids[:2], SplitPlan("item", 0.2, 0.1))


def test_a_group_is_named_by_the_least_digest_in_it() -> None:
    groups, rows = grouped([("A", "B", "C"), ("D", "E", "C")])
    least = min(int(sha256(text.encode()).hexdigest()[:16], 16) for text in "ABCDE")
    assert {groups.name(number) for row in rows for number in row} == {least}
