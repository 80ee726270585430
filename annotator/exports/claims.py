"""The claim sets of a campaign as claims-jsonl, which an import reads back as the same."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from annotator.context.queries import exported_context
from annotator.exports.queries import ExportFormat
from annotator.exports.rows import some_references
from annotator.formats.claims_jsonl import line_of
from annotator.formats.context_lines import lines_of
from annotator.models import GENUINE, Campaign, Reference
from core.database import one_moment
from patclaimeval.documents.references import LONGEST, CandidateRecord, ReferenceRecord

CLAIMS_EXPORTED: Final = "claims.exported"
WITHOUT_CANDIDATES: Final = "without a candidate, which a line of claims-jsonl must have"
ERASED: Final = "whose claims were erased"
FORMAT: Final = ExportFormat("claims-jsonl", lambda lines: iter(()), "jsonl", "application/jsonl")


@dataclass(frozen=True, slots=True)
class ClaimsExport:
    """All references with their candidates, and where asked for with their context.

    What the app made itself is left out without a word. `left_out` counts the other references
    that the lines lack, by the reason.
    """

    campaign_id: UUID
    has_context: bool
    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    is_identified: bool = False
    format: ExportFormat = FORMAT
    notice: str = "Confidential: unfiled claims."

    def pieces(self) -> Iterator[bytes]:
        """Yield the lines as of one moment, a reference at a time."""
        with one_moment():
            campaign = Campaign.objects.get(pk=self.campaign_id)
            for keys in some_references(campaign):
                rows = Reference.objects.in_bulk(keys)
                for reference in (rows[pk] for pk in keys):
                    yield from self._lines(reference)

    def _lines(self, reference: Reference) -> Iterable[bytes]:
        candidates = reference.candidates.filter(purpose__in=GENUINE).order_by("candidate_id")
        found = tuple(
            CandidateRecord(one.candidate_id, one.claims, one.system) for one in candidates
        )
        if reference.erased_at or not found:
            self.left_out[ERASED if reference.erased_at else WITHOUT_CANDIDATES] += 1
            return
        self.counts.update(references=1, candidates=len(found))
        yield line_of(
            ReferenceRecord(
                reference.reference_id,
                reference.claims,
                found,
                **{name: getattr(reference, name) for name in LONGEST},
                draft_claims=reference.draft_claims,
                may_train=reference.may_train,
            )
        )
        if self.has_context and (context := exported_context(reference)):
            self.counts.update({f"{part}s": n for part, n in context.counts().items()})
            yield from lines_of(reference.reference_id, context)
