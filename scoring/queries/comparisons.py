"""What a page says of two versions: counts, and the quadruplets that differ, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.datasets.differences import Change, Differences, Making, find_differences
from scoring.models import DatasetVersion
from scoring.quadruplets import policy_label
from scoring.queries.quadruplet_words import label_sign, label_words
from scoring.queries.quadruplets import index_of, rows_at

A_LIST: Final = 50


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A quadruplet of one version: its number there, its id and its reference."""

    number: int
    row_id: str
    reference_id: str


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A quadruplet that differs: where it stands in the later version, what changed, and why.

    `labels` has a place for each criterion in the rubric's order, "" where nothing changed.
    """

    at: NamedRow
    labels: tuple[str, ...]
    split: str
    reasons: str


@dataclass(frozen=True, slots=True)
class ComparedVersions:
    """Two versions side by side; lists hold the first A_LIST of each kind."""

    found: Differences
    by_criterion: tuple[tuple[str, int, tuple[str, ...]], ...]
    why: tuple[tuple[str, int], ...]
    changes: tuple[ChangedRow, ...]
    added: tuple[NamedRow, ...]
    removed: tuple[NamedRow, ...]


def compare_versions(one: DatasetVersion, other: DatasetVersion) -> ComparedVersions:
    """Compare two versions by their indexes; texts are not read."""
    earlier, later = index_of(one).records(), index_of(other).records()
    found = find_differences(earlier, later, making_of(one), making_of(other))
    changes = found.changes[:A_LIST]
    shown = rows_at(other, [change.numbers[1] for change in changes] + found.added[:A_LIST])
    names = {n: NamedRow(n, row.id, row.reference_id) for n, row in shown.items()}
    return ComparedVersions(
        found=found,
        by_criterion=tuple(_criteria(found)),
        why=tuple(found.why.most_common()),
        changes=tuple(_changed(change, names[change.numbers[1]]) for change in changes),
        added=tuple(names[number] for number in found.added[:A_LIST]),
        removed=_named(one, found.removed[:A_LIST]),
    )


def making_of(version: DatasetVersion) -> Making:
    """Return how a version was made, as far as its card says."""
    band = version.card.get("tie_band")
    policy = policy_label(version.card.get("policy", ""), version.card.get("policy_version", 1))
    return Making(policy, None if band is None else float(band))


def _named(version: DatasetVersion, numbers: Sequence[int]) -> tuple[NamedRow, ...]:
    rows = rows_at(version, list(numbers))
    return tuple(NamedRow(n, row.id, row.reference_id) for n, row in rows.items())


def _criteria(found: Differences) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return each criterion with changes, how many, and from what to what, the most first."""
    lines = []
    for key in ALL_CRITERIA:
        moves = [(count, one, two) for (of, one, two), count in found.moves.items() if of == key]
        if moves:
            moves.sort(key=lambda move: -move[0])
            words = tuple(f"{n} {label_words(one)} → {label_words(two)}" for n, one, two in moves)
            lines.append((NAMES[key], sum(move[0] for move in moves), words))
    return lines


def _changed(change: Change, at: NamedRow) -> ChangedRow:
    labels = tuple(
        " → ".join(map(label_sign, change.labels[key])) if key in change.labels else ""
        for key in ALL_CRITERIA
    )
    split = " → ".join(name or "none" for name in change.split) if change.split else ""
    return ChangedRow(at, labels, split, "; ".join(change.reasons))
