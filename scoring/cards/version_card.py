"""The card of a dataset version: what it holds and how it was made, as plain JSON values."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any, NamedTuple

from annotator.rubric import ALL_CRITERIA
from scoring.datasets.drafts import Draft
from scoring.splits import SPLIT_NAMES, TEST, VALIDATION
from scoring.transitivity import TripleCount, count_violations

LICENCES = {
    "freeze": "Confidential claim drafts: not for release unless their owners agreed.",
    "import": "As the publisher of the imported files states; this tool does not know it.",
}
# Raised when a change here or in what makes rows moves what a card or a file says.
APP_VERSION = "3"
LEAST_OF_A_TRIPLE = 3


class _Labelled(NamedTuple):
    """A row as triples are counted: names that only tell its own group's candidates apart."""

    b_id: str
    c_id: str
    y: dict[str, int]
    reference_id: str = ""
    annotator: str = ""


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
    return {
        "source": source,
        "app_version": APP_VERSION,
        **made,
        "licence": LICENCES[source],
        "counts": _counts(draft),
        "splits": {name: splits[place] for place, name in enumerate(SPLIT_NAMES)},
        "split_references": _split_references(draft),
        "labels": labels,
        "tie_share": {key: found["0"] / sum(found.values()) for key, found in labels.items()},
        "transitivity": _transitivity(draft, list(labels)),
        "tokens": draft.lengths.words(),
        "claims_per_set": draft.lengths.claims(),
    }


def label_counts(draft: Draft) -> dict[str, dict[str, int]]:
    """Count the labels of each criterion that has any: {"1": B better, "0": equal, "-1": C}."""
    found = Counter(
        (criterion, label)
        for place in range(len(draft))
        for criterion, label in draft.labels(place).items()
    )
    return {
        criterion: {str(label): found[criterion, label] for label in (1, 0, -1)}
        for criterion in ALL_CRITERIA
        if any(found[criterion, label] for label in (1, 0, -1))
    }


def _counts(draft: Draft) -> dict[str, int]:
    contain = itself = flagged = 0
    for a, b, c in zip(draft.a, draft.b, draft.c, strict=True):
        contain += a in (b, c)
        itself += b == c
        flagged += a in (b, c) or b == c
    return {
        "items": len(draft),
        "references": len(set(draft.a)),
        "candidates": _candidates(draft),
        "contain_reference": contain,
        "self_comparisons": itself,
        "ruled": draft.ruled,
        "flagged": flagged,
        "texts_in_several_splits": draft.shared_texts(),
    }


def _split_references(draft: Draft) -> dict[str, int]:
    """Count the distinct reference texts of each split."""
    found = Counter(split for split, _ in set(zip(draft.splits, draft.a, strict=True)))
    return {name: found[place] for place, name in enumerate(SPLIT_NAMES)}


def withheld_text(card: Mapping[str, Any]) -> str:
    """Say what of a version no training reads, split by split; the card may be an older one."""
    told = []
    for name in (VALIDATION, TEST):
        items = card["splits"].get(name, 0)
        references = card.get("split_references", {}).get(name)
        of = "" if references is None else f" of {counted(references, 'reference')}"
        told.append(f"{counted(items, 'quadruplet')}{of} for {name}" if items else "")
    parts = [part for part in told if part]
    return " and ".join(parts) or "nothing"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 reference", "2 references"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _candidates(draft: Draft) -> int:
    """Count the distinct candidate texts of each reference."""
    by_reference = sorted(range(len(draft)), key=draft.a.__getitem__)
    return sum(
        len({column[place] for place in places for column in (draft.b, draft.c)})
        for places in (list(group) for _, group in groupby(by_reference, draft.a.__getitem__))
    )


def _transitivity(draft: Draft, criteria: list[str]) -> dict[str, dict[str, int]]:
    totals = dict.fromkeys(criteria, TripleCount(0, 0))
    for rows in _comparable(draft):
        for criterion, total in totals.items():
            found = count_violations(rows, criterion)
            totals[criterion] = TripleCount(
                total.triples + found.triples, total.violations + found.violations
            )
    return {criterion: asdict(total) for criterion, total in totals.items()}


def _comparable(draft: Draft) -> Iterator[list[_Labelled]]:
    """Yield the rows of one reference and one annotator together, where they can make a triple."""
    whose = draft.whose.__getitem__
    for _, group in groupby(sorted(range(len(draft)), key=whose), whose):
        places = list(group)
        if len(places) >= LEAST_OF_A_TRIPLE:
            yield [
                _Labelled(f"{draft.b_ids[n]}", f"{draft.c_ids[n]}", draft.labels(n)) for n in places
            ]
