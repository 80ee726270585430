"""A card with everything that a card may say, in an order that no database keeps."""

from typing import Any, Final


def estimate(key: str, value: float | None, reason: str = "") -> dict[str, Any]:
    is_known = value is not None
    return {
        "reason": reason,
        "interval": "bootstrap" if is_known else "",
        "clusters": 3,
        "n": 12,
        "high": 0.8512345 if is_known else None,
        "low": 0.5 if is_known else None,
        "value": value,
        "key": key,
    }


CARD: Final[dict[str, Any]] = {
    "left_out": {"training was not allowed": 2},
    "claims_per_set": {
        "claims": {"sd": 1.5, "median": 2, "mean": 2.5, "max": 9, "min": 1, "of": 12, "n": 6}
    },
    "tokens": {
        "counted_by": "words | runs",
        "claims": {"n": 6, "min": 3, "max": 1900, "mean": 400.12345, "median": 380, "sd": None},
    },
    "agreement": {
        "overall_quality": estimate("alpha_interval", 0.71)
        | {"draws": 200, "others": [estimate("ac2", None, "Every rating is the same.")]}
    },
    "people": {"annotators": 2, "adjudicators": 1},
    "transitivity": {"overall_quality": {"violations": 1, "triples": 3}},
    "tie_share": {"overall_quality": 1 / 3},
    "labels": {"overall_quality": {"0": 1, "-1": 0, "1": 2}},
    "counts": {
        "texts_in_several_splits": 0,
        "ruled": 1,
        "self_comparisons": 0,
        "contain_reference": 1,
        "flagged": 1,
        "candidates": 4,
        "references": 2,
        "items": 3,
    },
    "splits": {"validation": 0, "test": 1, "train": 2},
    "split": {"validation_share": 0.1, "test_share": 0.15, "seed": 0, "by": "reference"},
    "app_version": "2",
    "include_unlocked": True,
    "criteria": ["overall_quality"],
    "tie_band": 0.5,
    "policy": "settled",
    "rubric_version": "1",
    "campaign": "cups",
    "source": "freeze",
    "licence": "Not for release.",
}
NAMED: Final[dict[str, Any]] = {
    "dataset": "cups_1",
    "version": 2,
    "sha256": "a" * 64,
    "items": 3,
    "created_at": "2026-11-21T17:00:00+00:00",
    "licence": "CC *BY* 4.0",
}
# What a card held before lengths, people and agreement stood on it.
OLD_CARD: Final[dict[str, Any]] = {
    "source": "import",
    "files": ["quality_test.json"],
    "licence": "As the publisher states.",
    "counts": {"items": 3, "references": 2, "candidates": 4},
    "splits": {"train": 3, "validation": 0, "test": 0},
    "split": {"by": "item", "seed": 7, "test_share": 0.0, "validation_share": 0.0},
    "labels": {"overall_quality": {"1": 0, "0": 0, "-1": 0}},
    "transitivity": {},
}
