"""What the pages of a version show: its card, and single quadruplets by page, filter or place.

Cards of older versions lack some of it; what is absent is not shown.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from sqlite3 import Connection, DatabaseError
from typing import Any, Final, TypeVar

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring import files as scoring_files
from scoring.datasets import row_index
from scoring.datasets.cards import published_dataset, withheld_text
from scoring.datasets.markdown import OLD_MAJORITY, follows_old_majority
from scoring.formats import rows as formats_rows
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion
from scoring.plots.columns import column_plot
from scoring.plots.ranges import KEYS, range_plot
from scoring.plots.shapes import Plot
from scoring.plots.shares import format_share, share_bar
from scoring.quadruplets import SPLIT_NAMES, policy_label

A_PAGE: Final = 50
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which quadruplets are wanted; "" and None stand for all."""

    split: str = ""
    criterion: str = ""
    label: int | None = None
    row_id: str = ""
    is_flagged: bool = False


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A quadruplet and its number in its version, from 1."""

    number: int
    row: DatasetRow


_LABEL: Final = f"CASE :criterion {' '.join(f'WHEN {k!r} THEN {k}' for k in ALL_CRITERIA)} END"
_CONDITIONS: Final = {
    "split": "split = :split",
    "criterion": f"{_LABEL} = coalesce(:label, {_LABEL})",
    "row_id": "id = :id",
    "is_flagged": "is_flagged",
}
_COUNT: Final = "SELECT count(*) FROM row"
_PAGE: Final = "SELECT rowid, offset FROM row"
_AT: Final = "SELECT rowid, offset FROM row WHERE rowid = ?"
_NAMED: Final = "SELECT EXISTS (SELECT 1 FROM row WHERE reference = ?)"


def ask_index(version: DatasetVersion, ask: Callable[[Connection], Found]) -> Found:
    """Return what a function reads from the index of a version's file.

    The index is made when it is missing or damaged, or when the file was touched; the function is
    called again then. Raises StoredFileDamaged when the file is missing or has another digest: it
    is looked at when the index is made.
    """
    path = scoring_files.dataset_path(version.sha256)
    stored_at = scoring_files.cache_directory() / f"rows-{version.sha256}.sqlite3"
    with (
        suppress(FileNotFoundError, DatabaseError),
        closing(row_index.open_index(stored_at, path.stat())) as index,
    ):
        return ask(index)
    with scoring_files.open_dataset(version.sha256) as file:
        stat = os.fstat(file.fileno())
        row_index.write_index(stored_at, _objects(file), stat)
    with closing(row_index.open_index(stored_at, stat)) as index:
        return ask(index)


def prepare_pages(version: DatasetVersion) -> None:
    """Make a version's index now, where nobody waits for a page; else the first page makes it."""
    with suppress(OSError, DatabaseError):
        ask_index(version, bool)


def page_of(
    version: DatasetVersion, wanted: Filter, number: int, size: int
) -> tuple[list[PlacedRow], int, int]:
    """Return a page of the quadruplets that are wanted, how many there are, and the page's number.

    A page beyond the last one is the last one.
    """
    count = count_rows(version, wanted)
    number = max(1, min(number, -(-count // size)))
    where, values = _condition(wanted)
    first = (number - 1) * size
    if not where:
        # Numbers of rows have no gap: none needs to be passed over.
        where, first = f" WHERE rowid > {first}", 0
    query = f"{_PAGE}{where} ORDER BY rowid LIMIT {size} OFFSET {first}"
    places = ask_index(version, lambda index: index.execute(query, values).fetchall())
    return list(_rows(version, places)), count, number


def count_rows(version: DatasetVersion, wanted: Filter) -> int:
    """Count the quadruplets that are wanted, by the index: no text is read."""
    where, values = _condition(wanted)
    return ask_index(
        version, lambda index: int(index.execute(_COUNT + where, values).fetchone()[0])
    )


def _condition(wanted: Filter) -> tuple[str, dict[str, Any]]:
    """Return the condition of a filter in SQL, and its values."""
    values = asdict(wanted)
    where = " AND ".join(condition for name, condition in _CONDITIONS.items() if values[name])
    return where and f" WHERE {where}", values | {"id": row_index.digest(wanted.row_id)}


def row_at(version: DatasetVersion, number: int) -> DatasetRow | None:
    """Return the quadruplet with a number in its version, from 1; None where there is none."""
    return rows_at(version, [number]).get(number)


def rows_at(version: DatasetVersion, numbers: list[int]) -> dict[int, DatasetRow]:
    """Return quadruplets by their numbers in a version."""
    each = [(number,) for number in sorted(set(numbers))]
    places = ask_index(
        version, lambda index: [at for one in each for at in index.execute(_AT, one)]
    )
    return {placed.number: placed.row for placed in _rows(version, places)}


def holds_reference(version: DatasetVersion, reference_id: str) -> bool:
    """Return whether a quadruplet of the version names the reference."""
    named = [row_index.digest(reference_id)]
    return ask_index(version, lambda index: bool(index.execute(_NAMED, named).fetchone()[0]))


def _rows(version: DatasetVersion, places: Iterable[tuple[int, int]]) -> Iterator[PlacedRow]:
    with scoring_files.dataset_path(version.sha256).open("rb") as file:
        for number, offset in places:
            file.seek(offset)
            yield PlacedRow(number, formats_rows.of_line(file.readline()))


def _objects(file: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    offset = 0
    for line in file:
        yield offset, json.loads(line)
        offset += len(line)


LABEL_TEXTS = {1: "B better", 0: "equal", -1: "C better"}
# In tables of many labels: the side that is better, or a sign of equality.
SIGNS = {1: "B", 0: "=", -1: "C"}

# Short names of the criteria for the heads of narrow columns.
SHORT = {
    "feature_completeness": "Compl.",
    "conceptual_clarity": "Clarity",
    "terminology_consistency": "Terms",
    "logical_linkage": "Linkage",
    "overall_quality": "Overall",
}
HEADINGS = tuple((SHORT[key], NAMES[key]) for key in ALL_CRITERIA)


@dataclass(frozen=True, slots=True)
class LabelLine:
    """A label of one criterion; `soft` is the share of annotators who hold B above C, or ""."""

    name: str
    words: str
    soft: str


@dataclass(frozen=True, slots=True)
class RowLine:
    """A quadruplet as one line of a list: a sign a criterion in the rubric's order, "" for none."""

    number: int
    row: DatasetRow
    signs: tuple[str, ...]
    flags: str


def describe_label(label: int | None) -> str:
    """Return a label as text; of none, that there is none."""
    return "no label" if label is None else LABEL_TEXTS[label]


def label_sign(label: int | None) -> str:
    """Return a label as a sign for narrow columns."""
    return "\N{EN DASH}" if label is None else SIGNS[label]


def label_lines(row: DatasetRow) -> Iterator[LabelLine]:
    """Yield the labels of a quadruplet in the rubric's order."""
    soft = row.extras.get("y_soft") or {}
    for key in ALL_CRITERIA:
        if key in row.y:
            share = f"{soft[key]:.2f}" if key in soft else ""
            yield LabelLine(NAMES[key], LABEL_TEXTS[row.y[key]], share)


def row_line(placed: PlacedRow) -> RowLine:
    """Return a quadruplet as a line of a list."""
    row = placed.row
    signs = tuple(SIGNS[row.y[key]] if key in row.y else "" for key in ALL_CRITERIA)
    return RowLine(placed.number, row, signs, "; ".join(row.extras.get("flags") or ()))


def files_of(card: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the files of an import as a card names them; older cards have no digests."""
    return [
        {"name": one, "sha256": ""} if isinstance(one, str) else one
        for one in card.get("files") or ()
    ]


MOST_SIBLINGS: Final = 20


def describe_making(card: Mapping[str, Any], *, shows_files: bool) -> Iterator[tuple[str, str]]:
    """Yield how a version was made, as names and values, as far as its card holds it.

    What the files of an import were called may reveal a client: it is for admins.
    """
    if card["source"] == "import":
        names = ", ".join(entry["name"] for entry in files_of(card) if shows_files)
        yield "Source", f"imported from {names}" if names else "imported"
    else:
        yield "Source", f"frozen from campaign {card['campaign']}"
        policy = policy_label(card["policy"], card.get("policy_version", 1))
        yield "Policy", f"{policy}, tie band {card['tie_band']:g} points"
    criteria = [NAMES[key] for key in ALL_CRITERIA if key in (card.get("criteria") or ())]
    if criteria and len(criteria) < len(ALL_CRITERIA):
        yield "Criteria", ", ".join(criteria)
    split = card["split"]
    shares = f"{split['test_share']:g} test, {split['validation_share']:g} validation"
    yield "Split", f"by {split['by']}, {shares}, seed {split['seed']}"
    if people := card.get("people"):
        counts = [(people.get(key, 0), key) for key in ("annotators", "adjudicators")]
        yield "People", ", ".join(f"{n} {key if n != 1 else key[:-1]}" for n, key in counts if n)
    if card.get("rubric_version"):
        yield "Rubric version", str(card["rubric_version"])


def siblings_of(version: DatasetVersion) -> list[DatasetVersion]:
    """Return the other versions of the same dataset, the newest first."""
    rows = DatasetVersion.objects.filter(dataset=version.dataset_id).exclude(pk=version.pk)
    return list(rows.select_related("dataset").order_by("-number")[:MOST_SIBLINGS])


def people_plot(counts: Sequence[tuple[str, int]]) -> Plot | None:
    """Return columns of how many ratings each annotator gave; None where that is not known."""
    if not counts:
        return None
    columns = [(name.removeprefix("Annotator "), count) for name, count in counts]
    return column_plot("Ratings by annotator", "ratings", columns, "own")


LABELS: Final = (("1", "b", "B better"), ("0", "tie", "equal"), ("-1", "c", "C better"))
SIZES: Final = (
    ("tokens", "claims", "Tokens, all sets"),
    ("tokens", "reference", "References"),
    ("tokens", "candidate", "Candidates"),
    ("claims_per_set", "claims", "Claims, all sets"),
    ("claims_per_set", "reference", "Claims, references"),
    ("claims_per_set", "candidate", "Claims, candidates"),
)


@dataclass(frozen=True, slots=True)
class CardLine:
    """One criterion: counts as B better, equal, C better, their bar, and the published ones."""

    name: str
    counts: tuple[int, ...]
    ties: str
    plot: Plot
    published: tuple[int, ...]
    published_ties: str
    published_plot: Plot | None
    contradictions: str


@dataclass(frozen=True, slots=True)
class SizeLine:
    """How long something is: the five figures as text, "" where there is none."""

    name: str
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a reader must know; `is_bad` marks what should not be."""

    name: str
    words: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """How far annotators agree on one criterion, or why that is not known."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class CardPage:
    """A card, ready for its template."""

    items: int
    labels: tuple[CardLine, ...]
    published_source: str
    checks: tuple[Check, ...]
    sizes: tuple[SizeLine, ...]
    size_plot: Plot | None
    counted_by: str
    agreement: tuple[AgreementLine, ...]
    splits: tuple[tuple[str, int, str], ...]
    left_out: tuple[tuple[str, int], ...]


def card_page(card: Mapping[str, Any]) -> CardPage:
    """Return the page of a card as it is stored, or as a preview gives it."""
    published = published_dataset()
    items = card["counts"]["items"]
    return CardPage(
        items=items,
        labels=tuple(_labels(card, published["labels"])),
        published_source=f"{published['source']}, {published['labels_where']}",
        checks=tuple(_checks(card)),
        sizes=tuple(_sizes(card)),
        size_plot=_size_plot(card, published["tokens"]),
        counted_by=str(card.get("tokens", {}).get("counted_by", "")),
        agreement=tuple(_agreement(card)),
        splits=tuple(
            (name, card["splits"].get(name, 0), format_share(card["splits"].get(name, 0), items))
            for name in SPLIT_NAMES
        ),
        left_out=tuple(sorted(card.get("left_out", {}).items())),
    )


def _labels(card: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[CardLine]:
    for key in ALL_CRITERIA:
        if key not in card["labels"]:
            continue
        counts = _counts(card["labels"][key])
        printed = _counts(published[key]) if key in published else ()
        triples = card.get("transitivity", {}).get(key)
        yield CardLine(
            name=NAMES[key],
            counts=counts,
            ties=format_share(counts[1], sum(counts)),
            plot=_bar(f"Labels for {NAMES[key]}", counts),
            published=printed,
            published_ties=format_share(printed[1], sum(printed)) if printed else "",
            published_plot=_bar(f"Published labels for {NAMES[key]}", printed) if printed else None,
            contradictions=f"{triples['violations']} of {triples['triples']}" if triples else "",
        )


def _counts(found: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(found.get(label, 0) for label, _, _ in LABELS)


def _bar(title: str, counts: Sequence[int]) -> Plot:
    parts = [(kind, name, count) for (_, kind, name), count in zip(LABELS, counts, strict=True)]
    return share_bar(title, parts)


def _checks(card: Mapping[str, Any]) -> Iterator[Check]:
    counts = card["counts"]
    leaks = counts["texts_in_several_splits"]
    yield Check(
        "Leak check",
        f"{leaks} claim texts stand in several splits" if leaks else "no claim text in two splits",
        bool(leaks),
    )
    yield _count_check("Items that contain the reference", counts["contain_reference"])
    yield _count_check("Self-comparisons", counts["self_comparisons"])
    yield Check("Withheld from training", withheld_text(card))
    if counts.get("ruled"):
        yield Check("Items with a ruling", str(counts["ruled"]))
    if follows_old_majority(card):
        yield Check("Caution", OLD_MAJORITY, True)
    if card.get("include_unlocked"):
        yield Check("Caution", "holds ratings that were not locked: for trials only", True)


def _count_check(name: str, count: int) -> Check:
    return Check(name, str(count) if count else "none", bool(count))


def _sizes(card: Mapping[str, Any]) -> Iterator[SizeLine]:
    for group, key, name in SIZES:
        found = card.get(group, {}).get(key)
        if isinstance(found, Mapping) and found.get("min") is not None:
            yield SizeLine(name, tuple(_figure(found.get(figure)) for figure in KEYS))


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if float(value).is_integer() or value >= 100 else f"{value:.1f}"


def _size_plot(card: Mapping[str, Any], published: Mapping[str, Any]) -> Plot | None:
    rows = []
    for group, key, name in SIZES[1:3]:
        found = card.get(group, {}).get(key)
        if isinstance(found, Mapping) and found.get("min") is not None:
            figures = {figure: float(found.get(figure) or 0) for figure in KEYS}
            rows.append(("own", name, figures))
    if not rows:
        return None
    rows.append(("published", "Published", {figure: float(published[figure]) for figure in KEYS}))
    return range_plot("Length of claim sets", "tokens", rows)


def _agreement(card: Mapping[str, Any]) -> Iterator[AgreementLine]:
    found = card.get("agreement") or {}
    for key in ALL_CRITERIA:
        entry = found.get(key)
        if isinstance(entry, Mapping):
            yield AgreementLine(NAMES[key], _describe_agreement(entry))


def _describe_agreement(entry: Mapping[str, Any]) -> str:
    value = entry.get("value")
    if value is None:
        return str(entry.get("reason") or "undefined")
    text = f"{value:.3f}"
    if entry.get("low") is not None and entry.get("high") is not None:
        text += f" (95 % interval {entry['low']:.2f} to {entry['high']:.2f})"
    return (
        f"{text}, n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{entry['n']}"
        if entry.get("n") is not None
        else text
    )
