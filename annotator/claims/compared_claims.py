"""Owns what comparing the claims of a pair says of each: its different words, its limitations."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from annotator.claims import budget
from annotator.claims.alignment import Row
from annotator.claims.features import Feature, split_features
from annotator.claims.limitations import LimitationPair, Standing, align_features
from annotator.claims.pairing import pairs_compared
from annotator.claims.parsing import Claim
from annotator.claims.word_diff import Piece, diff_words

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"
# Start, end and standing of each limitation; "" where nothing was compared.
Cuts = tuple[tuple[int, int, str], ...]
Sides = Mapping[str, tuple[Claim, ...]]


@dataclass(frozen=True, slots=True)
class ComparedClaim:
    """What comparing a pair says of one claim: its different words and its limitations.

    Offsets count from the start of the claim's words, behind its number.
    """

    pieces: tuple[Piece, ...]
    limitations: Cuts


# By side and index of the claim.
Pairs = Mapping[tuple[str, int], ComparedClaim]
_Features = Mapping[tuple[str, int], tuple[Feature, ...]]


def compare_claims(rows: Iterable[Row], claims: Sides) -> tuple[Pairs, str]:
    """Compare claims that stand in one row, and cut all claims into limitations.

    Inputs: the rows of `align_claims`, and the claims of both sides. Output: what is said of each
    claim, and why claims are not cut into limitations, "" where they are.
    """
    features = {
        (side, index): split_features(words_of(claim))
        for side in claims
        for index, claim in enumerate(claims[side])
    }
    uncut = _too_many_limitations(rows, features)
    return _compared(rows, claims, features, is_cut=not uncut), uncut


def _too_many_limitations(rows: Iterable[Row], features: _Features) -> str:
    """Say that a pair has too many limitations to be cut into them; "" where it has not."""
    counts = Counter[str]()
    for (side, _), found in features.items():
        counts[side] += len(found)
    compared = sum(
        pairs_compared(
            len(features[REFERENCE, row.reference]), len(features[CANDIDATE, row.candidate])
        )
        for row in rows
        if row.reference is not None and row.candidate is not None
    )
    most = max(counts.values(), default=0)
    return budget.LIMITATIONS.message(most) or budget.COMPARISONS.message(compared)


def _compared(rows: Iterable[Row], claims: Sides, features: _Features, *, is_cut: bool) -> Pairs:
    found: dict[tuple[str, int], ComparedClaim] = {}
    for row in rows:
        if row.reference is None or row.candidate is None:
            side = REFERENCE if row.candidate is None else CANDIDATE
            index = row.reference if row.candidate is None else row.candidate
            assert index is not None
            standing = Standing.MISSING if side == REFERENCE else Standing.ADDED
            cuts = tuple((item.start, item.end, standing) for item in features[side, index])
            # That all of it stands on one side only is said once, not for every word.
            found[side, index] = ComparedClaim(
                (), cuts if is_cut else _whole(words_of(claims[side][index]))
            )
            continue
        one, other = (REFERENCE, row.reference), (CANDIDATE, row.candidate)
        texts = (
            words_of(claims[REFERENCE][row.reference]),
            words_of(claims[CANDIDATE][row.candidate]),
        )
        here, there = diff_words(*texts)
        if is_cut:
            pairs = align_features(features[one], features[other])
            found[one] = ComparedClaim(here, _standings(pairs, REFERENCE))
            found[other] = ComparedClaim(there, _standings(pairs, CANDIDATE))
        else:
            found[one] = ComparedClaim(here, _whole(texts[0]))
            found[other] = ComparedClaim(there, _whole(texts[1]))
    return found


def _whole(words: str) -> Cuts:
    """Return a claim as one limitation of which nothing is said."""
    return ((0, len(words), ""),) if words else ()


def _standings(pairs: Iterable[LimitationPair], side: str) -> Cuts:
    """Return one side's limitations in the order of its own text."""
    own = ((p.reference if side == REFERENCE else p.candidate, p.standing) for p in pairs)
    return tuple(sorted((entry.start, entry.end, standing) for entry, standing in own if entry))


def words_of(claim: Claim) -> str:
    """Return the text of a claim behind its number."""
    return claim.text[claim.body_offset :]
