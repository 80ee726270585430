"""Claims that one side has as one and the other as several: split, or merged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.limitations import is_negation
from patclaimeval.claims.pairing import Content, Row, claims_activity
from patclaimeval.claims.parsing import Claim, citations
from patclaimeval.claims.splitting import Feature
from patclaimeval.claims.words import content_words, read_unlabelled

# A part must add so many words to what the whole's own counterpart says.
_LEAST_NEW = 3
# Where more claims say all that another does, the words are too common to show anything.
_MOST_WHOLES = 8
# So much of the whole is in its parts, and so much of its counterpart in the whole.
_BULK = 0.7


class Sharing(StrEnum):
    """Whether the candidate cut a claim into several, or made one of several."""

    SPLIT = "split"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class Shared:
    """A claim that the other side has in parts; indices into the claims of either side.

    Split: `whole` is of the reference, `counterpart` and `others` are of the candidate. Merged: the
    other way round. Counterpart and whole stand in one row, the others without a counterpart.
    """

    kind: Sharing
    whole: int
    counterpart: int
    others: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """The claims of one side with their content words and their features."""

    claims: Sequence[Claim]
    content: Content
    features: Sequence[tuple[Feature, ...]]


def find_shared(rows: Sequence[Row], reference: Side, candidate: Side) -> tuple[Shared, ...]:
    """Return the claims that the other side has in several, those of the reference first.

    Inputs: the rows of `align_claims` for the claims of both sides. Output: unions in which each
    claim without a counterpart stands at most once. A claim A without a counterpart is part of a
    claim W of the other side, whose counterpart is B, if W says all that A says: each feature of A
    lies, with all its content words and ordinals and without a negation more, in one feature of W.
    A has at least three content words that B lacks, and B three that no A has; of these, and of W
    by A and B together, 70 % are covered. Methods and things are never parts of each other.
    In doubt a claim is no part: then it stands as missing or added.
    """
    pairs = [(r.reference, r.candidate) for r in rows]
    both = [(i, j) for i, j in pairs if i is not None and j is not None]
    gone = [i for i, j in pairs if i is not None and j is None]
    new = [j for i, j in pairs if j is not None and i is None]
    back = dict(both)
    there = {j: i for i, j in both}
    return (
        *_unions(Sharing.SPLIT, new, back, candidate, reference),
        *_unions(Sharing.MERGED, gone, there, reference, candidate),
    )


def _unions(
    kind: Sharing, alone: Sequence[int], counterparts: Mapping[int, int], parts: Side, wholes: Side
) -> Iterator[Shared]:
    """Yield the unions of one kind; `counterparts` has by whole the claim in its row."""
    found: dict[int, list[int]] = {}
    for part, whole in _said_elsewhere(alone, counterparts, parts, wholes):
        found.setdefault(whole, []).append(part)
    taken: set[int] = set()
    for whole, others in sorted(found.items()):
        beside = counterparts[whole]
        free = tuple(part for part in others if part not in taken)
        if free and _covers(whole, beside, free, parts, wholes):
            taken.update(free)
            yield Shared(kind, whole, beside, free)


def _said_elsewhere(
    alone: Sequence[int], counterparts: Mapping[int, int], parts: Side, wholes: Side
) -> Iterator[tuple[int, int]]:
    """Yield claims without counterpart, each with the claims of the other side that say it."""
    content = {whole: {*wholes.content[whole]} for whole in counterparts if alone}
    limits = cache(lambda place: [_limits(item.text) for item in parts.features[place]])
    given = cache(lambda place: [_limits(item.text) for item in wholes.features[place]])
    for part in alone:
        words = {*parts.content[part]}
        holding = [whole for whole, all_of_it in content.items() if words <= all_of_it]
        if len(holding) > _MOST_WHOLES or parts.claims[part].number is None:
            continue
        for whole in holding:
            if _adds(part, whole, counterparts[whole], parts, wholes) and all(
                _lies_in(own, given(whole)) for own in limits(part)
            ):
                yield part, whole


def _adds(part: int, whole: int, beside: int, parts: Side, wholes: Side) -> bool:
    """Whether a claim is of the whole's category and adds to what the whole's counterpart says."""
    if claims_activity(parts.claims[part]) != claims_activity(wholes.claims[whole]):
        return False
    return len({*parts.content[part]} - {*parts.content[beside]}) >= _LEAST_NEW


def _lies_in(own: set[str], given: Iterable[set[str]]) -> bool:
    return any(own <= other and not any(map(is_negation, other - own)) for other in given)


def _limits(text: str) -> set[str]:
    """Return the content words and ordinals of a feature behind the claims that it cites."""
    limits = text[max((item.end for item in citations(text)), default=0) :]
    return {*content_words(limits), *ORDINALS.intersection(read_unlabelled(limits))}


def _covers(whole: int, beside: int, others: Sequence[int], parts: Side, wholes: Side) -> bool:
    content = {*wholes.content[whole]}
    own = {*parts.content[beside]}
    added = {word for part in others for word in parts.content[part]}
    alone = own - added
    return (
        len(alone) >= _LEAST_NEW
        and len(alone & content) >= _BULK * len(alone)
        and len(content & (own | added)) >= _BULK * len(content)
    )


def phrase_of(shared: Shared, reference: Side, candidate: Side) -> tuple[str, str]:
    """Say what became of the whole, with its counterpart, and of each of the others."""
    if shared.kind is Sharing.SPLIT:
        whole, parts, sides = reference, candidate, ("candidate", "reference")
    else:
        whole, parts, sides = candidate, reference, ("reference", "candidate")
    numbers = sorted(
        parts.claims[part].number or 0 for part in (shared.counterpart, *shared.others)
    )
    *before, last = map(str, numbers)
    one = whole.claims[shared.whole].number
    several = f"claims {', '.join(before)} and {last} of the {sides[0]}"
    if shared.kind is Sharing.SPLIT:
        return f"split into {several}", f"split from claim {one} of the {sides[1]}"
    return f"merged from {several}", f"merged into claim {one} of the {sides[1]}"
