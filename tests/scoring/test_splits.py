import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.splits import SplitError, SplitItem, shared_texts, split_by_item, split_by_reference

SHARES = {"test_share": 0.15, "validation_share": 0.1}
ITEMS = st.lists(
    st.tuples(st.sampled_from("RSTUVWXYZ"), st.integers(0, 30), st.integers(0, 30)), max_size=40
).map(lambda rows: [SplitItem(str(n), a, f"{b}", f"{c}") for n, (a, b, c) in enumerate(rows)])


def items(references, each=6):
    return [
        SplitItem(f"{r}-{n}", f"R{r}", f"{r}-{n}-b", f"{r}-{n}-c")
        for r in range(references)
        for n in range(each)
    ]


@given(ITEMS, st.integers(0, 5))
def test_no_text_is_ever_on_two_sides_of_a_split_by_reference(rows, seed):
    try:
        splits = split_by_reference(rows, seed=seed, **SHARES)
    except SplitError:
        return
    assert shared_texts(rows, splits) == 0
    assert set(splits) == {row.id for row in rows}
    assert {"train", "validation", "test"} == set(splits.values())


def test_a_split_by_item_leaks_and_the_proof_sees_it():
    rows = items(5)
    assert shared_texts(rows, split_by_item(rows, seed=0, **SHARES)) > 0


def test_shares_are_kept_in_whole_references():
    splits = split_by_reference(items(20), seed=1, test_share=0.15, validation_share=0.1)
    counts = {
        name: list(splits.values()).count(name) / 6 for name in ("train", "validation", "test")
    }
    assert counts == {"test": 3, "validation": 2, "train": 15}


def test_the_order_of_the_items_does_not_matter_but_the_seed_does():
    rows = items(12)
    shuffled = random.Random(0).sample(rows, len(rows))
    for split in (split_by_reference, split_by_item):
        assert split(rows, seed=4, **SHARES) == split(shuffled, seed=4, **SHARES)
        assert split(rows, seed=4, **SHARES) != split(rows, seed=5, **SHARES)


def test_references_that_share_a_candidate_text_stay_together():
    rows = [SplitItem(str(n), f"R{n}", f"b{n // 2}", f"c{n}") for n in range(20)]
    splits = split_by_reference(rows, seed=0, **SHARES)
    assert all(splits[str(n)] == splits[str(n + 1)] for n in range(0, 20, 2))


def test_a_text_that_is_reference_here_and_candidate_there_ties_both():
    rows = [SplitItem("1", "R", "x", "y"), SplitItem("2", "S", "R", "z")]
    with pytest.raises(SplitError):
        split_by_reference(rows, seed=0, test_share=0.5, validation_share=0)


@pytest.mark.parametrize("references", [0, 1])
def test_a_test_share_of_one_reference_only_is_impossible(references):
    with pytest.raises(SplitError, match="group split is impossible"):
        split_by_reference(items(references), seed=0, test_share=0.15, validation_share=0)


def test_without_shares_everything_is_for_training():
    splits = split_by_reference(items(1), seed=0, test_share=0, validation_share=0)
    assert set(splits.values()) == {"train"}


@pytest.mark.parametrize("share", [-0.1, 0.95, float("nan")])
def test_a_share_outside_the_range_is_refused(share):
    for split in (split_by_reference, split_by_item):
        with pytest.raises(SplitError, match="between 0 and"):
            split(items(5), seed=0, test_share=share, validation_share=0)
