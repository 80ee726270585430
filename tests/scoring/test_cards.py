"""The card of a dataset: counts by hand."""

from dataclasses import replace

from scoring.cards import label_counts, make_card
from scoring.formats.rows import DatasetRow


def row(name: str, a: str, b: str, c: str, split: str, **y: int) -> DatasetRow:
    return DatasetRow(name, a, a, b, c, f"id {b}", f"id {c}", y, split)


ROWS = [
    row("q1", "A1", "B1", "C1", "train", feature_completeness=1, overall_quality=0),
    row("q2", "A1", "B1", "A1", "train", feature_completeness=-1),
    row("q3", "A2", "B2", "B2", "validation", feature_completeness=0),
    row("q4", "A3", "B3", "C1", "test", feature_completeness=1),
]


def test_the_card_counts_what_the_rows_hold() -> None:
    card = make_card(ROWS, source="freeze", policy="settled")
    assert card["counts"] == {
        "items": 4,
        "references": 3,
        "candidates": 6,  # B1, C1, A1 of A1; B2 of A2; B3, C1 of A3
        "contain_reference": 1,
        "self_comparisons": 1,
        "ruled": 0,
        "flagged": 2,
        "texts_in_several_splits": 1,  # C1 trains and tests
    }
    assert card["splits"] == {"train": 2, "validation": 1, "test": 1}
    assert (card["source"], card["policy"]) == ("freeze", "settled")


def test_the_card_of_own_ratings_says_confidential_and_that_of_imported_files_does_not() -> None:
    assert "Confidential" in make_card(ROWS, source="freeze")["licence"]
    assert "Confidential" not in make_card(ROWS, source="import")["licence"]


def test_the_card_counts_the_items_that_follow_from_a_ruling() -> None:
    ruled = replace(ROWS[1], provenance={"adjudications": ["a1", "a2"]})
    assert make_card([ROWS[0], ruled, ROWS[2]], source="freeze")["counts"]["ruled"] == 1


def test_labels_are_counted_for_the_criteria_that_have_any() -> None:
    assert label_counts(ROWS) == {
        "feature_completeness": {"1": 2, "0": 1, "-1": 1},
        "overall_quality": {"1": 0, "0": 1, "-1": 0},
    }
    assert list(label_counts(ROWS)) == ["feature_completeness", "overall_quality"]
