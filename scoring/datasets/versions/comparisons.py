"""What changed between two versions of a dataset, and why; no texts are looked at."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sqlite3 import Row
from typing import Any, Final

from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring.datasets.row_index import RECORDS
from scoring.datasets.versions.queries import (
    Numbered,
    ask_index,
    describe_label,
    label_sign,
    rows_at,
)
from scoring.models import DatasetVersion
from scoring.quadruplets import DatasetRow

MOST_LISTED: Final = 50
# A record of the index of rows, by column.
Record = Row | Mapping[str, Any]

MORE_RATINGS: Final = "ratings were added"
OTHER_RATINGS: Final = "other ratings count"
RULED: Final = "there is another ruling"
REVISED: Final = "a rating was revised"
POLICY: Final = "the policy is another"
TIE_BAND: Final = "the tie band is another"


@dataclass(frozen=True, slots=True)
class Change:
    """A quadruplet that is in both versions and differs.

    `numbers` are its places in the earlier and in the later version, from 1. `labels` holds by
    criterion the label before and after, both as the later version's sides have it, None for no
    label; `split` the split before and after, none where it stayed. `reasons` are why labels
    differ.
    """

    numbers: tuple[int, int]
    labels: Mapping[str, tuple[int | None, int | None]]
    split: tuple[str, str] | None
    reasons: tuple[str, ...]


@dataclass(slots=True)
class Differences:
    """All that differs. Lists end after MOST_LISTED entries; counts do not.

    `added` and `removed` are places in the later and in the earlier version. `moves` counts
    (criterion, label before, label after); `differing_count` the quadruplets with another label or
    another split; `why` changed quadruplets by reason, of which one may have several.
    """

    in_both: int = 0
    added_count: int = 0
    removed_count: int = 0
    changed_count: int = 0
    moved_count: int = 0
    differing_count: int = 0
    added: list[int] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    moves: Counter[tuple[str, int | None, int | None]] = field(default_factory=Counter)
    why: Counter[str] = field(default_factory=Counter)


def find_differences(
    earlier: Iterable[Record], later: Iterable[Record], settings: Sequence[str]
) -> Differences:
    """Compare two versions, each given as the records of its rows in file order.

    Rows are the same when their three texts are, whichever candidate stands as B; of rows of single
    annotators, when the ratings are the same too. `settings` are the reasons that `rules_changed`
    gives: they change labels everywhere.
    """
    known = {row["pair"]: (number, row) for number, row in enumerate(earlier, 1)}
    found = Differences()
    for number, row in enumerate(later, 1):
        place, old = known.pop(row["pair"], (0, None))
        if old is None:
            found.added_count += 1
            _list(found.added, number)
            continue
        found.in_both += 1
        _compare(found, (place, number), old, row, settings)
    found.removed_count = len(known)
    found.removed = sorted(place for place, _ in known.values())[:MOST_LISTED]
    return found


def _compare(
    found: Differences, numbers: tuple[int, int], old: Record, new: Record, settings: Sequence[str]
) -> None:
    labels = dict(_label_changes(old, new))
    split = (old["split"], new["split"]) if old["split"] != new["split"] else None
    reasons = (*_reasons(old, new), *settings) if labels else ()
    if labels:
        # Same ratings, same rulings, same rules: only what a rating holds can be another.
        reasons = reasons or (REVISED,)
        found.changed_count += 1
        found.moves.update((key, one, two) for key, (one, two) in labels.items())
        found.why.update(reasons)
    found.moved_count += split is not None
    if labels or split:
        found.differing_count += 1
        _list(found.changes, Change(numbers, labels, split, reasons))


def _label_changes(old: Record, new: Record) -> Iterator[tuple[str, tuple[int | None, int | None]]]:
    is_swapped = old["is_turned"] != new["is_turned"]
    for key in ALL_CRITERIA:
        one, two = old[key], new[key]
        if is_swapped and one is not None:
            one = -one
        if one != two:
            yield key, (one, two)


def _reasons(old: Record, new: Record) -> Iterator[str]:
    if old["ratings"] != new["ratings"]:
        yield MORE_RATINGS if new["rating_count"] > old["rating_count"] else OTHER_RATINGS
    if old["adjudications"] != new["adjudications"]:
        yield RULED


def _list(entries: list, entry: object) -> None:
    if len(entries) < MOST_LISTED:
        entries.append(entry)


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A quadruplet that differs: where it stands in the later version, what changed, and why.

    `labels` has a place for each criterion in the rubric's order, "" where nothing changed.
    """

    number: int
    row: DatasetRow
    labels: tuple[str, ...]
    split: str
    reasons: str


@dataclass(frozen=True, slots=True)
class ComparedVersions:
    """Two versions side by side."""

    found: Differences
    by_criterion: list[tuple[str, int, list[str]]]
    why: tuple[tuple[str, int], ...]
    changes: list[ChangedRow]
    added: list[Numbered]
    removed: list[Numbered]


def compare_versions(one: DatasetVersion, other: DatasetVersion) -> ComparedVersions:
    """Compare two versions by their indexes; texts are not read."""
    earlier, later = (
        ask_index(version, lambda index: index.execute(RECORDS).fetchall())
        for version in (one, other)
    )
    found = find_differences(earlier, later, rules_changed(one.card, other.card))
    rows = rows_at(other, [change.numbers[1] for change in found.changes] + found.added)
    return ComparedVersions(
        found=found,
        by_criterion=list(_criteria(found)),
        why=tuple(found.why.most_common()),
        changes=[_changed(change, rows) for change in found.changes],
        added=[(number, rows[number]) for number in found.added],
        removed=list(rows_at(one, found.removed).items()),
    )


def rules_changed(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return which of the rules that decide labels the cards of two versions have different."""
    policies = [(card.get("policy"), card.get("policy_version", 1)) for card in (one, other)]
    found = [POLICY] if policies[0] != policies[1] else []
    return found + ([TIE_BAND] if one.get("tie_band") != other.get("tie_band") else [])


def _criteria(found: Differences) -> Iterator[tuple[str, int, list[str]]]:
    """Yield each criterion with changes, how many, and from what to what, the most first."""
    for key in ALL_CRITERIA:
        if moves := [(n, one, two) for (of, one, two), n in found.moves.most_common() if of == key]:
            shown = [f"{n} {describe_label(one)} → {describe_label(two)}" for n, one, two in moves]
            yield NAMES[key], sum(n for n, _, _ in moves), shown


def _changed(change: Change, rows: Mapping[int, DatasetRow]) -> ChangedRow:
    number = change.numbers[1]
    labels = tuple(
        " → ".join(map(label_sign, change.labels[key])) if key in change.labels else ""
        for key in ALL_CRITERIA
    )
    split = " → ".join(name or "none" for name in change.split) if change.split else ""
    return ChangedRow(number, rows[number], labels, split, "; ".join(change.reasons))
