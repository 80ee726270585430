"""What the pages of a version show: its card, and single quadruplets by page, filter or place.

Cards of older versions lack some of it; what is absent is not shown.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from sqlite3 import Connection, DatabaseError
from typing import Any, Final, TypeVar

from django.core.paginator import Page, Paginator

from annotator.models import Reference
from core.plots.columns import column_plot
from core.plots.ranges import KEYS, range_plot
from core.plots.shapes import Plot
from core.plots.shares import format_share, share_bar
from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring import files as scoring_files
from scoring.access.scopes import VersionReader
from scoring.datasets import row_index
from scoring.datasets.cards import published_dataset, withheld_text
from scoring.datasets.markdown import OLD_MAJORITY, follows_old_majority
from scoring.formats import rows as formats_rows
from scoring.models import DatasetVersion
from scoring.quadruplets import SPLIT_NAMES, DatasetRow, policy_label

A_PAGE: Final = 50
Found = TypeVar("Found")
# A quadruplet after its number in its version, from 1.
Numbered = tuple[int, DatasetRow]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which quadruplets are wanted; "" and None stand for all."""

    split: str = ""
    criterion: str = ""
    label: int | None = None
    row_id: str = ""
    is_flagged: bool = False


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
    scoring_files.refuse_erased(version.sha256)
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
    version: DatasetVersion, wanted: Filter, number: str, size: int
) -> tuple[list[Numbered], Page]:
    """Return a page of the quadruplets that are wanted, and its place among all pages."""
    page = Paginator(range(count_rows(version, wanted)), size).get_page(number)
    where, values = _condition(wanted)
    query = f"{_PAGE}{where} ORDER BY rowid LIMIT {size} OFFSET {(page.number - 1) * size}"
    places = ask_index(version, lambda index: index.execute(query, values).fetchall())
    return list(_rows(version, places)), page


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


def rows_at(version: DatasetVersion, numbers: list[int]) -> dict[int, DatasetRow]:
    """Return quadruplets by their numbers in a version."""
    each = [(number,) for number in sorted(set(numbers))]
    places = ask_index(
        version, lambda index: [at for one in each for at in index.execute(_AT, one)]
    )
    return dict(_rows(version, places))


def holds_reference(version: DatasetVersion, reference_id: str) -> bool:
    """Return whether a quadruplet of the version names the reference."""
    named = [row_index.digest(reference_id)]
    return ask_index(version, lambda index: bool(index.execute(_NAMED, named).fetchone()[0]))


def _rows(version: DatasetVersion, places: Iterable[tuple[int, int]]) -> Iterator[Numbered]:
    with scoring_files.dataset_path(version.sha256).open("rb") as file:
        for number, offset in places:
            file.seek(offset)
            yield number, formats_rows.of_line(file.readline())


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


def describe_label(label: int | None) -> str:
    """Return a label as text; of none, that there is none."""
    return "no label" if label is None else LABEL_TEXTS[label]


def label_sign(label: int | None) -> str:
    """Return a label as a sign for narrow columns."""
    return "\N{EN DASH}" if label is None else SIGNS[label]


def label_lines(row: DatasetRow) -> Iterator[tuple[str, str, str]]:
    """Yield criterion, label, and share of annotators who hold B above C ("" where not known)."""
    soft = row.extras.get("y_soft") or {}
    for key in ALL_CRITERIA:
        if key in row.y:
            yield NAMES[key], LABEL_TEXTS[row.y[key]], f"{soft[key]:.2f}" if key in soft else ""


def lines_of(
    version: DatasetVersion, rows: Sequence[Numbered], *, reader: VersionReader
) -> dict[str, Any]:
    """Return quadruplets as the lines of a list: a sign a criterion, "" for none.

    With the criteria that the version has labels of; with the titles of references for readers of
    its claim texts who may be told ids; and whether any line has a flag.
    """
    keys = [key for key in ALL_CRITERIA if key in version.card["labels"]]
    tells_titles = reader.tells_ids and reader.reads_texts
    titles = _titles(version, {row.reference_id for _, row in rows}) if tells_titles else {}
    lines = [
        {
            "number": number,
            "row": row,
            "title": titles.get(row.reference_id, ""),
            "signs": [SIGNS[row.y[key]] if key in row.y else "" for key in keys],
            "flags": "; ".join(row.extras.get("flags") or ()),
        }
        for number, row in rows
    ]
    headings = [(SHORT[key], NAMES[key]) for key in keys]
    return {"headings": headings, "rows": lines, "has_flags": any(one["flags"] for one in lines)}


def _titles(version: DatasetVersion, ids: Collection[str]) -> dict[str, str]:
    if version.dataset.campaign is None:
        return {}
    rows = Reference.objects.filter(campaign=version.dataset.campaign, reference_id__in=ids)
    return dict(rows.values_list("reference_id", "title"))


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
    tested = f"{split['test_share']:g} test"
    if "test_of" in split:
        tested = f"test references of {split['test_of']}"
    shares = f"{tested}, {split['validation_share']:g} validation"
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


def card_page(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template shows of a card as it is stored, or as a preview gives it.

    `labels`: of each criterion counts as B better, equal, C better, their bar, and the published
    ones; `checks`: names, words, and whether it should not be so; `sizes` and `agreement`: names
    and words; `splits`: names, counts and shares; `left_out`: reasons and counts.
    """
    published = published_dataset()
    items, splits = card["counts"]["items"], card["splits"]
    counts = [(name, splits.get(name, 0)) for name in SPLIT_NAMES]
    return {
        "items": items,
        "labels": list(_labels(card, published["labels"])),
        "published_source": f"{published['source']}, {published['labels_where']}",
        "checks": list(_checks(card)),
        "sizes": [(name, [_figure(of.get(k)) for k in KEYS]) for name, of in _lengths(card)],
        "size_plot": _size_plot(card, published["tokens"]),
        "counted_by": str(card.get("tokens", {}).get("counted_by", "")),
        "agreement": list(_agreement(card)),
        "splits": [(name, count, format_share(count, items)) for name, count in counts],
        "left_out": sorted(card.get("left_out", {}).items()),
    }


def _labels(card: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key in ALL_CRITERIA:
        if key not in card["labels"]:
            continue
        counts = _counts(card["labels"][key])
        printed = _counts(published[key]) if key in published else ()
        triples = card.get("transitivity", {}).get(key)
        yield {
            "name": NAMES[key],
            "counts": counts,
            "ties": format_share(counts[1], sum(counts)),
            "plot": _bar(f"Labels for {NAMES[key]}", counts),
            "published_ties": format_share(printed[1], sum(printed)) if printed else "",
            "published_plot": printed and _bar(f"Published labels for {NAMES[key]}", printed),
            "contradictions": f"{triples['violations']} of {triples['triples']}" if triples else "",
        }


def _counts(found: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(found.get(label, 0) for label, _, _ in LABELS)


def _bar(title: str, counts: Sequence[int]) -> Plot:
    parts = [(kind, name, count) for (_, kind, name), count in zip(LABELS, counts, strict=True)]
    return share_bar(title, parts)


def _checks(card: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    counts = card["counts"]
    leaks = counts["texts_in_several_splits"]
    where = f"{leaks} claim texts stand in several" if leaks else "no claim text in two"
    yield "Leak check", f"{where} splits", bool(leaks)
    for name, key in (
        ("Items that contain the reference", "contain_reference"),
        ("Self-comparisons", "self_comparisons"),
    ):
        yield name, str(counts[key] or "none"), bool(counts[key])
    yield "Withheld from training", withheld_text(card), False
    if counts.get("ruled"):
        yield "Items with a ruling", str(counts["ruled"]), False
    if follows_old_majority(card):
        yield "Caution", OLD_MAJORITY, True
    if card.get("include_unlocked"):
        yield "Caution", "holds ratings that were not locked: for trials only", True


def _lengths(card: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, float | None]]]:
    for group, key, name in SIZES:
        found = card.get(group, {}).get(key)
        if isinstance(found, Mapping) and found.get("min") is not None:
            yield name, found


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if float(value).is_integer() or value >= 100 else f"{value:.1f}"


def _size_plot(card: Mapping[str, Any], published: Mapping[str, Any]) -> Plot | None:
    shown = {name for _, _, name in SIZES[1:3]}
    rows = [
        ("own", name, {figure: float(found.get(figure) or 0) for figure in KEYS})
        for name, found in _lengths(card)
        if name in shown
    ]
    if not rows:
        return None
    rows.append(("published", "Published", {figure: float(published[figure]) for figure in KEYS}))
    return range_plot("Length of claim sets", "tokens", rows)


def _agreement(card: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    found = card.get("agreement") or {}
    for key in ALL_CRITERIA:
        if isinstance(entry := found.get(key), Mapping):
            yield NAMES[key], _describe_agreement(entry)


def _describe_agreement(entry: Mapping[str, Any]) -> str:
    value = entry.get("value")
    if value is None:
        return str(entry.get("reason") or "undefined")
    text = f"{value:.3f}"
    if entry.get("low") is not None and entry.get("high") is not None:
        text += f" (95 % interval {entry['low']:.2f} to {entry['high']:.2f})"
    if entry.get("n") is not None:
        text += f", n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{entry['n']}"
    return text
