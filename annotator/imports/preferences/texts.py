"""The texts of an import of preferences, and the ids that they have."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from annotator.formats.label_studio import PreferenceRecord
from annotator.models import GENUINE, Campaign, Candidate, Reference
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.text import candidate_id_for, reference_id_for, text_sha256

# The reference, and the left and the right candidate, by digest or by id.
Three = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A record with the digests of its three texts."""

    record: PreferenceRecord
    digests: Three

    @property
    def is_comparable(self) -> bool:
        """Whether the two outputs differ: of one text none can be preferred."""
        return self.digests[1] != self.digests[2]


def statement_of(record: PreferenceRecord) -> Statement:
    """Return a record with the digests of its texts."""
    reference, left, right = map(text_sha256, (record.reference_claims, record.left, record.right))
    return Statement(record, (reference, left, right))


class ImportedTexts:
    """The ids of texts: those they have in the campaign already, else those of their digests."""

    def __init__(self, campaign: Campaign | None) -> None:
        self.campaign = campaign
        # Where a text stands twice, the first counts.
        references = Reference.objects.filter(campaign=campaign).order_by("-position", "-pk")
        self._references = dict(
            references.values_list("claims_sha256", "reference_id").iterator(2_000)
        )
        rows = self._genuine().order_by("-candidate_id")
        names = ("reference__reference_id", "claims_sha256", "candidate_id")
        self._candidates = {
            (reference, digest): candidate
            for reference, digest, candidate in rows.values_list(*names).iterator(2_000)
        }

    def names_of(self, statement: Statement) -> Three:
        """Return the ids of a statement's three texts."""
        claims, left, right = statement.digests
        reference = self._references.get(claims) or reference_id_for(claims)
        return reference, self._candidate(reference, left), self._candidate(reference, right)

    def references_of(self, statements: Iterable[Statement]) -> Iterator[ReferenceRecord]:
        """Yield each reference once with its candidates, in the order in which they come first.

        What a reference is classed as is taken from its first statement.
        """
        first: dict[str, PreferenceRecord] = {}
        texts: dict[str, dict[str, str]] = {}
        for statement in statements:
            reference, left, right = self.names_of(statement)
            first.setdefault(reference, statement.record)
            of_reference = texts.setdefault(reference, {})
            of_reference.setdefault(left, statement.record.left)
            of_reference.setdefault(right, statement.record.right)
        for reference, record in first.items():
            yield ReferenceRecord(
                reference_id=reference,
                reference_claims=record.reference_claims,
                candidates=tuple(
                    CandidateRecord(candidate, text) for candidate, text in texts[reference].items()
                ),
                ipc=record.ipc,
            )

    def stored_candidates(self) -> dict[tuple[str, str], tuple[UUID, UUID]]:
        """Return the ids of the rows, reference and candidate, by the ids of both."""
        names = ("reference__reference_id", "candidate_id", "reference_id", "pk")
        return {
            (reference, candidate): (reference_pk, pk)
            for reference, candidate, reference_pk, pk in self._genuine()
            .values_list(*names)
            .iterator(2_000)
        }

    def _candidate(self, reference: str, digest: str) -> str:
        return self._candidates.get((reference, digest)) or candidate_id_for(digest)

    def _genuine(self) -> QuerySet[Candidate]:
        return Candidate.objects.filter(campaign=self.campaign, purpose__in=GENUINE)
