"""Quadruplets (A, B, C, y) out of ratings: which of two candidates of one reference people prefer.

Source: Jiang, Scherz, Goetz, "Towards Better Evaluation for Generated Patent Claims", ACL 2025,
section 3.2 and eq. 3. Standard library only.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from typing import Final

from annotator.rubric import ALL_CRITERIA

POLICIES: Final = ("settled", "per-annotator", "majority")

Label = int
Value = Fraction | int


@dataclass(frozen=True, slots=True)
class RatedValues:
    """One annotator's values for one candidate.

    `values` maps each of the five criteria to points: the four criteria 0 to 10, the overall as
    its exact fraction numerator / 11, never a float. `annotator` is a pseudonym.
    """

    annotator: str
    rating_id: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class RuledValues:
    """What an adjudicator decided for one candidate: points per criterion, as exact fractions."""

    adjudication_id: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class RatedCandidate:
    """A candidate of a reference with the ratings that count for it (at least one).

    `ruling`, where there is one, counts instead of their mean under the policy "settled".
    """

    candidate_id: str
    text: str
    ratings: tuple[RatedValues, ...]
    ruling: RuledValues | None = None


@dataclass(frozen=True, slots=True)
class RatedReference:
    """A reference with its rated candidates and the facts that a row carries along."""

    reference_id: str
    text: str
    candidates: tuple[RatedCandidate, ...]
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quadruplet:
    """One comparison. y[criterion] = 1 if B is better, 0 if equal, -1 if C is better.

    `y_soft[criterion]` is the share of annotators who hold B above C, a tie counting one half,
    0 to 1. `rating_ids` names every rating that the labels follow from, sorted, `adjudication_ids`
    every ruling. `flags`: "B equals the reference" and the like.
    """

    id: str
    reference_id: str
    reference: str
    b_id: str
    b: str
    c_id: str
    c: str
    y: Mapping[str, Label]
    y_soft: Mapping[str, float]
    rating_ids: tuple[str, ...]
    annotators: int
    annotator: str
    flags: tuple[str, ...]
    facts: Mapping[str, str]
    adjudication_ids: tuple[str, ...] = ()


def build_quadruplets(
    references: Iterable[RatedReference],
    *,
    policy: str = "settled",
    tie_band: Fraction = Fraction(0),
    seed: int = 0,
) -> list[Quadruplet]:
    """Compare every two candidates of each reference.

    Input: rated references; a policy: "settled" compares rulings, and the means over annotators
    where there is none, as exact fractions, "per-annotator" gives one quadruplet for each annotator
    who rated both, "majority" takes the sign of the sum of those annotators' signs; `tie_band` in
    rating points, >= 0: a difference of at most that is a tie. `seed` draws which of the two
    stands as B.
    Output: quadruplets in the order of the references, the same for the same input; a criterion
    on which a policy has nothing to compare is absent from y, and a pair without any label is
    left out. Ids follow from the texts; "-2", "-3" mark further pairs of the same texts. Raises
    ValueError for an unknown policy or a negative band.
    """
    if policy not in POLICIES:
        raise ValueError(f"{policy} is no policy; policies are {', '.join(POLICIES)}")
    if tie_band < 0:
        raise ValueError("the tie band must be 0 or more rating points")
    found = [
        quadruplet
        for reference in references
        for pair in combinations(sorted(reference.candidates, key=lambda c: c.candidate_id), 2)
        for quadruplet in _compare(reference, *_sides(reference, *pair, seed), policy, tie_band)
    ]
    return _with_distinct_ids(found)


def quadruplet_id(reference: str, b: str, c: str, annotator: str = "") -> str:
    """Return the id of a comparison: "q-" and 24 hex digits of the digest of its texts."""
    digests = [sha256(text.encode()).hexdigest() for text in (reference, b, c)]
    return f"q-{sha256(' '.join([*digests, annotator]).encode()).hexdigest()[:24]}"


def flags_of(reference: str, b: str, c: str) -> tuple[str, ...]:
    """Say what is odd about a comparison: a side that is the reference, or two equal sides."""
    found = [f"{side} equals the reference" for side, t in (("B", b), ("C", c)) if t == reference]
    return (*found, "B equals C") if b == c else tuple(found)


def _with_distinct_ids(found: list[Quadruplet]) -> list[Quadruplet]:
    """Number the repeats of an id: candidates with one text make several pairs of the same texts.

    A version could not be read back, nor split, if two of its rows had one id.
    """
    times: Counter[str] = Counter()
    for place, row in enumerate(found):
        times[row.id] += 1
        if times[row.id] > 1:
            found[place] = replace(row, id=f"{row.id}-{times[row.id]}")
    return found


def _sides(
    reference: RatedReference, one: RatedCandidate, two: RatedCandidate, seed: int
) -> tuple[RatedCandidate, RatedCandidate]:
    """Draw which candidate is B; the draw depends on nothing but the seed and the texts."""
    key = f"{seed} {quadruplet_id(reference.text, one.text, two.text)}"
    is_swapped = random.Random(key).random() < 0.5
    return (two, one) if is_swapped else (one, two)


def _compare(
    reference: RatedReference,
    b: RatedCandidate,
    c: RatedCandidate,
    policy: str,
    tie_band: Fraction,
) -> list[Quadruplet]:
    shared = _shared(b, c)
    if policy == "per-annotator":
        groups = [(name, [pair]) for name, pair in sorted(shared.items())]
    else:
        groups = [("", list(shared.values()))]
    rows = []
    for annotator, pairs in groups:
        signs = {key: _signs(pairs, key, tie_band) for key in ALL_CRITERIA}
        if policy == "settled":
            y = _settled_labels(b, c, tie_band)
        else:
            y = {key: _sign(Fraction(sum(found))) for key, found in signs.items() if found}
        if y:
            rows.append(_row(reference, b, c, y, signs, pairs, annotator, policy))
    return rows


def _shared(b: RatedCandidate, c: RatedCandidate) -> dict[str, tuple[RatedValues, RatedValues]]:
    of_c = {rating.annotator: rating for rating in c.ratings}
    return {r.annotator: (r, of_c[r.annotator]) for r in b.ratings if r.annotator in of_c}


def _signs(
    pairs: Sequence[tuple[RatedValues, RatedValues]], criterion: str, tie_band: Fraction
) -> list[int]:
    return [
        _sign(Fraction(b.values[criterion]) - Fraction(c.values[criterion]), tie_band)
        for b, c in pairs
        if criterion in b.values and criterion in c.values
    ]


def _sign(difference: Fraction, tie_band: Fraction = Fraction(0)) -> Label:
    if abs(difference) <= tie_band:
        return 0
    return 1 if difference > 0 else -1


def _settled_labels(b: RatedCandidate, c: RatedCandidate, tie_band: Fraction) -> dict[str, Label]:
    labels = {}
    for criterion in ALL_CRITERIA:
        of_b, of_c = _settled(b, criterion), _settled(c, criterion)
        if of_b is not None and of_c is not None:
            labels[criterion] = _sign(of_b - of_c, tie_band)
    return labels


def _settled(candidate: RatedCandidate, criterion: str) -> Fraction | None:
    if candidate.ruling:
        value = candidate.ruling.values.get(criterion)
        return None if value is None else Fraction(value)
    values = [r.values[criterion] for r in candidate.ratings if criterion in r.values]
    return sum(map(Fraction, values), Fraction(0)) / len(values) if values else None


def _row(
    reference: RatedReference,
    b: RatedCandidate,
    c: RatedCandidate,
    y: dict[str, Label],
    signs: Mapping[str, Sequence[int]],
    pairs: Sequence[tuple[RatedValues, RatedValues]],
    annotator: str,
    policy: str,
) -> Quadruplet:
    # A settled value follows from all ratings of both; the other policies from shared ones.
    is_settled = policy == "settled"
    used = [*b.ratings, *c.ratings] if is_settled else [r for pair in pairs for r in pair]
    rulings = [one.ruling for one in (b, c) if one.ruling and is_settled]
    return Quadruplet(
        id=quadruplet_id(reference.text, b.text, c.text, annotator),
        reference_id=reference.reference_id,
        reference=reference.text,
        b_id=b.candidate_id,
        b=b.text,
        c_id=c.candidate_id,
        c=c.text,
        y=y,
        y_soft={
            key: sum((sign + 1) / 2 for sign in found) / len(found)
            for key, found in signs.items()
            if found
        },
        rating_ids=tuple(sorted({rating.rating_id for rating in used})),
        annotators=len({rating.annotator for rating in used}),
        annotator=annotator,
        flags=flags_of(reference.text, b.text, c.text),
        facts=reference.facts,
        adjudication_ids=tuple(sorted({ruling.adjudication_id for ruling in rulings})),
    )
