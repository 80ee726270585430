"""The card of a dataset version: what it holds and how it was made, as plain JSON values."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from annotator.rubric import ALL_CRITERIA
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import flags_of
from scoring.splits import SPLIT_NAMES, SplitItem, shared_texts
from scoring.transitivity import count_violations

LICENCES = {
    "freeze": "Confidential claim drafts: not for release unless their owners agreed.",
    "import": "As the publisher of the imported files states; this tool does not know it.",
}


def make_card(rows: Sequence[DatasetRow], *, source: str, **made: Any) -> dict[str, Any]:
    """Count a dataset's rows.

    Input: rows with their splits, `source` "freeze" or "import", how they were made (JSON values).
    Output: `source`, what was given, and counts: items, references, candidates, labels per
    criterion, splits, items that contain the reference, self-comparisons, items with a ruling,
    texts on two sides, triples of candidates whose labels contradict each other.
    """
    splits = Counter(row.split for row in rows)
    return {
        "source": source,
        **made,
        "licence": LICENCES[source],
        "counts": {
            "items": len(rows),
            "references": len({row.reference for row in rows}),
            "candidates": len({(row.reference, text) for row in rows for text in (row.b, row.c)}),
            "contain_reference": sum(row.reference in (row.b, row.c) for row in rows),
            "self_comparisons": sum(row.b == row.c for row in rows),
            "ruled": sum(bool(row.provenance.get("adjudications")) for row in rows),
            "flagged": sum(bool(flags_of(row.reference, row.b, row.c)) for row in rows),
            "texts_in_several_splits": shared_texts(
                split_items(rows), {row.id: row.split for row in rows}
            ),
        },
        "splits": {name: splits[name] for name in SPLIT_NAMES},
        "labels": label_counts(rows),
        "transitivity": {
            criterion: asdict(count_violations(rows, criterion)) for criterion in label_counts(rows)
        },
    }


def label_counts(rows: Sequence[DatasetRow]) -> dict[str, dict[str, int]]:
    """Count the labels of each criterion that has any: {"1": B better, "0": equal, "-1": C}."""
    counts = {}
    for criterion in ALL_CRITERIA:
        found = Counter(row.y[criterion] for row in rows if criterion in row.y)
        if found:
            counts[criterion] = {str(label): found[label] for label in (1, 0, -1)}
    return counts


def split_items(rows: Sequence[DatasetRow]) -> list[SplitItem]:
    return [SplitItem(row.id, row.reference, row.b, row.c) for row in rows]
