"""What of a split training has seen: distinct texts, whatever their role and white space."""

from typing import Any

from scoring.access.scopes import LabelledRow
from scoring.training.runs.estimate import seen_in_training


def row(split: str, reference: str, b: str, c: str) -> LabelledRow:
    return LabelledRow("q", reference, reference, b, c, 1, split)


def counts(references: tuple[int, int], candidates: tuple[int, int]) -> dict[str, Any]:
    return {
        "references": {"of": references[0], "seen": references[1]},
        "candidates": {"of": candidates[0], "seen": candidates[1]},
    }


def test_texts_are_counted_once_and_seen_in_any_role() -> None:
    rows = [
        row("train", "P", "b", "c"),
        row("train", "P", "b", "d"),
        row("validation", "P ", "e", "c\n"),
        row("validation", "P", "e", "f"),
        row("test", "d", "g", "P"),
        row("test", "R", "g", "h"),
    ]
    assert seen_in_training(rows) == {
        "train": {"items": 2} | counts((1, 1), (3, 3)),
        "validation": {"items": 2} | counts((1, 1), (3, 1)),
        "test": {"items": 2} | counts((2, 1), (3, 1)),
    }


def test_a_split_by_reference_is_not_seen() -> None:
    rows = [row("train", "P", "b", "c"), row("test", "R", "d", "e")]
    found = seen_in_training(rows)
    assert found["test"] == {"items": 1} | counts((1, 0), (2, 0))
    assert found["validation"] == {"items": 0} | counts((0, 0), (0, 0))
