"""What changed between two versions of a dataset, and why; no texts are looked at."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from sqlite3 import Connection, Row
from typing import Any, Final

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.datasets.row_index import RECORDS
from scoring.datasets.versions.queries import (
    Numbered,
    ask_index,
    describe_label,
    label_sign,
    rows_at,
)
from scoring.models import DatasetVersion
from scoring.quadruplets import DatasetRow, policy_label

MOST_LISTED: Final = 200
# A record of the index of rows, by column.
Record = Row | Mapping[str, Any]

MORE_RATINGS: Final = "ratings were added"
OTHER_RATINGS: Final = "other ratings count"
RULED: Final = "there is another ruling"
REVISED: Final = "a rating was revised"
POLICY: Final = "the policy is another"
TIE_BAND: Final = "the tie band is another"


@dataclass(frozen=True, slots=True)
class Making:
    """How a version was made, as far as it decides labels; "" and None where it is not known.

    `policy` holds the version of its rule, too.
    """

    policy: str = ""
    tie_band: float | None = None


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
    earlier: Iterable[Record], later: Iterable[Record], before: Making, after: Making
) -> Differences:
    """Compare two versions, each given as the records of its rows in file order.

    Rows are the same when their three texts are, whichever candidate stands as B; of rows of single
    annotators, when the ratings are the same too. Holds the records of the earlier version, about
    300 bytes each, and no row of the later one.
    """
    known = {row["pair"]: (number, row) for number, row in enumerate(earlier, 1)}
    found = Differences()
    # Settings that are others change labels everywhere.
    settings = [POLICY] if before.policy != after.policy else []
    settings += [TIE_BAND] if before.tie_band != after.tie_band else []
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


A_LIST: Final = 50


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
    """Two versions side by side; lists hold the first A_LIST of each kind."""

    found: Differences
    by_criterion: list[tuple[str, int, list[str]]]
    why: tuple[tuple[str, int], ...]
    changes: list[ChangedRow]
    added: list[Numbered]
    removed: list[Numbered]


def compare_versions(one: DatasetVersion, other: DatasetVersion) -> ComparedVersions:
    """Compare two versions by their indexes; texts are not read."""
    making = making_of(one), making_of(other)

    def found_in(earlier: Connection, later: Connection) -> Differences:
        return find_differences(earlier.execute(RECORDS), later.execute(RECORDS), *making)

    found = ask_index(one, lambda index: ask_index(other, partial(found_in, index)))
    changes = found.changes[:A_LIST]
    rows = rows_at(other, [change.numbers[1] for change in changes] + found.added[:A_LIST])
    return ComparedVersions(
        found=found,
        by_criterion=list(_criteria(found)),
        why=tuple(found.why.most_common()),
        changes=[_changed(change, rows) for change in changes],
        added=[(number, rows[number]) for number in found.added[:A_LIST]],
        removed=list(rows_at(one, found.removed[:A_LIST]).items()),
    )


def making_of(version: DatasetVersion) -> Making:
    """Return how a version was made, as far as its card holds it."""
    band = version.card.get("tie_band")
    policy = policy_label(version.card.get("policy", ""), version.card.get("policy_version", 1))
    return Making(policy, None if band is None else float(band))


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
