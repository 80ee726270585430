"""The items behind the figures of a report, and what of them a person may see.

They come from what the report stored beside its figures, so that a list is as long as the count
that leads to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from annotator.adjudication.settled.queries import names_for
from annotator.comparisons.queries import SIDES
from annotator.models import Campaign, Reference, User
from annotator.reading import reading_of_texts
from core.errors import Refused
from patclaimeval.agreement.item_table import (
    DIFFER,
    FIRST,
    SAME,
    SECOND,
    ItemTable,
    Pull,
    Wanted,
    choose,
    strongest_pulls,
    unpack,
)
from patclaimeval.agreement.items import Integers
from patclaimeval.agreement.scatter import shown_places
from patclaimeval.claims.languages import language_name
from patclaimeval.claims.minimap import Cell, State
from patclaimeval.claims.side_by_side import (
    SideBySide,
    joint_cells,
    note_by_names,
    set_side_by_side,
    unlike_states,
)
from patclaimeval.models.explanation import Explanation
from patclaimeval.rubric import NAMES
from patclaimeval.text_io.text import text_sha256
from scoring.access.scopes import VersionReader, judges_on, version_reader, versions_for
from scoring.datasets.texts.queries import whom_to_ask
from scoring.datasets.versions.lineage import Lineage, lineage_of
from scoring.datasets.versions.queries import LABEL_TEXTS, label_lines, rows_at
from scoring.models import AgreementReport, ReportItems
from scoring.quadruplets import DatasetRow
from scoring.reports.browsing.explanations import (
    ItemOcclusion,
    item_occlusions,
    linear_explanations,
)
from scoring.reports.files import label_of
from scoring.reports.inputs import TAG
from scoring.reports.page_parts import BREAKDOWNS, RATINGS
from scoring.training.model_versions.queries import reports_for

A_PAGE: Final = 50
SYSTEM: Final = "system"
BEFORE_ITEMS: Final = (
    "This report was computed before reports stored which items their figures count, so it leads "
    "to none. Ask for it again: the same question is computed anew then, with its items."
)
GROUPINGS: Final = {**dict(BREAKDOWNS), TAG: "By error tag"}


def browsable_reports_for(user: User) -> QuerySet[AgreementReport]:
    """Return the finished reports on what the person works on: who only reads reports, no items."""
    rows = reports_for(user).filter(status="succeeded", result__isnull=False)
    return rows.filter(dataset_version__in=versions_for(user))


@dataclass(frozen=True, slots=True)
class Browsed:
    """A finished report with its items, and how a person reads them.

    `table` is None where the report stored none; `is_withheld` where what scorers say of single
    items might sway the person, who rates or adjudicates meanwhile.
    """

    report: AgreementReport
    document: Mapping[str, Any] = field(repr=False)
    table: ItemTable | None
    reader: VersionReader
    is_withheld: bool

    @property
    def tells_systems(self) -> bool:
        """Whether it may be shown who made a candidate: stored, and the campaign still closed."""
        campaign = self.report.dataset_version.dataset.campaign
        return self.report.has_systems and campaign is not None and not campaign.is_open

    @property
    def items(self) -> ItemTable:
        assert self.table is not None, "views look first whether there are items"
        return self.table

    @property
    def scorers(self) -> list[tuple[str, str]]:
        """Name and label of all that predicts, in the order of the report's table."""
        order = [*self.document["scorers"], *self.document["baselines"]]
        names = [name for name in dict.fromkeys(order) if name in self.items.predicted]
        return [(name, label_of(self.document, name)) for name in names]

    @property
    def groups(self) -> list[tuple[str, str]]:
        """Key and label of each group that the person may ask for."""
        hidden = {SYSTEM: not self.tells_systems, TAG: not self.reader.tells_ratings}
        return [
            (f"{key}:{place}", f"{title}: {group_name(key, name)}")
            for key, title in GROUPINGS.items()
            if not hidden.get(key)
            for place, name in enumerate(self.items.groups.get(key, ()))
        ]


def group_name(key: str, name: str) -> str:
    return language_name(name) if key == "language" else name


def browsed(user: User, report: AgreementReport, document: Mapping[str, Any]) -> Browsed:
    """Return a report that is browsable for the person, as they may read its items."""
    version = report.dataset_version
    content = ReportItems.objects.filter(report=report).values_list("content", flat=True).first()
    table = None if content is None else unpack(bytes(content))
    reader = version_reader(user, version)
    is_withheld = reader.is_withheld or judges_on(user, version)
    return Browsed(report, document, table, reader, is_withheld)


def items_address(user: User, report: AgreementReport) -> str:
    """Return where the figures of a report lead to for the person; "" where to nothing."""
    version = report.dataset_version
    if not versions_for(user).filter(pk=version.pk).exists() or judges_on(user, version):
        return ""
    has_items = ReportItems.objects.filter(report=report).exists()
    return reverse("scoring:report_items", args=[report.pk]) if has_items else ""


@dataclass(frozen=True, slots=True)
class Said:
    """What one scorer gave one item: its numbers, its label, and whether people say the same."""

    name: str
    label: str
    b: float | None
    c: float | None
    difference: float | None
    says: str
    is_right: bool
    error: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One item of a list: its number among the items, from 1, and what was said of it."""

    place: int
    number: int
    row_id: str
    reference: int
    reference_id: str
    people: str
    said: tuple[Said, ...]


def said_of(found: Browsed, place: int, names: Sequence[str]) -> tuple[Said, ...]:
    """Return what the scorers gave the item at a place from 0."""
    table, labels = found.items, dict(found.scorers)
    lines = []
    for name in names:
        b, c = table.scores[name][:, place].tolist() if name in table.scores else (None, None)
        one, errors = table.differences.get(name), table.errors(name)
        predicted = int(table.predicted[name][place])
        lines.append(
            Said(
                *(name, labels[name], b, c),
                difference=None if one is None else float(one[place]),
                says=LABEL_TEXTS[predicted],
                is_right=predicted == int(table.y[place]),
                error=None if one is None else float(errors[place]),
            )
        )
    return tuple(lines)


def item_lines(found: Browsed, places: Sequence[int], names: Sequence[str]) -> list[Line]:
    """Return the lines of a page of a list; raises StoredFileDamaged as rows_at() does."""
    table = found.items
    numbers = [int(table.rows[place]) for place in places]
    rows = rows_at(found.report.dataset_version, numbers)
    return [
        Line(
            place=place + 1,
            number=number,
            row_id=rows[number].id,
            reference=int(table.references[place]) + 1,
            reference_id=rows[number].reference_id if found.reader.tells_ids else "",
            people=LABEL_TEXTS[int(table.y[place])],
            said=said_of(found, place, names),
        )
        for place, number in zip(places, numbers, strict=True)
    ]


def pulls(found: Browsed, name: str) -> list[Pull]:
    """Return the references that move a scorer's tau-b most, numbered from 1."""
    entry = found.document["scorers"].get(name) or found.document["baselines"].get(name)
    value = ((entry or {}).get("tau_b") or {}).get("value")
    return [] if value is None else strongest_pulls(found.items, name, value)


def both_counts(found: Browsed, wanted: Wanted) -> list[tuple[str, str, int]]:
    """Return how two scorers stand to each other: key of the filter, sentence, count."""
    labels = dict(found.scorers)
    first, second = labels[wanted.scorer], labels[wanted.second]
    sentences = (
        (DIFFER, "They differ on"),
        (FIRST, f"{first} alone is right on"),
        (SECOND, f"{second} alone is right on"),
        (SAME, "They say the same of"),
    )
    return [
        (key, sentence, len(choose(found.items, Wanted(wanted.scorer, wanted.second, both=key))))
        for key, sentence in sentences
    ]


def other_criteria(user: User, report: AgreementReport) -> list[tuple[str, AgreementReport]]:
    """Return the newest report with items on each other criterion, of the same part of the data."""
    rows = browsable_reports_for(user).filter(
        dataset_version=report.dataset_version_id, split=report.split, items__isnull=False
    )
    rows = rows.exclude(criterion=report.criterion).defer("result").order_by("created_at")
    newest = {row.criterion: row for row in rows}
    return [(NAMES[key], newest[key]) for key in NAMES if key in newest]


@dataclass(frozen=True, slots=True)
class ReferenceFacts:
    """What stands above the reference in the reader."""

    number: int
    title: str
    language: str
    office: str
    ipc: str


ITEM_NAMES: Final = ("B", "C")


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One item: what was said of it, its row, and as far as the person may, its texts and why.

    `asked_of`: whom to ask for the texts; `tells_each`: whether annotators are told apart.
    """

    place: int
    row: DatasetRow
    number: int
    reference: ReferenceFacts
    said: tuple[Said, ...]
    people: str
    groups: tuple[str, ...]
    labels: tuple[tuple[str, str, str], ...]
    lineage: Lineage | None
    tells_each: bool
    seen: SideBySide | None
    explanations: tuple[tuple[str, Explanation], ...]
    asked_of: tuple[str, ...]
    occlusions: tuple[ItemOcclusion, ...]
    context_of: Reference | None = None
    """The reference, where it has context and the person reads its claims."""

    @property
    def waits(self) -> bool:
        """Whether a worker is about to say what moved an encoder."""
        return any(one.waits for one in self.occlusions)

    @property
    def cells(self) -> tuple[Cell, ...]:
        return joint_cells(self.seen, SIDES, ITEM_NAMES) if self.seen else ()

    @property
    def states(self) -> list[list[tuple[State, int]]]:
        """Return how many claims of each side differ, by state."""
        return [unlike_states(self.seen, at) for at in range(len(SIDES))] if self.seen else []


def item_page(user: User, found: Browsed, place: int) -> ItemPage | None:
    """Return the page of an item by its number from 1; None where there is no such item.

    Raises Refused where the dataset's file is gone.
    """
    table, version = found.items, found.report.dataset_version
    at = place - 1
    row = item_row(found, place)
    if row is None:
        return None
    number = int(table.rows[at])
    campaign, reads_texts = version.dataset.campaign, found.reader.reads_texts
    key = f"{version.pk} {row.reference_id}"
    names = names_for(user, campaign, key, is_admin=found.reader.is_admin) if campaign else {}
    return ItemPage(
        place=place,
        row=row,
        number=number,
        reference=_reference_facts(found, row, int(table.references[at]) + 1),
        said=said_of(found, at, [name for name, _ in found.scorers]),
        people=LABEL_TEXTS[int(table.y[at])],
        groups=tuple(_groups_of(found, at)),
        labels=tuple(label_lines(row)),
        lineage=lineage_of(version, row, names) if campaign else None,
        tells_each=bool(names),
        seen=_seen(row) if reads_texts else None,
        explanations=(
            tuple(linear_explanations(found.report, found.scorers, row)) if reads_texts else ()
        ),
        asked_of=() if reads_texts else tuple(whom_to_ask(version)),
        occlusions=occlusions_of(user, found, place, row),
        context_of=reference_with_context(campaign, row) if reads_texts else None,
    )


def occlusions_of(
    user: User, found: Browsed, place: int, row: DatasetRow
) -> tuple[ItemOcclusion, ...]:
    """Return the encoders of the report with what moved their scores of an item."""
    numbered = int(found.items.rows[place - 1]), row
    reads_texts = found.reader.reads_texts
    return tuple(
        item_occlusions(user, found.report, found.scorers, numbered, reads_texts=reads_texts)
    )


def item_row(found: Browsed, place: int) -> DatasetRow | None:
    """Return the row of an item by its number from 1; None where there is no such item.

    Raises Refused where the dataset's file is gone.
    """
    if not 0 < place <= len(found.items):
        return None
    number = int(found.items.rows[place - 1])
    row = rows_at(found.report.dataset_version, [number]).get(number)
    if row is None:
        raise Refused("The dataset does not hold this item any more.")
    return row


def item_title(found: Browsed, row: DatasetRow, place: int) -> str:
    """Return what the person knows the reference of an item by."""
    return _reference_facts(found, row, int(found.items.references[place - 1]) + 1).title


def reference_with_context(campaign: Campaign | None, row: DatasetRow) -> Reference | None:
    """Return the reference that a row is about, where it has context and the same claims still."""
    if campaign is None:
        return None
    rows = Reference.objects.filter(campaign=campaign, reference_id=row.reference_id)
    digest = text_sha256(row.reference)
    return rows.filter(has_context=True, claims_sha256=digest).first()


def _reference_facts(found: Browsed, row: DatasetRow, number: int) -> ReferenceFacts:
    facts = (str(row.extras.get(name, "")) for name in ("language", "office", "ipc"))
    title = row.reference_id if found.reader.tells_ids else f"no. {number}"
    return ReferenceFacts(number, title, *facts)


def _groups_of(found: Browsed, at: int) -> Iterator[str]:
    for key, label in found.groups:
        grouping, _, place = key.partition(":")
        places = [*found.items.groups[grouping].values()][int(place)]
        if (places == at).any():
            yield label


def _seen(row: DatasetRow) -> SideBySide:
    language = str(row.extras.get("language", ""))
    readings = [reading_of_texts(row.reference, text, language) for text in (row.b, row.c)]
    return set_side_by_side(readings, note_by_names(ITEM_NAMES))


def scatter_addresses(found: Browsed | None, name: str, address: str) -> tuple[str, ...]:
    """Return where each dot of a scorer's scatter leads to, in the order of its points.

    A dot of an item leads to it. A dot of a candidate has its rating, so it leads to the items of
    the candidate only for who may read single ratings. Without either, dots lead nowhere.
    """
    if found is None or found.table is None:
        return ()
    stored = found.document["scatter"][name]
    if stored["kind"] != RATINGS:
        query = urlencode({"scorer": name})
        return tuple(f"{address}{at + 1}/?{query}" for at in shown_places(stored["n"]).tolist())
    if not found.reader.tells_ratings:
        return ()
    rated = np.flatnonzero(np.isfinite(found.table.points))
    candidates = rated[shown_places(len(rated))].tolist()
    return tuple(
        f"{address}?{urlencode({'scorer': name, 'candidate': str(at + 1)})}" for at in candidates
    )


def neighbours(places: Integers, place: int) -> tuple[int | None, int | None]:
    """Return the numbers of the items before and after one in a list of places from 0."""
    (at,) = np.flatnonzero(places == place - 1)[:1] if (places == place - 1).any() else (None,)
    if at is None:
        return None, None
    before = int(places[at - 1]) + 1 if at > 0 else None
    after = int(places[at + 1]) + 1 if at + 1 < len(places) else None
    return before, after
