"""Two claim sets compared claim by claim: what is shown of the words and limitations of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.limitations import LimitationPair, Standing, align_features
from patclaimeval.claims.pairing import Row, content_of, pairs_compared
from patclaimeval.claims.parsing import Claim
from patclaimeval.claims.sharing import Shared, Sharing, Side, find_shared
from patclaimeval.claims.splitting import Feature, split_features
from patclaimeval.claims.word_diff import Piece, diff_words


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that a pair may have of something, and the sentence for a pair that has more."""

    most: int
    sentence: str

    def message(self, count: int) -> str:
        """Return the page's message about a pair with so many; "" where nothing is left out."""
        if count <= self.most:
            return ""
        return f"{self.sentence.format(count=count, most=self.most)} The texts are complete."


_UNCUT = (
    "claims are not cut into limitations, and none is marked as missing, added, narrower or "
    "broader."
)
# Of either text: each is a line of the page.
LIMITATIONS: Final = Limit(
    5_000, "A text of this pair has {count:,} limitations; above {most:,} " + _UNCUT
)
# Limitations of a claim times those of its counterpart, as far as `pairing` compares them, over
# all pairs of claims: half a microsecond each.
COMPARISONS: Final = Limit(
    400_000, "This pair has {count:,} pairs of limitations to compare; above {most:,} " + _UNCUT
)

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"
# Start, end and standing of each limitation; "" where nothing was compared.
Cut = tuple[int, int, str]
Cuts = tuple[Cut, ...]
Sides = Mapping[str, Side]
Claims = Mapping[str, Sequence[Claim]]


@dataclass(frozen=True, slots=True)
class ComparedClaim:
    """What comparing a pair shows of one claim: its different words and its limitations.

    Offsets count from the start of the claim's words, behind its number.
    """

    pieces: tuple[Piece, ...]
    limitations: Cuts


# By side and index of the claim.
Pairs = Mapping[tuple[str, int], ComparedClaim]
_Features = Mapping[tuple[str, int], Sequence[Feature]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing two claim sets gives.

    `uncut` is why claims are not cut into limitations, "" where they are; `shared` are the claims
    that one side has in several.
    """

    pairs: Pairs
    uncut: str
    shared: tuple[Shared, ...] = ()


def compare_claims(rows: Sequence[Row], sides: Sides) -> Comparison:
    """Compare claims that stand in one row, and cut all claims into limitations.

    Inputs: the rows of `align_claims`, and both sides. Output: what is shown of each claim.
    """
    features = {
        (name, index): own
        for name, side in sides.items()
        for index, own in enumerate(side.features)
    }
    claims = {name: side.claims for name, side in sides.items()}
    most = max(sum(map(len, side.features)) for side in sides.values())
    compared = sum(
        pairs_compared(
            len(features[REFERENCE, row.reference]), len(features[CANDIDATE, row.candidate])
        )
        for row in rows
        if row.reference is not None and row.candidate is not None
    )
    uncut = LIMITATIONS.message(most) or COMPARISONS.message(compared)
    pairs = _compared(rows, claims, features, is_cut=not uncut)
    if uncut:
        return Comparison(pairs, uncut)
    shared = find_shared(rows, sides[REFERENCE], sides[CANDIDATE])
    for one in shared:
        _compare_parts(one, sides, pairs)
    return Comparison(pairs, uncut, shared)


def cut_alone(claims: Sequence[Claim]) -> tuple[ComparedClaim, ...]:
    """Return each claim cut into limitations, beside nothing; whole where there are too many."""
    bodies = [claim_body(claim) for claim in claims]
    features = [split_features(body) for body in bodies]
    is_cut = sum(map(len, features)) <= LIMITATIONS.most
    return tuple(
        ComparedClaim(
            (), tuple((one.start, one.end, "") for one in own) if is_cut else _whole(body)
        )
        for own, body in zip(features, bodies, strict=True)
    )


def _compare_parts(
    shared: Shared, sides: Sides, pairs: dict[tuple[str, int], ComparedClaim]
) -> None:
    """Compare what a whole has beyond its counterpart with the other claims that say it."""
    is_split = shared.kind is Sharing.SPLIT
    side, other = (REFERENCE, CANDIDATE) if is_split else (CANDIDATE, REFERENCE)
    body = claim_body(sides[side].claims[shared.whole])
    for part in shared.others:
        whole = pairs[side, shared.whole]
        alone = [
            Feature(body[start:end], start, end)
            for start, end, standing in whole.limitations
            if standing in (Standing.MISSING, Standing.ADDED)
        ]
        own = sides[other].features[part]
        found = align_features(alone, own) if is_split else align_features(own, alone)
        both = [pair for pair in found if pair.reference and pair.candidate]
        pairs[side, shared.whole] = replace(
            whole,
            limitations=tuple(_restood(cut, _standings(both, side)) for cut in whole.limitations),
        )
        # What is left of a part lies in limitations that have a counterpart: the whole has it.
        left = [
            replace(pair, standing=Standing.MATCHED)
            for pair in found
            if not (pair.reference and pair.candidate)
        ]
        pairs[other, part] = ComparedClaim((), _standings((*both, *left), other))


def _restood(cut: Cut, others: Cuts) -> Cut:
    """Return a limitation that stood alone with its standing to another claim, if it has one."""
    start, end, standing = cut
    if standing not in (Standing.MISSING, Standing.ADDED):
        return cut
    found = (other for low, high, other in others if low <= start and end <= high)
    return start, end, next(found, standing)


def _compared(
    rows: Iterable[Row], claims: Claims, features: _Features, *, is_cut: bool
) -> dict[tuple[str, int], ComparedClaim]:
    found: dict[tuple[str, int], ComparedClaim] = {}
    for row in rows:
        if row.reference is None or row.candidate is None:
            side = REFERENCE if row.candidate is None else CANDIDATE
            index = row.reference if row.candidate is None else row.candidate
            assert index is not None
            standing = Standing.MISSING if side == REFERENCE else Standing.ADDED
            cuts = tuple((item.start, item.end, standing) for item in features[side, index])
            # That all of it stands on one side only is shown once, not for every word.
            found[side, index] = ComparedClaim(
                (), cuts if is_cut else _whole(claim_body(claims[side][index]))
            )
            continue
        one, other = (REFERENCE, row.reference), (CANDIDATE, row.candidate)
        left = claim_body(claims[REFERENCE][row.reference])
        right = claim_body(claims[CANDIDATE][row.candidate])
        here, there = diff_words(left, right)
        own, others = _whole(left), _whole(right)
        if is_cut:
            pairs = align_features(features[one], features[other])
            own, others = _standings(pairs, REFERENCE), _standings(pairs, CANDIDATE)
        found[one], found[other] = ComparedClaim(here, own), ComparedClaim(there, others)
    return found


def _whole(body: str) -> Cuts:
    """Return a claim as one limitation without a standing."""
    return ((0, len(body), ""),) if body else ()


def read_side(claims: Sequence[Claim]) -> Side:
    """Return the claims of a text with their content words and their features."""
    return Side(claims, content_of(claims), [split_features(claim_body(one)) for one in claims])


def _standings(pairs: Iterable[LimitationPair], side: str) -> Cuts:
    """Return one side's limitations in the order of its own text."""
    own = ((p.reference if side == REFERENCE else p.candidate, p.standing) for p in pairs)
    return tuple(sorted((entry.start, entry.end, standing) for entry, standing in own if entry))


def claim_body(claim: Claim) -> str:
    """Return the text of a claim behind its number."""
    return claim.text[claim.body_offset :]
