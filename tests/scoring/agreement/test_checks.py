"""Checks count copies of the reference, twins, repeats and shared references."""

from scoring.agreement.checks import contains_reference, fold, item_checks
from scoring.agreement.items import Item


def test_white_space_is_folded_and_nothing_else() -> None:
    assert fold("  1. A\n\n lid.\t") == "1. A lid."
    assert fold("A-b") != fold("A - b")


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


def test_copies_of_the_reference_are_told_apart_and_their_wins_counted() -> None:
    checks = item_checks(
        [
            Item("r", "a lid", "a lid", "c", 1),
            Item("r", "a lid", "b", "a  lid", -1),
            Item("r", "a lid", "a lid", "d", -1),
            Item("r", "a lid", "e", "f", 1),
        ]
    )
    assert checks["contain_reference"] == {
        "items": 3,
        "byte_identical": 2,
        "white_space_only": 1,
        "reference_preferred": 2,
    }


def test_a_comparison_with_itself_is_counted() -> None:
    checks = item_checks([Item("r", "A", "b c", "b  c", 0), Item("r", "A", "b c", "d", 1)])
    assert checks["self_comparisons"] == 1
    assert checks["white_space_twins"] == 1


def test_repeats_are_found_on_swapped_sides_and_contradictions_named() -> None:
    checks = item_checks(
        [
            Item("r", "A", "b", "c", 1),
            Item("r", "A", "c", "b", -1),
            Item("r", "A", "b", "c", 0),
            Item("other", "A", "b", "c", 0),
        ]
    )
    assert checks["duplicates"] == {"items": 2, "contradicting": 1}


def test_one_reference_text_under_two_ids_is_counted() -> None:
    checks = item_checks([Item("r1", "a  lid", "b", "c", 1), Item("r2", "a lid", "d", "e", 1)])
    assert checks["references_with_shared_text"] == 1
