"""Holds an import against the load that the application promises (core/limits.py)."""

from collections.abc import Iterator, Sequence

from annotator.formats.references import ReferenceRecord
from annotator.models import GENUINE, Campaign, Candidate, Rating, Reference
from core import limits
from core.text_io.streams import BadRecord
from core.text_io.strict_json import short


class Bounds:
    """Counts what an import would add to a campaign, None for one that would be created."""

    def __init__(self, campaign: Campaign | None) -> None:
        self._campaign = campaign
        self._sets = 0
        self._references = Reference.objects.filter(campaign=campaign).count() if campaign else 0
        self._is_full = Rating.objects.count() >= limits.RATINGS

    def exceeded(self, batch: Sequence[ReferenceRecord]) -> Iterator[BadRecord]:
        """Enter a batch of records; yield what of it goes beyond a limit.

        A limit of the whole is named once, at the record that goes beyond it.
        """
        if self._is_full:
            self._is_full = False
            why = f"this site has {limits.RATINGS:,} ratings, as many as one site may have"
            yield BadRecord(0, "", f"{why}; import these claim sets at another site")
        known = self._known(batch)
        for record in batch:
            yield from self._of_import(record, is_new=record.reference_id not in known)
            names = known.get(record.reference_id, set())
            count = len(names.union(one.candidate_id for one in record.candidates))
            if count > limits.CANDIDATES:
                why = f"{short(record.reference_id)} would have {count:,} candidates; a reference"
                yield BadRecord(record.line, "candidates", f"{why} has at most {limits.CANDIDATES}")
            for field, text in _texts(record):
                if why := limits.claim_set_problem(text):
                    yield BadRecord(record.line, field, why)

    def _of_import(self, record: ReferenceRecord, *, is_new: bool) -> Iterator[BadRecord]:
        sets, references = self._sets, self._references
        self._sets += 1 + len(record.candidates)
        self._references += is_new
        if sets <= limits.CLAIM_SETS < self._sets:
            why = f"one import has at most {limits.CLAIM_SETS:,} claim sets; divide the file"
            yield BadRecord(record.line, "", why)
        if references <= limits.REFERENCES < self._references:
            why = f"a campaign has at most {limits.REFERENCES:,} references; create another one"
            yield BadRecord(record.line, "", why)

    def _known(self, batch: Sequence[ReferenceRecord]) -> dict[str, set[str]]:
        """Return the references of a batch that are there, each with its candidates."""
        names = [record.reference_id for record in batch]
        there = Reference.objects.filter(campaign=self._campaign, reference_id__in=names)
        keys = dict(there.values_list("pk", "reference_id"))
        known: dict[str, set[str]] = {name: set() for name in keys.values()}
        own = Candidate.objects.filter(reference__in=keys, purpose__in=GENUINE)
        for reference, name in own.values_list("reference_id", "candidate_id"):
            known[keys[reference]].add(name)
        return known


def _texts(record: ReferenceRecord) -> Iterator[tuple[str, str]]:
    yield "reference_claims", record.reference_claims
    yield "draft_claims", record.draft_claims
    for number, candidate in enumerate(record.candidates, start=1):
        yield f"candidates[{number}].claims", candidate.claims
