"""Owns the alignment of candidate claims with reference claims, row by row."""

from dataclasses import dataclass

from annotator.claims.content import content_words
from annotator.claims.pairing import Band, Rules, compare_bags, pair_up, score_at
from annotator.claims.parsing import Claim

# Tuned by eye on the demo pairs: below `least` two claims share a preamble and little else.
_RULES = Rules(least=0.2, crossing=0.5, margin=0.25)
# An independent claim takes a dependent one only if nothing of its own kind comes near.
_OTHER_KIND = 0.6
_SAME_NUMBER = 0.02

_Kind = tuple[bool, bool, int | None]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the aligned reading: indices into the claims of each side, or None."""

    reference: int | None
    candidate: int | None
    similarity: float


def align_claims(reference: tuple[Claim, ...], candidate: tuple[Claim, ...]) -> tuple[Row, ...]:
    """Pair each candidate claim with the reference claim that it corresponds to.

    Inputs: the parsed claims of both sides. Output: rows in which every claim of each side stands
    exactly once, one to one, in the order of the reference; a candidate claim without a partner
    stands after the row of its predecessor, at the top if it has none. `similarity` is that of
    `pairing.compare_bags` on content words, 0 to 1, and 0 for a claim alone.
    Pairs keep the order of both sides, but for claims that were clearly moved: see
    `pairing.pair_up`. Independent claims count as less alike to dependent ones, claims of one
    number as a trifle more alike; words before the first number pair with their like only. The
    same claims give the same rows. It is a reading aid, not a finding.
    """
    raw = compare_bags(
        [content_words(claim.text[claim.body_offset :]) for claim in reference],
        [content_words(claim.text[claim.body_offset :]) for claim in candidate],
    )
    kinds, other_kinds = _kinds(reference), _kinds(candidate)
    bands = [
        Band(band.low, [
            _adjusted(score, kinds[row], other_kinds[band.low + place])
            for place, score in enumerate(band.scores)
        ])
        for row, band in enumerate(raw)
    ]  # fmt: skip
    partner = dict(pair_up(bands, _RULES))
    rows = [
        Row(i, partner.get(i), score_at(raw, i, partner[i]) if i in partner else 0.0)
        for i in range(len(reference))
    ]
    return _with_strays(rows, len(candidate))


def _kinds(claims: tuple[Claim, ...]) -> list[_Kind]:
    """Return of each claim: whether it is words before the first number, independent, its number.

    A text without any number is no heading but a claim.
    """
    return [
        (claim.number is None and len(claims) > 1, claim.is_independent, claim.number)
        for claim in claims
    ]


def _adjusted(score: float, kind: _Kind, other: _Kind) -> float:
    """Return how alike two claims are, taking into account what kind of claims they are."""
    if kind == other:
        return 1.0 if kind[0] else score * (1 + _SAME_NUMBER)
    if kind[0] != other[0]:
        return 0.0
    if kind[1] != other[1]:
        return score * _OTHER_KIND
    return score


def _with_strays(rows: list[Row], count: int) -> tuple[Row, ...]:
    """Put each candidate claim without a partner after the row of the claim before it."""
    paired = {row.candidate for row in rows}
    followers: dict[int | None, list[Row]] = {}
    leader: int | None = None
    for place in range(count):
        if place in paired:
            leader = place
        else:
            followers.setdefault(leader, []).append(Row(None, place, 0.0))
    ordered = followers.get(None, [])
    for row in rows:
        ordered.append(row)
        if row.candidate is not None:
            ordered.extend(followers.get(row.candidate, ()))
    return tuple(ordered)
