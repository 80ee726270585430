"""Under which ids a campaign knows the texts of an import: equal texts are the same claim set."""

from collections.abc import Iterable

from django.db.models import QuerySet

from annotator.formats.digests import candidate_id_of, reference_id_of, text_sha256
from annotator.formats.preference_records import PreferenceRecord
from annotator.formats.reference_records import CandidateRecord, ReferenceRecord
from annotator.models import GENUINE, Campaign, Candidate, Reference

# The reference, and the left and the right candidate.
Names = tuple[str, str, str]


class ImportedTexts:
    """The ids of texts: those they have in the campaign already, else those of their digests."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        # Where a text stands twice, the first counts.
        references = Reference.objects.filter(campaign=campaign).order_by("-position", "-pk")
        self._references = dict(references.values_list("claims_sha256", "reference_id"))
        self._candidates = {
            (reference, digest): candidate
            for reference, digest, candidate in self._genuine()
            .order_by("-candidate_id")
            .values_list("reference__reference_id", "claims_sha256", "candidate_id")
        }

    def names_of(self, record: PreferenceRecord) -> Names:
        """Return the ids of a record's three texts."""
        claims = record.reference_claims
        reference = self._references.get(text_sha256(claims)) or reference_id_of(claims)
        left, right = (self._candidate(reference, text) for text in (record.left, record.right))
        return reference, left, right

    def references_of(self, records: Iterable[PreferenceRecord]) -> list[ReferenceRecord]:
        """Return each reference once with its candidates, in the order in which they come first.

        What a reference is classed as is taken from its first record.
        """
        first: dict[str, PreferenceRecord] = {}
        texts: dict[str, dict[str, str]] = {}
        for record in records:
            reference, left, right = self.names_of(record)
            first.setdefault(reference, record)
            of_reference = texts.setdefault(reference, {})
            of_reference.setdefault(left, record.left)
            of_reference.setdefault(right, record.right)
        return [
            ReferenceRecord(
                reference_id=name,
                reference_claims=record.reference_claims,
                candidates=tuple(CandidateRecord(key, text) for key, text in texts[name].items()),
                ipc=record.ipc,
            )
            for name, record in first.items()
        ]

    def stored_candidates(self) -> dict[tuple[str, str], Candidate]:
        """Return the campaign's candidates without their texts, by the ids of both."""
        rows = self._genuine().select_related("reference")
        return {
            (row.reference.reference_id, row.candidate_id): row
            for row in rows.only("reference__reference_id", "candidate_id")
        }

    def _candidate(self, reference: str, text: str) -> str:
        return self._candidates.get((reference, text_sha256(text))) or candidate_id_of(text)

    def _genuine(self) -> QuerySet[Candidate]:
        return Candidate.objects.filter(campaign=self.campaign, purpose__in=GENUINE)
