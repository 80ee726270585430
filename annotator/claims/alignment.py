"""Owns the alignment of candidate claims with reference claims, row by row."""

import re
from dataclasses import dataclass

from annotator.claims.content import content_words
from annotator.claims.pairing import Band, Rules, compare_bags, pair_up, score_at
from annotator.claims.parsing import Claim

# Tuned by eye on the demo pairs: below `least` two claims share a preamble and little else.
_RULES = Rules(least=0.4, crossing=0.55, margin=0.2)
# Two independent claims belong side by side even if far less alike.
_BOTH_INDEPENDENT = 0.2
# An independent claim takes a dependent one only if nothing of its own kind comes near.
_OTHER_KIND = 0.6
_OTHER_CATEGORY = 0.8
_SAME_NUMBER = 1.02
# What ends the noun phrase that opens a claim and so names its category.
_HEAD = re.compile(
    r"[^,:;(]*?(?=[,:;(]|\b(?:of|for|according|as|in|to|that|which|wherein|where|by|using|when"
    r"|compris\w+|includ\w+|having|with)\b)",
    re.IGNORECASE,
)
_ACTIVITY = re.compile(r"\b(?:method|process|procedure|use)\s*$", re.IGNORECASE)
_LONGEST_HEAD = 160


@dataclass(frozen=True, slots=True)
class _Kind:
    """What sort of claim one is, beside what it says."""

    is_heading: bool
    is_independent: bool
    is_activity: bool
    number: int | None


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
    `pairing.pair_up`. Independent claims count as less alike to dependent ones and methods to
    things, claims of one number as a trifle more alike; words before the first number pair with
    their like only. The same claims give the same rows. It is a reading aid, not a finding.
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
    activity = {claim.number: _claims_activity(claim) for claim in reversed(claims)}
    kinds: list[_Kind] = []
    for claim in claims:
        own = _claims_activity(claim)
        # "A device that carries out the method of claim 1" is independent in all but form.
        is_dependent = any(activity.get(number, own) == own for number in claim.depends_on)
        # Words before the first number; a text without any number is a claim.
        is_heading = claim.number is None and len(claims) > 1
        kinds.append(_Kind(is_heading, not is_dependent, own, claim.number))
    return kinds


def _claims_activity(claim: Claim) -> bool:
    """Whether a claim is for a method or use: so ends the noun phrase that opens it."""
    begin = claim.body_offset
    head = _HEAD.match(claim.text, begin, begin + _LONGEST_HEAD)
    return head is not None and _ACTIVITY.search(head.group()) is not None


def _adjusted(score: float, kind: _Kind, other: _Kind) -> float:
    """Return how alike two claims are, taking into account what sort of claims they are."""
    if kind.is_heading or other.is_heading:
        return float(kind.is_heading and other.is_heading)
    if kind.is_independent != other.is_independent:
        score *= _OTHER_KIND
    elif kind.is_independent:
        score += _BOTH_INDEPENDENT * (1 - score)
    if kind.is_activity != other.is_activity:
        score *= _OTHER_CATEGORY
    return score * _SAME_NUMBER if kind.number == other.number else score


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
