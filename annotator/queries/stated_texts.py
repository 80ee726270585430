"""Reads of a Label Studio export as claim sets: the texts that its annotations compare."""

from collections.abc import Iterable, Iterator

from annotator.claims.compact_keys import CompactKeys
from annotator.formats.digests import candidate_id_of, reference_id_of, text_sha256
from annotator.formats.preference_records import PreferenceRecord
from annotator.formats.reference_records import CandidateRecord, ReferenceRecord
from annotator.models import GENUINE, Campaign, Candidate, ImportedAnnotation, Reference

BATCH = 500


class StatedTexts:
    """Yields each record as a reference with two candidates, and counts each text once.

    Equal texts are one, also where the campaign has them under other ids. Two outputs with one
    text bring no claim set.
    """

    def __init__(self, campaign: Campaign | None, records: Iterable[PreferenceRecord]) -> None:
        self._campaign = campaign
        self._records = records
        self._seen = CompactKeys()
        self._references = self._candidates = self._known_references = self._known_candidates = 0
        self._annotations: list[int] = []
        self._count = self._known_annotations = 0

    def __iter__(self) -> Iterator[ReferenceRecord]:
        for record in self._records:
            self._count += 1
            self._annotations.append(record.annotation)
            if len(self._annotations) == BATCH:
                self._look_up()
            if record.left != record.right:
                texts = (record.left, record.right)
                yield ReferenceRecord(
                    reference_id_of(record.reference_claims),
                    record.reference_claims,
                    tuple(CandidateRecord(candidate_id_of(text), text) for text in texts),
                )

    def take(self, batch: list[ReferenceRecord]) -> None:
        """Count the texts of a batch that come for the first time."""
        references: list[str] = []
        pairs: list[tuple[str, str]] = []
        for record in batch:
            digest = text_sha256(record.reference_claims)
            if self._is_first(digest):
                references.append(digest)
            for candidate in record.candidates:
                pair = (digest, text_sha256(candidate.claims))
                if self._is_first("/".join(pair)):
                    pairs.append(pair)
        known_references, known_pairs = self._known(references, pairs)
        self._known_references += len(known_references.intersection(references))
        self._references += len(set(references) - known_references)
        self._known_candidates += len(known_pairs.intersection(pairs))
        self._candidates += len(set(pairs) - known_pairs)

    def counts(self) -> dict[str, int]:
        """Return the counts of texts and of annotations."""
        self._look_up()
        return {
            "references": self._references,
            "candidates": self._candidates,
            "known_references": self._known_references,
            "known_candidates": self._known_candidates,
            "annotations": self._count - self._known_annotations,
            "known_annotations": self._known_annotations,
        }

    def _is_first(self, name: str) -> bool:
        before = len(self._seen)
        return self._seen.enter(name) == before

    def _known(
        self, references: list[str], pairs: list[tuple[str, str]]
    ) -> tuple[set[str], set[tuple[str, str]]]:
        if self._campaign is None:
            return set(), set()
        rows = Reference.objects.filter(campaign=self._campaign, claims_sha256__in=references)
        candidates = Candidate.objects.filter(
            campaign=self._campaign,
            purpose__in=GENUINE,
            reference__claims_sha256__in={reference for reference, _ in pairs},
            claims_sha256__in={candidate for _, candidate in pairs},
        )
        known = candidates.values_list("reference__claims_sha256", "claims_sha256")
        return set(rows.values_list("claims_sha256", flat=True)), set(known)

    def _look_up(self) -> None:
        """Count which of the annotations read since the last look the campaign has."""
        if self._campaign is not None:
            self._known_annotations += ImportedAnnotation.objects.filter(
                campaign=self._campaign, annotation__in=self._annotations
            ).count()
        self._annotations.clear()
