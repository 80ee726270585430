"""The data card that leaves with a dataset version: one JSON document, the same bytes each time."""

import json
from collections.abc import Mapping
from typing import Any, Final

from annotator.rubric import ALL_CRITERIA, OVERALL_BANDS, RUBRIC, RUBRIC_VERSION, TOTAL_WEIGHT
from scoring.cards.published_dataset import published_dataset
from scoring.splits import SPLIT_NAMES

# Databases may forget the order of keys: what is not named here follows by the alphabet.
_ORDER: Final = (
    *("dataset", "version", "sha256", "items", "created_at", "licence", "confidentiality"),
    *(
        "source",
        "campaign",
        "policy",
        "policy_version",
        "tie_band",
        "criteria",
        "include_unlocked",
        "files",
    ),
    *(
        "rubric_version",
        "app_version",
        "split",
        "splits",
        "split_references",
        "counts",
        "people",
        "agreement",
    ),
    *("labels", "labels_where", "tie_share", "tokens", "claims_per_set", "transitivity"),
    *("left_out", "rubric", "published"),
    *("key", "name", "weight", "question", "bands", "from", "to", "sentence"),
    *("by", "seed", "test_share", "validation_share", *SPLIT_NAMES, *ALL_CRITERIA),
    *("1", "0", "-1", "references", "candidates", "claims", "reference", "candidate"),
    *("value", "low", "high", "n", "min", "max", "mean", "median", "sd"),
)
_RANK: Final = {key: rank for rank, key in enumerate(_ORDER)}
CONFIDENTIALITY: Final = (
    "Claim drafts may be confidential: a leak before filing can cost the owner the patent. "
    "Pass this file on only as its licence says."
)


def data_card(
    card: Mapping[str, Any],
    *,
    dataset: str,
    number: int,
    sha256: str,
    items: int,
    created_at: str,
    licence: str,
) -> dict[str, Any]:
    """Put the card of a version together with what names it, the rubric and published figures.

    Input: the card as stored (any keys, in any order); the version's name, number, digest of its
    canonical JSONL, number of rows, time (ISO 8601, UTC) and licence, "" for the card's own.
    Output: JSON-ready, keys in a fixed order at every depth.
    """
    document = {
        **card,
        "dataset": dataset,
        "version": number,
        "sha256": sha256,
        "items": items,
        "created_at": created_at,
        "licence": licence or card.get("licence", ""),
        "published": published_dataset(),
    }
    if card.get("source") == "freeze":
        document["confidentiality"] = CONFIDENTIALITY
    if card.get("rubric_version") == RUBRIC_VERSION:
        document["rubric"] = rubric_words()
    return _ordered(document)


def card_json(document: Mapping[str, Any]) -> bytes:
    """Write what data_card gives as indented JSON in UTF-8, closed by a line end."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2).encode() + b"\n"


def rubric_words() -> dict[str, Any]:
    """Return the rubric as a reader of labels needs it: criteria, questions, weights, bands."""
    return {
        "version": RUBRIC_VERSION,
        "scale": "whole numbers from 0 to 10",
        "overall": f"sum of weight times score, over {TOTAL_WEIGHT}",
        "criteria": [
            {
                "key": entry.key,
                "name": entry.name,
                "weight": entry.weight,
                "question": entry.question,
                "bands": [_band(band) for band in entry.bands],
            }
            for entry in RUBRIC
        ],
        "overall_bands": [_band(band) for band in OVERALL_BANDS],
    }


def _band(band: Any) -> dict[str, Any]:
    return {"from": band.low, "to": band.high, "sentence": band.sentence}


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: (_RANK.get(key, len(_RANK)), key))
        return {key: _ordered(value[key]) for key in keys}
    return [_ordered(entry) for entry in value] if isinstance(value, list | tuple) else value
