from dataclasses import replace
from typing import Any

from scoring.datasets.cards import make_card
from scoring.datasets.drafts import Draft
from scoring.quadruplets import DatasetRow


def row(name: str, a: str, b: str, c: str, split: str, **y: int) -> DatasetRow:
    return DatasetRow(name, a, a, b, c, f"id {b}", f"id {c}", y, split)


ROWS = [
    row("q1", "A1", "B1", "C1", "train", feature_completeness=1, overall_quality=0),
    row("q2", "A1", "B1", "A1", "train", feature_completeness=-1),
    row("q3", "A2", "B2", "B2", "validation", feature_completeness=0),
    row("q4", "A3", "B3", "C1", "test", feature_completeness=1),
]


def card_of(rows: list[DatasetRow], source: str = "freeze", **made: Any) -> dict[str, Any]:
    draft = Draft()
    for one in rows:
        draft.add(one)
    return make_card(draft, source=source, **made)


def test_the_card_counts_what_the_rows_hold() -> None:
    card = card_of(ROWS, source="freeze", policy="settled")
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
    assert "Confidential" in card_of(ROWS, source="freeze")["licence"]
    assert "Confidential" not in card_of(ROWS, source="import")["licence"]


def test_the_card_counts_the_items_that_follow_from_a_ruling() -> None:
    ruled = replace(ROWS[1], provenance={"adjudications": ["a1", "a2"]})
    assert card_of([ROWS[0], ruled, ROWS[2]])["counts"]["ruled"] == 1


def test_labels_and_ties_are_counted_for_the_criteria_that_have_any() -> None:
    card = card_of(ROWS)
    assert list(card["labels"].items()) == [
        ("feature_completeness", {"1": 2, "0": 1, "-1": 1}),
        ("overall_quality", {"1": 0, "0": 1, "-1": 0}),
    ]
    assert card["tie_share"] == {"feature_completeness": 0.25, "overall_quality": 1.0}


def test_lengths_are_of_distinct_texts_by_what_they_stand_as() -> None:
    rows = [
        row("q1", "one", "one two", "one two three", "train"),
        row("q2", "one", "one two three", "one", "train"),
    ]
    card = card_of(rows)
    figures = {"n": 3, "min": 1, "max": 3, "mean": 2.0, "median": 2.0, "sd": 1.0}
    assert card["tokens"]["claims"] == figures
    assert card["tokens"]["candidate"] == figures  # the reference's own text is one of them
    one = {"n": 1, "min": 1, "max": 1, "mean": 1.0, "median": 1.0, "sd": None}
    assert card["tokens"]["reference"] == one
    assert "Longformer" in card["tokens"]["counted_by"]
    assert card["claims_per_set"]["claims"]["of"] == 3


def test_contradicting_triples_are_counted_within_one_reference_and_annotator() -> None:
    circle = [("x", "y", 1), ("y", "z", 1), ("z", "x", 1)]
    rows = [
        replace(row("q", f"A{who}", b, c, "train", overall_quality=y), extras={"annotator": who})
        for who in ("", "p")
        for b, c, y in circle
    ]
    mixed = [rows[n] for n in (0, 3, 1, 4, 2, 5)]
    assert card_of(mixed)["transitivity"]["overall_quality"] == {"triples": 2, "violations": 2}
    apart = [replace(one, reference_id=f"r{n % 2}") for n, one in enumerate(rows)]
    assert card_of(apart)["transitivity"]["overall_quality"] == {"triples": 0, "violations": 0}
