"""Which claim sets a campaign holds already, and what is odd about the texts of an import."""

from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple
from uuid import UUID

from annotator.claims.invisible import odd_signs
from annotator.claims.near_duplicates import (
    MOST_LISTED,
    MOST_SKETCHED,
    Alike,
    Likeness,
    Name,
    NearDuplicates,
)
from annotator.formats.references import ReferenceRecord
from annotator.models import GENUINE, Campaign, Candidate, Reference
from core.database import BATCH, batches
from core.text_io.strict_json import short


class Known(NamedTuple):
    """A reference that is there: its key, its place in the queue, the digest of its text."""

    pk: UUID
    position: int
    sha256: str


def known_references(campaign: Campaign) -> dict[str, Known]:
    """Return the references of a campaign, by id."""
    rows = Reference.objects.filter(campaign=campaign)
    found = rows.values_list("reference_id", "pk", "position", "claims_sha256")
    return {name: Known(pk, position, digest) for name, pk, position, digest in found}


def stored_reference(campaign: Campaign, name: str) -> str:
    """Return the claims of a reference by its id; "" where it is not there or was erased."""
    rows = Reference.objects.filter(campaign=campaign, reference_id=name)
    return rows.values_list("claims", flat=True).first() or ""


def known_candidates(references: Collection[UUID]) -> dict[tuple[UUID, str], str]:
    """Return the digests of all candidates of these references, by reference and id."""
    rows = Candidate.objects.filter(reference__in=references)
    found = rows.values_list("reference_id", "candidate_id", "claims_sha256")
    return {(pk, name): digest for pk, name, digest in found}


def stored_texts(campaign: Campaign) -> Iterator[tuple[str, str, str]]:
    """Yield (reference id, candidate id, claims) of every text, each reference first ("").

    What the app made itself, repeats and damaged references, is left out.
    """
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "pk")
    genuine = Candidate.objects.filter(purpose__in=GENUINE)
    for batch in batches(rows.values_list("pk", "reference_id", "claims").iterator(BATCH)):
        texts: dict[UUID, list[tuple[str, str]]] = {}
        own = genuine.filter(reference__in=[pk for pk, *_ in batch])
        for pk, name, claims in own.values_list("reference_id", "candidate_id", "claims"):
            texts.setdefault(pk, []).append((name, claims))
        for pk, reference, claims in batch:
            yield reference, "", claims
            for name, text in sorted(texts.get(pk, [])):
                yield reference, name, text


MOST_SIGNS: Final = 20
LIKE: Final = {
    Likeness.EXACT: "has the same text as",
    Likeness.NFC: "has the same text, but for how letters are encoded, as",
    Likeness.WHITE_SPACE: "has the same text, but for white space, as",
    Likeness.SIMILAR: "has nearly the same text as",
}


class OddTexts:
    """Looks at the texts of a file one by one, beside those that the campaign has."""

    def __init__(self, campaign: Campaign | None, *, looks_for_similar: bool = True) -> None:
        self._campaign = campaign
        self._most_sketched = MOST_SKETCHED if looks_for_similar else 0
        self._alike: NearDuplicates | None = None
        # Which text had each sign first, and how many have it.
        self._signs: dict[str, tuple[Name, int]] = {}

    def take(self, batch: list[ReferenceRecord]) -> None:
        """Look at the texts of a batch of records."""
        if self._alike is None:
            # It knows the campaign's texts.
            self._alike = NearDuplicates(self._most_sketched)
            for stored in stored_texts(self._campaign) if self._campaign else ():
                self._alike.enter(*stored)
            self._alike.forget_pairs()
        for record in batch:
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
        return [_pair(pair) for pair in self._alike.pairs] if self._alike else []

    def notes(self) -> list[str]:
        """Return in sentences what is odd."""
        sentences = [
            f"{count:,} texts hold {sign}; the first is {_named(first)}."
            for sign, (first, count) in self._signs.items()
        ]
        if self._alike is None:
            return sentences
        total = self._alike.counts.total()
        if total > MOST_LISTED:
            sentences.append(f"{total:,} texts are like an earlier one; {MOST_LISTED} are listed.")
        if self._most_sketched and not self._alike.is_sketching:
            sentences.append(
                f"There are more than {MOST_SKETCHED:,} different texts, so those that are only "
                "nearly the same were not looked for."
            )
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
