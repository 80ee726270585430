"""Reads of what is odd about the texts of an import: alike ones, and signs that mislead the eye."""

from collections.abc import Iterator
from typing import Any, Final

from annotator.claims.near_duplicates import (
    MOST_LISTED,
    MOST_SKETCHED,
    Alike,
    Likeness,
    Name,
    NearDuplicates,
)
from annotator.claims.oddities import odd_signs
from annotator.formats.reference_records import ReferenceRecord
from annotator.formats.strict_json import short
from annotator.models import Campaign
from annotator.queries.known_claims import stored_texts

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
        alike = self._begun()
        for reference, candidate, text in _texts(batch):
            alike.enter(reference, candidate, text)
            for sign in odd_signs(text):
                first, count = self._signs.get(sign, ((reference, candidate), 0))
                if sign in self._signs or len(self._signs) < MOST_SIGNS:
                    self._signs[sign] = (first, count + 1)

    def near_duplicates(self) -> list[dict[str, Any]]:
        """Return the pairs of texts that are alike, the closest first, at most MOST_LISTED."""
        return [_pair(pair) for pair in self._alike.pairs] if self._alike else []

    def notes(self) -> list[str]:
        """Return in sentences what is odd."""
        said = [
            f"{count:,} texts hold {sign}; the first is {_named(first)}."
            for sign, (first, count) in self._signs.items()
        ]
        if self._alike is None:
            return said
        total = self._alike.counts.total()
        if total > MOST_LISTED:
            said.append(f"{total:,} texts are like an earlier one; {MOST_LISTED} are listed.")
        if self._most_sketched and not self._alike.is_sketching:
            said.append(
                f"There are more than {MOST_SKETCHED:,} different texts, so those that are only "
                "nearly the same were not looked for."
            )
        return said

    def _begun(self) -> NearDuplicates:
        """Return the comparison, which knows the campaign's texts."""
        if self._alike is None:
            self._alike = NearDuplicates(self._most_sketched)
            for stored in stored_texts(self._campaign) if self._campaign else ():
                self._alike.enter(*stored)
            self._alike.forget_pairs()
        return self._alike


def _texts(batch: list[ReferenceRecord]) -> Iterator[tuple[str, str, str]]:
    for record in batch:
        yield record.reference_id, "", record.reference_claims
        for candidate in record.candidates:
            yield record.reference_id, candidate.candidate_id, candidate.claims


def _pair(pair: Alike) -> dict[str, Any]:
    words = f"{_named(pair.second)} {LIKE[pair.likeness]} "
    words += "its own reference" if pair.is_own_reference else _named(pair.first)
    if pair.likeness is Likeness.SIMILAR:
        words += f" (about {pair.similarity:.0%} in common)"
    return {
        "first": _name(pair.first),
        "second": _name(pair.second),
        "likeness": pair.likeness.value,
        "similarity": round(pair.similarity, 2),
        "is_own_reference": pair.is_own_reference,
        "words": words[0].upper() + words[1:],
    }


def _name(name: Name) -> dict[str, str]:
    return {"reference_id": name[0], "candidate_id": name[1]}


def _named(name: Name) -> str:
    reference, candidate = (short(part) for part in name)
    return f"candidate {candidate} of {reference}" if name[1] else f"reference {reference}"
