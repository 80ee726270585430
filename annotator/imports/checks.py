"""Reads of a file of claim sets before it is imported: what it would bring, and what is odd."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.comparisons.queries import StatedTexts
from annotator.formats import label_studio
from annotator.formats.claim_files import PREFERENCES, format_of, read_claims
from annotator.formats.context import describe_context
from annotator.formats.csv_streams import SeekableSource, unpacked
from annotator.formats.references import ReferenceRecord, in_batches
from annotator.imports.bounds import Bounds
from annotator.imports.claims.queries import OddTexts, known_candidates, known_references
from annotator.models import Campaign
from core.text_io.streams import BadRecord, BadRecordList, ReadNotes
from core.text_io.strict_json import short
from core.text_io.text import text_sha256

PREVIEWED: Final = 5
PREVIEWED_CANDIDATES: Final = 20
PREVIEWED_CHARACTERS: Final = 10_000
OTHER_TEXT: Final = (
    "is in this campaign with other claims; a stored text is never replaced, so give the new text "
    "a new id"
)


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
    already, and `format` names what it is. `progress` is given after each batch how many
    records are read, and may raise to stop. To look for texts that are similar but not equal takes
    most of the time, and can be left out. Raises FormatError with up to 100 bad records, ids
    that are known with another text among them.
    """
    name = format_of(file) if format == "auto" else format
    notes = ReadNotes()
    odd = OddTexts(campaign, looks_for_similar=looks_for_similar)
    # The claim sets of a file of this format, and what counts them.
    ledger: StatedTexts | _Ledger
    if records is not None:
        ledger = _Ledger(campaign)
    elif name == PREFERENCES:
        records = ledger = StatedTexts(campaign, label_studio.read(unpacked(file), notes))
    else:
        records, ledger = read_claims(file, name, notes), _Ledger(campaign)
    bounds, beyond = Bounds(campaign), BadRecordList()
    preview: list[dict[str, Any]] = []
    done = 0
    for batch in in_batches(records):
        ledger.take(batch)
        odd.take(batch)
        beyond.add(*bounds.exceeded(batch))
        preview += [_shown(record) for record in batch[: PREVIEWED - len(preview)]]
        done += len(batch)
        if progress is not None:
            progress(done)
    beyond.refuse_if_any()
    return ImportCheck(
        format=name,
        counts=ledger.counts(),
        notes=[*notes.sentences(), *odd.notes()],
        near_duplicates=odd.near_duplicates(),
        preview=preview,
    )


class _Ledger:
    """Counts what is new and what is known, and finds ids that are known with another text."""

    def __init__(self, campaign: Campaign | None) -> None:
        self._known = known_references(campaign) if campaign else {}
        self._bad = BadRecordList()
        self._counts = dict.fromkeys(
            ("references", "candidates", "known_references", "known_candidates"), 0
        )

    def take(self, batch: list[ReferenceRecord]) -> None:
        """Enter a batch of records."""
        names = {record.reference_id for record in batch} & self._known.keys()
        texts = known_candidates([self._known[name].pk for name in names])
        for record in batch:
            stored = self._known.get(record.reference_id)
            self._count("references", stored is not None)
            if stored and stored.sha256 != text_sha256(record.reference_claims):
                self._changed(record, "reference_id", record.reference_id)
            for candidate in record.candidates:
                digest = texts.get((stored.pk, candidate.candidate_id)) if stored else None
                self._count("candidates", digest is not None)
                if digest and digest != text_sha256(candidate.claims):
                    self._changed(record, "candidate_id", candidate.candidate_id)

    def counts(self) -> dict[str, int]:
        """Return the counts; raise FormatError for what would be refused."""
        self._bad.refuse_if_any()
        return self._counts

    def _count(self, what: str, is_known: bool) -> None:
        self._counts[f"known_{what}" if is_known else what] += 1

    def _changed(self, record: ReferenceRecord, field_name: str, name: str) -> None:
        self._bad.add(BadRecord(record.line, field_name, f"{short(name)} {OTHER_TEXT}"))


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
