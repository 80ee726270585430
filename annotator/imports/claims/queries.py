"""Which claim sets a campaign holds already, and what is odd about the texts of an import."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from annotator.models import GENUINE, Campaign, Candidate, Reference
from patclaimeval.claims.invisible import odd_signs
from patclaimeval.claims.near_duplicates import (
    MOST_LISTED,
    Alike,
    Likeness,
    Name,
    NearDuplicates,
)
from patclaimeval.documents.references import ReferenceRecord
from patclaimeval.text_io.strict_json import short


@dataclass(frozen=True, slots=True)
class StoredReference:
    """A reference that is there, with the digests of its candidates by their ids.

    `genuine` are the ids of those that were imported.
    """

    pk: UUID
    position: int
    sha256: str
    candidates: dict[str, str] = field(default_factory=dict)
    genuine: set[str] = field(default_factory=set)


def stored_references(
    campaign: Campaign | None, names: Collection[str]
) -> dict[str, StoredReference]:
    """Return the references of a campaign that have these ids, by id."""
    rows = Reference.objects.filter(campaign=campaign, reference_id__in=names)
    columns = rows.values_list("reference_id", "pk", "position", "claims_sha256")
    found = {name: StoredReference(pk, place, digest) for name, pk, place, digest in columns}
    own = Candidate.objects.filter(reference__in=[one.pk for one in found.values()])
    for reference, name, digest, purpose in own.values_list(
        "reference__reference_id", "candidate_id", "claims_sha256", "purpose"
    ):
        found[reference].candidates[name] = digest
        if purpose in GENUINE:
            found[reference].genuine.add(name)
    return found


def stored_reference(campaign: Campaign | None, name: str) -> str:
    """Return the claims of a reference by its id; "" where it is not there or was erased."""
    rows = Reference.objects.filter(campaign=campaign, reference_id=name)
    return rows.values_list("claims", flat=True).first() or ""


def stored_texts(campaign: Campaign | None) -> Iterator[tuple[str, str, str]]:
    """Yield (reference id, candidate id, claims) of every text, each reference first ("").

    What the app made itself, repeats and damaged references, is left out.
    """
    texts: dict[str, list[tuple[str, str]]] = {}
    own = Candidate.objects.filter(reference__campaign=campaign, purpose__in=GENUINE)
    columns = own.values_list("reference__reference_id", "candidate_id", "claims")
    for reference, name, claims in columns.order_by("candidate_id"):
        texts.setdefault(reference, []).append((name, claims))
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "pk")
    for reference, claims in rows.values_list("reference_id", "claims"):
        yield reference, "", claims
        for name, text in texts.get(reference, []):
            yield reference, name, text


MOST_SIGNS: Final = 20
LIKE: Final = {
    Likeness.EXACT: "has the same text as",
    Likeness.NFC: "has the same text, but for how letters are encoded, as",
    Likeness.WHITE_SPACE: "has the same text, but for white space, as",
    Likeness.SIMILAR: "has nearly the same text as",
}


class OddTexts:
    """Odd signs in the texts of a file, and texts that are alike, in it or in the campaign."""

    def __init__(
        self,
        campaign: Campaign | None,
        records: Iterable[ReferenceRecord],
        *,
        looks_for_similar: bool = True,
    ) -> None:
        self._alike = NearDuplicates(looks_for_similar=looks_for_similar)
        # Which text had each sign first, and how many have it.
        self._signs: dict[str, tuple[Name, int]] = {}
        for stored in stored_texts(campaign) if campaign else ():
            self._alike.enter(*stored)
        self._alike.forget_pairs()
        for record in records:
            name = record.reference_id
            texts = [("", record.reference_claims)]
            texts += [(candidate.candidate_id, candidate.claims) for candidate in record.candidates]
            for candidate, text in texts:
                self._alike.enter(name, candidate, text)
                for sign in odd_signs(text):
                    first, count = self._signs.get(sign, ((name, candidate), 0))
                    if sign in self._signs or len(self._signs) < MOST_SIGNS:
                        self._signs[sign] = (first, count + 1)

    def near_duplicates(self) -> list[dict[str, Any]]:
        """Return the pairs of texts that are alike, the closest first, at most MOST_LISTED."""
        return [_pair(pair) for pair in self._alike.pairs]

    def notes(self) -> list[str]:
        """Return in sentences what is odd."""
        sentences = [
            f"{count:,} texts hold {sign}; the first is {_named(first)}."
            for sign, (first, count) in self._signs.items()
        ]
        total = self._alike.counts.total()
        if total > MOST_LISTED:
            sentences.append(f"{total:,} texts are like an earlier one; {MOST_LISTED} are listed.")
        return sentences


def _pair(pair: Alike) -> dict[str, Any]:
    text = f"{_named(pair.second)} {LIKE[pair.likeness]} "
    text += "its own reference" if pair.is_own_reference else _named(pair.first)
    if pair.likeness is Likeness.SIMILAR:
        text += f" (about {pair.similarity:.0%} in common)"
    return {
        "first": _name(pair.first),
        "second": _name(pair.second),
        "likeness": pair.likeness.value,
        "similarity": round(pair.similarity, 2),
        "is_own_reference": pair.is_own_reference,
        "words": text[0].upper() + text[1:],
    }


def _name(name: Name) -> dict[str, str]:
    return {"reference_id": name[0], "candidate_id": name[1]}


def _named(name: Name) -> str:
    reference, candidate = (short(part) for part in name)
    return f"candidate {candidate} of {reference}" if name[1] else f"reference {reference}"
