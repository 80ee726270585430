"""Reads of which claim sets a campaign holds already, a batch of names or texts at a time."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from uuid import UUID

from annotator.models import GENUINE, Campaign, Candidate, Reference
from annotator.queries.each_key import rows_of_each

BATCH = 500


class Known(NamedTuple):
    """A reference that is there: its key, its place in the queue, the digest of its text."""

    pk: UUID
    position: int
    sha256: str


def known_references(campaign: Campaign, names: Iterable[str]) -> dict[str, Known]:
    """Return the references that have one of these ids, by id."""
    there = Reference.objects.filter(campaign=campaign)
    rows = rows_of_each(
        there, "reference_id", names, ("reference_id", "pk", "position", "claims_sha256")
    )
    return {name: Known(pk, position, digest) for name, pk, position, digest in rows}


def known_candidates(references: Iterable[Known]) -> dict[tuple[UUID, str], str]:
    """Return the digests of all candidates of these references, by reference and id."""
    keys = (reference.pk for reference in references)
    fields = ("reference_id", "candidate_id", "claims_sha256")
    rows = rows_of_each(Candidate.objects.all(), "reference_id", keys, fields)
    return {(pk, name): digest for pk, name, digest in rows}


def stored_texts(campaign: Campaign) -> Iterator[tuple[str, str, str]]:
    """Yield (reference id, candidate id, claims) of every text, each reference first ("").

    What the app made itself, repeats and damaged references, is left out.
    """
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "pk")
    batch: list[tuple[UUID, str, str]] = []
    for row in rows.values_list("pk", "reference_id", "claims").iterator(BATCH):
        batch.append(row)
        if len(batch) == BATCH:
            yield from _with_candidates(batch)
            batch = []
    yield from _with_candidates(batch)


def _with_candidates(batch: list[tuple[UUID, str, str]]) -> Iterator[tuple[str, str, str]]:
    rows = Candidate.objects.filter(reference__in=[pk for pk, *_ in batch], purpose__in=GENUINE)
    texts: dict[UUID, list[tuple[str, str]]] = {}
    for pk, name, claims in rows.values_list("reference_id", "candidate_id", "claims"):
        texts.setdefault(pk, []).append((name, claims))
    for pk, reference, claims in batch:
        yield reference, "", claims
        for name, text in sorted(texts.get(pk, [])):
            yield reference, name, text
