"""The cards of a dataset version: what it holds, how it was made, how far annotators agree.

scipy loads when it is measured, which a worker or a command does.

The head names which file is which split and what type each field has. Without it the library takes
the types from the first ten megabytes of the first file, and fails where a later row has a ruling
or a flag and none before it had one.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from annotator.rating_values import RatedScores
from patclaimeval.rubric import (
    ALL_CRITERIA,
    HIGHEST,
    OVERALL_BANDS,
    RUBRIC,
    RUBRIC_VERSION,
    TOTAL_WEIGHT,
    unit_of,
)
from scoring.datasets.drafts import Draft
from scoring.quadruplets import SPLIT_NAMES, TEST, VALIDATION, count_violations

DATA_FILE: Final = Path(__file__).with_name("published_dataset.toml")
_LABELS: Final = ("1", "0", "-1")


def published_dataset() -> dict[str, Any]:
    """Return the published figures in the shape of a card.

    Output: `source`; `sizes` and `tokens` by name with `where` they stand in the paper; `labels`
    by criterion as {"1": B better, "0": equal, "-1": C better}, and `labels_where`.
    """
    with DATA_FILE.open("rb") as file:
        table = tomllib.load(file)
    labels = table["labels"]
    return {
        "source": table["source"],
        "sizes": table["sizes"],
        "labels_where": labels.pop("where"),
        "labels": {key: dict(zip(_LABELS, row, strict=True)) for key, row in labels.items()},
        "tokens": table["tokens"],
    }


# A tenth of what the reliability report draws: a card's interval need not have its third digit.
DRAWS: Final = 200
SEED: Final = 0


def measure_agreement(ratings: Iterable[RatedScores], criteria: Sequence[str]) -> dict[str, Any]:
    """Measure agreement on each criterion.

    Input: ratings, each of one candidate by one annotator; criteria. Output: by criterion
    Krippendorff's alpha (interval) as patclaimeval.statistics.tables gives it: value and 95 %
    interval clustered by reference, `n` candidates with two or more ratings, or None with the
    reason; beside it `draws`, how many resamples the interval rests on at most, and under `others`
    the figures ac2, exact and within_one.
    """
    from patclaimeval.statistics.coefficients import gwet_ac2, krippendorff_alpha, raw_agreement
    from patclaimeval.statistics.tables import plain_estimate, table_of

    rows = list(ratings)
    found: dict[str, Any] = {}
    for criterion in criteria:
        unit = unit_of(criterion)
        table = table_of(
            (row.candidate, row.reference, row.annotator, row.scores[criterion]) for row in rows
        )
        raw = raw_agreement(table, unit, DRAWS, SEED)
        alpha = krippendorff_alpha(table, "interval", DRAWS, SEED)
        others = (
            ("ac2", gwet_ac2(table, "quadratic", HIGHEST * unit, DRAWS, SEED)),
            ("exact", raw.exact),
            ("within_one", raw.within),
        )
        found[criterion] = plain_estimate("alpha_interval", alpha) | {
            "draws": DRAWS,
            "others": [plain_estimate(key, estimate) for key, estimate in others],
        }
    return found


LICENCES = {
    "freeze": "Confidential claim drafts: not for release unless their owners agreed.",
    "import": "As the publisher of the imported files states; this tool does not know it.",
}
# Raised when a change here or in what makes rows moves what a card or a file holds.
APP_VERSION = "4"


def make_card(draft: Draft, *, source: str, **made: Any) -> dict[str, Any]:
    """Count a dataset's rows.

    Input: a draft whose rows have their splits, `source` "freeze" or "import", how they were made
    (JSON values). Output: `source`, what was given, and counts: items, references, candidates,
    labels and ties per criterion, splits, items that contain the reference, self-comparisons, items
    with a ruling, texts on two sides, triples of candidates whose labels contradict each other,
    lengths of texts; how many references each split has.
    """
    labels = label_counts(draft)
    splits = Counter(draft.splits)
    of_references = {(s, a) for s, (a, _, _) in zip(draft.splits, draft.numbers, strict=True)}
    references = Counter(split for split, _ in of_references)
    return {
        "source": source,
        "app_version": APP_VERSION,
        **made,
        "licence": LICENCES[source],
        "counts": _counts(draft),
        "splits": {name: splits[name] for name in SPLIT_NAMES},
        "split_references": {name: references[name] for name in SPLIT_NAMES},
        "labels": labels,
        "tie_share": {key: found["0"] / sum(found.values()) for key, found in labels.items()},
        "transitivity": _transitivity(draft, list(labels)),
        "tokens": draft.words(),
        "claims_per_set": draft.claims(),
    }


def label_counts(draft: Draft) -> dict[str, dict[str, int]]:
    """Count the labels of each criterion that has any: {"1": B better, "0": equal, "-1": C}."""
    found = Counter(each for row in draft.rows for each in row.y.items())
    counts = {key: {str(label): found[key, label] for label in (1, 0, -1)} for key in ALL_CRITERIA}
    return {key: of_key for key, of_key in counts.items() if any(of_key.values())}


def _counts(draft: Draft) -> dict[str, int]:
    contains = [a in (b, c) for a, b, c in draft.numbers]
    itself = [b == c for _, b, c in draft.numbers]
    return {
        "items": len(draft),
        "references": len({a for a, _, _ in draft.numbers}),
        # Each candidate text of each reference, once.
        "candidates": len({(a, side) for a, *sides in draft.numbers for side in sides}),
        "contain_reference": sum(contains),
        "self_comparisons": sum(itself),
        "ruled": sum(bool(row.provenance.get("adjudications")) for row in draft.rows),
        "flagged": sum(map(max, contains, itself)),
        "texts_in_several_splits": draft.shared_texts(),
    }


def withheld_text(card: Mapping[str, Any]) -> str:
    """Return what of a version is withheld from training; the card may be an older one.

    The default recipe learns from the validation split too, so only fine-tuning withholds it.
    """
    counts = []
    for name, when in ((TEST, ""), (VALIDATION, " when an encoder is fine-tuned")):
        if items := card["splits"].get(name, 0):
            references = card.get("split_references", {}).get(name)
            of = "" if references is None else f" of {counted(references, 'reference')}"
            counts.append(f"{counted(items, 'quadruplet')}{of} for {name}{when}")
    return " and ".join(counts) or "nothing"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 reference", "2 references"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _transitivity(draft: Draft, criteria: list[str]) -> dict[str, dict[str, int]]:
    return {criterion: asdict(count_violations(draft.rows, criterion)) for criterion in criteria}


# Databases may forget the order of keys: what is not named here follows by the alphabet.
_ORDER: Final = (
    *("dataset", "version", "sha256", "items", "created_at", "licence", "confidentiality"),
    *("source", "campaign", "policy", "policy_version", "tie_band", "criteria"),
    *("include_unlocked", "files", "rubric_version", "app_version", "split", "splits"),
    *("split_references", "counts", "people", "agreement"),
    *("labels", "labels_where", "tie_share", "tokens", "claims_per_set", "transitivity"),
    *("left_out", "rubric", "published"),
    *("key", "name", "weight", "question", "bands", "from", "to", "sentence"),
    *("by", "seed", "test_share", "validation_share", "test_of", *SPLIT_NAMES, *ALL_CRITERIA),
    *("1", "0", "-1", "references", "candidates", "claims", "reference", "candidate"),
    *("value", "low", "high", "n", "min", "max", "mean", "median", "sd"),
)
_RANK: Final = {key: rank for rank, key in enumerate(_ORDER)}
CONFIDENTIALITY: Final = (
    "Claim drafts may be confidential: a leak before filing can cost the owner the patent. "
    "Pass this file on only as its licence says."
)


def data_card(card: Mapping[str, Any], *, licence: str, **named: Any) -> dict[str, Any]:
    """Put the card of a version together with what names it, the rubric and published figures.

    Input: the card as stored (any keys, in any order); the version's licence, "" for the card's
    own; its `dataset` and `version`, the `sha256` of its canonical JSONL, its number of rows
    `items`, and `created_at` (ISO 8601, UTC).
    Output: JSON-ready, keys in a fixed order at every depth.
    """
    licence = licence or card.get("licence", "")
    document = {**card, **named, "licence": licence, "published": published_dataset()}
    if card.get("source") == "freeze":
        document["confidentiality"] = CONFIDENTIALITY
    if card.get("rubric_version") == RUBRIC_VERSION:
        document["rubric"] = rubric_json()
    return _ordered(document)


def card_json(document: Mapping[str, Any]) -> bytes:
    """Write what data_card gives as indented JSON in UTF-8, closed by a line end."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2).encode() + b"\n"


def rubric_json() -> dict[str, Any]:
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


README: Final = "README.md"
_TEXTS: Final = ("annotator", "office", "ipc", "language", "family")
# Every field of patent-ce-jsonl in its order; a list or a group of fields is written as such.
FIELDS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("id", "reference_id", "A", "B", "C", "b_id", "c_id"), "string"),
    "y": dict.fromkeys(ALL_CRITERIA, "int64"),
    "split": "string",
    "provenance": {
        "policy": "string",
        "rubric_version": "string",
        "annotators": "int64",
        "ratings": ["string"],
        "adjudications": ["string"],
    },
    "y_soft": dict.fromkeys(ALL_CRITERIA, "float64"),
    **dict.fromkeys(_TEXTS, "string"),
    "flags": ["string"],
}


def readme(card: bytes, files: Mapping[str, str]) -> bytes:
    """Write the README of a release.

    Input: the card in Markdown; file names by split. Output: YAML between two lines of dashes, then
    the card.
    """
    lines = ["---", "configs:", "- config_name: default", "  data_files:"]
    for split, name in files.items():
        lines += [f"  - split: {split}", f"    path: {name}"]
    lines += ["dataset_info:", "  features:", *_features(FIELDS, "  "), "---", "", ""]
    return "\n".join(lines).encode() + card


def _features(fields: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, kind in fields.items():
        # Quoted: YAML would read a plain y as "yes".
        yield f'{indent}- name: "{name}"'
        if isinstance(kind, Mapping):
            yield f"{indent}  struct:"
            yield from _features(kind, f"{indent}  ")
        elif isinstance(kind, list):
            yield f"{indent}  list: {kind[0]}"
        else:
            yield f"{indent}  dtype: {kind}"
