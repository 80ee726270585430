"""Stores quadruplets that were made elsewhere as dataset versions; order and sides stay."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from annotator.models import Campaign, User
from core.errors import Refused
from core.languages import CODE
from core.text_io.streams import ReadNotes
from scoring.datasets.cards import make_card
from scoring.datasets.drafts import Draft
from scoring.datasets.freezing.erased import erased_in, quotes_erased
from scoring.datasets.freezing.rules import Progress, by_percent, split_json
from scoring.datasets.freezing.services import Frozen, refuse_name, store_version
from scoring.formats.dataset_files import LABEL_STUDIO, format_of, join, read_file
from scoring.quadruplets import DatasetRow, SplitPlan

READING: Final = "Reading the files."
ERASED: Final = (
    "A reference in these rows was erased while they were read; take it out of them and import "
    "again."
)
# The share of the whole work at which writing begins.
WRITING_FROM: Final = 0.8


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
    progress: Progress | None = None,
    notes: ReadNotes | None = None,
) -> Frozen:
    """Read files of quadruplets, join them on (A, B, C), and store them as a dataset version.

    `language` is recorded with the rows that name none: a code of two or three letters, or "".

    `progress` gets how much was read and written, and may raise to stop: nothing is stored then.
    Raises what import_dataset raises, FormatError with the bad records of a file, and Refused for
    a file that cannot be read.
    """
    refuse_name(name, campaign)
    if language and not re.fullmatch(CODE, language):
        raise Refused.at("language", "Give a code of two or three letters, such as en or de.")
    on_progress, notes = by_percent(progress), notes or ReadNotes()
    try:
        kinds = [format_of(path, file_format) for path in paths]
        stated = [_statement(path) for path in paths]
    except OSError as error:
        raise Refused(f"Cannot read {error.filename}: {error.strerror}.") from error
    files = [
        (path.name, in_language(read_file(path, kind, notes, on_step), language))
        for path, kind, on_step in zip(
            paths, kinds, _progress_of_each(on_progress, stated), strict=True
        )
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
        progress=on_progress,
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
    progress: Progress = lambda share, words: None,
    **how: Any,
) -> Frozen:
    before = erased_in(campaign) if campaign else frozenset()
    draft = Draft()
    join(files, draft, notes)
    if not len(draft):
        raise Refused("The files hold 0 quadruplets.")
    draft.split(plan)
    made = {"split": split_json(plan), "files": list(stated)}
    if counts_people:
        made["people"] = {"annotators": len(draft.annotators), "adjudicators": 0}
    card = make_card(draft, source="import", **made)

    def erased() -> str:
        return ERASED if campaign and quotes_erased(campaign, draft, before) else ""

    return store_version(
        campaign=campaign,
        draft=draft,
        card=card,
        erased=erased,
        progress=progress,
        progress_from=WRITING_FROM,
        **how,
    )


def _statement(path: Path) -> dict[str, Any]:
    """Return what a card holds of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"name": path.name, "sha256": digest, "bytes": file.tell()}


def _progress_of_each(
    on_progress: Progress, stated: Sequence[dict[str, Any]]
) -> Iterator[Callable[[int], None]]:
    """Yield for each file a callback for the bytes read, which reports the share of all files."""
    total = max(1, sum(one["bytes"] for one in stated))
    before = 0
    for one in stated:

        def report(read: int, before: int = before) -> None:
            on_progress(WRITING_FROM * min(1.0, (before + read) / total), READING)

        yield report
        before += one["bytes"]
