"""Reads of a file of claim sets before it is imported: what it would bring, and what is odd."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.formats import label_studio
from annotator.formats.claim_files import PREFERENCES, format_of, read_claims
from annotator.imports.claims.plans import plan_import
from annotator.imports.claims.queries import OddTexts
from annotator.imports.preferences.texts import ImportedTexts, Statement, statement_of
from annotator.models import Campaign, ImportedAnnotation
from patclaimeval.documents.context import describe_context
from patclaimeval.documents.csv_streams import SeekableSource, unpacked
from patclaimeval.documents.references import ReferenceRecord, reported
from patclaimeval.text_io.streams import ReadNotes

PREVIEWED: Final = 5
PREVIEWED_CANDIDATES: Final = 20
PREVIEWED_CHARACTERS: Final = 10_000


@dataclass(slots=True)
class ImportCheck:
    """What a file would bring into a campaign; nothing of it is stored.

    `counts` as ImportCounts has them, and of a Label Studio export `annotations` beside
    `known_annotations`. `near_duplicates` are at most 100, the closest first; `preview` shows the
    first references, long texts cut, and is the only place where claim texts stand.
    """

    format: str
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    near_duplicates: list[dict[str, Any]] = field(default_factory=list)
    preview: list[dict[str, Any]] = field(default_factory=list)


def check_claims(
    *,
    campaign: Campaign | None,
    file: SeekableSource,
    format: str = "auto",  # noqa: A002 - the option's public name
    records: Iterable[ReferenceRecord] | None = None,
    progress: Callable[[int], None] | None = None,
    looks_for_similar: bool = True,
) -> ImportCheck:
    """Read a file to its end and return what an import of it would do; store nothing.

    `campaign` is None where it would be created; `records` are given where the file was read
    already, and `format` names what it is. `progress` is given with each record how many
    are read, and may raise to stop. To look for texts that are similar but not equal takes
    most of the time, and can be left out. Raises FormatError with up to 100 bad records, ids
    that are known with another text among them.
    """
    name = format_of(file) if format == "auto" else format
    notes = ReadNotes()
    annotations: dict[str, int] = {}
    if records is None and name == PREFERENCES:
        stated = reported(label_studio.read(unpacked(file), notes), progress)
        statements = list(map(statement_of, stated))
        records = ImportedTexts(campaign).references_of(statements)
        annotations = _annotations(campaign, statements)
    elif records is None:
        records = reported(read_claims(file, name, notes), progress)
    listed = list(records)
    counts = plan_import(campaign, listed).counts() | annotations
    odd = OddTexts(campaign, listed, looks_for_similar=looks_for_similar)
    return ImportCheck(
        format=name,
        counts=counts,
        notes=[*notes.sentences(), *odd.notes()],
        near_duplicates=odd.near_duplicates(),
        preview=list(map(_shown, listed[:PREVIEWED])),
    )


def _annotations(campaign: Campaign | None, statements: Collection[Statement]) -> dict[str, int]:
    own = ImportedAnnotation.objects.filter(campaign=campaign)
    there = set(own.values_list("annotation", flat=True))
    known = sum(one.record.annotation in there for one in statements)
    return {"annotations": len(statements) - known, "known_annotations": known}


def _shown(record: ReferenceRecord) -> dict[str, Any]:
    return {
        "reference_id": record.reference_id,
        "title": record.title,
        "claims": _cut(record.reference_claims),
        "context": describe_context(record.context.counts() if record.context else {}),
        "candidates": [
            {"candidate_id": candidate.candidate_id, "claims": _cut(candidate.claims)}
            for candidate in record.candidates[:PREVIEWED_CANDIDATES]
        ],
    }


def _cut(text: str) -> str:
    return text if len(text) <= PREVIEWED_CHARACTERS else text[:PREVIEWED_CHARACTERS] + "…"
