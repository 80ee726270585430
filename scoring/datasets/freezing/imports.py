"""Stores quadruplets that were made elsewhere as dataset versions; order and sides stay."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from annotator.imports.erasing import keyed_mark
from annotator.models import Campaign, Candidate, Reference, User
from core.errors import Refused
from patclaimeval.claims.languages import CODE
from patclaimeval.text_io.streams import BadRecord, BadRecordList, ReadNotes
from scoring.datasets.cards import make_card
from scoring.datasets.drafts import Draft
from scoring.datasets.freezing.rules import split_json
from scoring.datasets.freezing.services import Frozen, refuse_name, store_version
from scoring.formats.dataset_files import LABEL_STUDIO, format_of, read_file
from scoring.quadruplets import DatasetRow, SplitPlan

ERASED: Final = (
    "A reference in these rows was erased while they were read; take it out of them and import "
    "again."
)


def import_dataset(
    *,
    name: str,
    rows: Iterable[DatasetRow],
    plan: SplitPlan,
    campaign: Campaign | None = None,
    created_by: User | None = None,
) -> Frozen:
    """Store rows as a dataset version.

    Raises Refused for no rows, for a split that cannot be made, or for rows without a split where
    they were to give it; FormatError where rows contradict each other.
    """
    refuse_name(name, campaign)
    files = [("the rows", rows)]
    return _imported(files, plan, name=name, campaign=campaign, created_by=created_by)


def import_files(
    *,
    name: str,
    paths: Sequence[Path],
    file_format: str = "auto",
    language: str = "",
    plan: SplitPlan,
    campaign: Campaign | None = None,
    created_by: User | None = None,
    progress: Callable[[float], None] = lambda share: None,
    notes: ReadNotes | None = None,
) -> Frozen:
    """Read files of quadruplets, join them on (A, B, C), and store them as a dataset version.

    `language` is recorded with the rows that name none: a code of two or three letters, or "".
    `progress` gets the share of the files that has been read, 0 to 1. Raises what import_dataset
    raises, FormatError with the bad records of a file, and Refused for a file that cannot be read.
    """
    refuse_name(name, campaign)
    if language and not re.fullmatch(CODE, language):
        raise Refused.at("language", "Give a code of two or three letters, such as en or de.")
    notes = notes or ReadNotes()
    try:
        kinds = [format_of(path, file_format) for path in paths]
        stated = [_statement(path) for path in paths]
    except OSError as error:
        raise Refused(f"Cannot read {error.filename}: {error.strerror}.") from error
    before = [0, *accumulate(one["bytes"] for one in stated)]

    def rows_of(number: int) -> Iterator[DatasetRow]:
        return read_file(
            paths[number],
            kinds[number],
            notes,
            lambda read: progress((before[number] + read) / max(1, before[-1])),
        )

    files = [
        (path.name, in_language(rows_of(number), language)) for number, path in enumerate(paths)
    ]
    return _imported(
        files,
        plan,
        notes,
        stated,
        # Only there names stand for the same people in all files.
        counts_people=set(kinds) == {LABEL_STUDIO},
        name=name,
        campaign=campaign,
        created_by=created_by,
    )


def in_language(rows: Iterable[DatasetRow], language: str) -> Iterable[DatasetRow]:
    """Return rows with the language recorded where they name none; "" records nothing."""
    if not language:
        return rows
    return (
        row
        if row.extras.get("language")
        else replace(row, extras={**row.extras, "language": language})
        for row in rows
    )


def _imported(
    files: Sequence[tuple[str, Iterable[DatasetRow]]],
    plan: SplitPlan,
    notes: ReadNotes | None = None,
    stated: Sequence[dict[str, Any]] = (),
    *,
    counts_people: bool = False,
    campaign: Campaign | None,
    **how: Any,
) -> Frozen:
    before = _erased_in(campaign) if campaign else frozenset()
    draft = Draft()
    join(files, draft, notes or ReadNotes())
    if not len(draft):
        raise Refused("The files hold 0 quadruplets.")
    draft.split(plan)
    made = {"split": split_json(plan), "files": list(stated)}
    if counts_people:
        made["people"] = {"annotators": len(draft.annotators), "adjudicators": 0}
    card = make_card(draft, source="import", **made)

    def erased() -> str:
        return ERASED if campaign and _quotes_erased(campaign, draft, before) else ""

    return store_version(campaign=campaign, draft=draft, card=card, erased=erased, **how)


def join(files: Iterable[tuple[str, Iterable[DatasetRow]]], draft: Draft, notes: ReadNotes) -> None:
    """Join files on (A, B, C) and merge their labels: the published files hold one criterion each.

    Input: (file name, rows) pairs; ids made from texts stand for (A, B, C), and so does an id that
    a file gives. The draft gets rows in the order in which they first stand. An equal row that
    returns is stored once and counted in `notes`. A split is stored where the files that name one
    agree, else it is "". Raises FormatError, naming both places, where labels of one criterion
    contradict each other or where one id is given to different texts.
    """
    bad = BadRecordList()
    # By id: the row's place in the draft, the number of its file, and what to call both.
    first: dict[str, tuple[int, int, str]] = {}
    for number, (name, rows) in enumerate(files):
        for item, row in enumerate(rows, start=1):
            if row.id not in first:
                first[row.id] = draft.add(row), number, f"item {item} of {name}"
                continue
            place, file, where = first[row.id]
            if file == number:
                notes.duplicates += 1
            else:
                notes.joined += 1
            earlier = draft.rows[place]
            for field, reason in _contradictions(earlier, row, where):
                bad.add(BadRecord(0, field, reason, item, name))
            draft.state_split(place, row.split)
            if not row.y.keys() <= earlier.y.keys():
                draft.relabel(place, {**row.y, **earlier.y})
    bad.refuse_if_any()


def _contradictions(earlier: DatasetRow, row: DatasetRow, where: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a row that has an earlier one's id: the field and why."""
    if (row.reference, row.b, row.c) != (earlier.reference, earlier.b, earlier.c):
        yield "id", f"the id stands for other texts in {where}"
        return
    for criterion, label in row.y.items():
        if earlier.y.get(criterion, label) != label:
            yield criterion, f"the label {label} contradicts {earlier.y[criterion]} in {where}"


def _erased_in(campaign: Campaign) -> frozenset[UUID]:
    """Return the references of a campaign that are erased by now."""
    rows = Reference.objects.filter(campaign=campaign).exclude(erased_at=None)
    return frozenset(rows.values_list("pk", flat=True))


def _quotes_erased(campaign: Campaign, draft: Draft, before: Collection[UUID]) -> bool:
    """Return whether rows hold a text that was erased in the campaign, other than `before`.

    What is left of an erased text is its keyed mark; the rows of files name no row of ours.
    """
    since = _erased_in(campaign).difference(before)
    if not since:
        return False
    marks = set(Reference.objects.filter(pk__in=since).values_list("claims_sha256", flat=True))
    candidates = Candidate.objects.filter(reference__in=since)
    marks.update(candidates.values_list("claims_sha256", flat=True))
    return any(
        keyed_mark(text) in marks for row in draft.rows for text in (row.reference, row.b, row.c)
    )


def _statement(path: Path) -> dict[str, Any]:
    """Return what a card holds of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"name": path.name, "sha256": digest, "bytes": file.tell()}
