"""Where each limitation of one claim set stands in the other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import nlargest, nsmallest
from typing import Final

from patclaimeval.claims.coverage import (
    ENOUGH,
    Cover,
    Wanted,
    adds,
    agrees,
    counts_otherwise,
    cover,
    is_about,
    likeness,
    opens,
    reads_alike,
    shares_run,
)
from patclaimeval.claims.parsing import citations
from patclaimeval.claims.scope_rules import Scope
from patclaimeval.claims.sides import REFERENCE, ClaimSide

# From this share on a limitation stands in part in a place; below it the likeness may be chance.
_IN_PART: Final = 0.5
# So much more must another claim hold than the corresponding one to be the place.
_LEAD: Final = 0.3
_RELATED: Final = 0.05
_MOST_CLAIMS: Final = 3
# Two limitations are one if one stands in the other and they have this share of words in one order.
_ALIKE: Final = 0.6
# So many different words make a short limitation.
_SHORT: Final = 4
# A limitation that lacks more of its new words than this is not there in part.
_MOST_LACKING: Final = 0.34
# So many different words make a limitation that may be there in part; fewer are mostly its subject.
_LONG: Final = 10
# Two limitations say the same if they have this share of their words in one order.
_SAME: Final = 0.8
# A limitation of seven different words or more is similar from these shares of its words on, where
# the other one has a counterpart, or has none.
_SEVERAL: Final = 7
_MANY: Final = (0.65, 0.5)
# So much of each place of a limitation that is split is of that limitation.
_PIECE: Final = 0.7
# From this share of the weight on a limitation is similar to one with a counterpart, or without.
_SIMILAR: Final = (0.7, 0.25)
# So many claims, of those that hold most of the words, are searched limitation by limitation.
_MOST_TRIED: Final = 8
# What says a part of a limitation holds this share of its weight.
_HELD: Final = 0.25
# Fewer words than this may stand in any claim by chance.
_TELLING: Final = 3


class Verdict(StrEnum):
    """Where a limitation stands in the other claim set."""

    IN = "in"
    DEMOTED = "demoted"
    PROMOTED = "promoted"
    SPLIT = "split"
    MERGED = "merged"
    PART = "part"
    SIMILAR = "similar"
    NOWHERE = "nowhere"


INCOMPLETE: Final = (Verdict.PART, Verdict.SIMILAR)
"""Not all of the limitation is known to stand there."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a limitation was found: the verdict, the claims and the limitations there."""

    verdict: Verdict
    claims: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    reason: str = ""
    scope: Scope = Scope.SAME


def find_places(left: ClaimSide, right: ClaimSide) -> tuple[list[Place], list[Place]]:
    """Return where each limitation of either side stands in the other."""
    places = _places(left, right), _places(right, left)
    for step in (_take_back_moves, _find_holders, _answer):
        step(left, right, *places)
        step(right, left, *places[::-1])
    _pair_alone(left, right, *places)
    _place_preambles(left, right, places[0])
    _place_preambles(right, left, places[1])
    _find_similar(left, right, *places)
    _find_similar(right, left, *places[::-1])
    return places


def _take_back_moves(
    own: ClaimSide, other: ClaimSide, places: list[Place], back: Sequence[Place]
) -> None:
    """Call no limitation moved whose place is that of a limitation of the corresponding claim.

    It repeats what its own side says there, or it says something else in similar words.
    """
    for place, found in enumerate(places):
        claim = own.limitations[place].claim
        if not found.parts or found.verdict is Verdict.PART:
            continue
        if found.verdict is not Verdict.SPLIT and own.partner.get(claim) == found.claims[0]:
            continue
        if any(
            back[part].verdict is Verdict.IN
            and other.partner.get(other.limitations[part].claim) in back[part].claims
            and place not in back[part].parts
            for part in found.parts
        ):
            words = [word for part in sorted(found.parts) for word in other.bags[part]]
            is_same = likeness(own.bags[place], words) >= _SAME
            places[place] = Place(
                *((Verdict.IN, found.claims, found.parts) if is_same else (Verdict.NOWHERE,))
            )


def _place_preambles(own: ClaimSide, other: ClaimSide, places: list[Place]) -> None:
    for place, one in enumerate(own.limitations):
        if one.is_preamble:
            places[place] = _place_of_preamble(place, own, other, places)


def _find_similar(
    own: ClaimSide, other: ClaimSide, places: list[Place], back: Sequence[Place]
) -> None:
    """Say of limitations that stand nowhere where the most similar words are, if they are many.

    Many are 25 % of the weight in a limitation without a counterpart, or 70 % in one that has one;
    of seven words or more, half of the words in the former, or 65 % in the latter, or half of the
    weight in all that have none. The limitation may well be there in other words.
    """
    is_free = [not _has_counterpart(part, own, other, back) for part in range(len(back))]
    whole, masks = _masks_of_claims(other), other.masks
    left = everything = 0
    for mask, free in zip(masks, is_free, strict=True):
        everything |= mask
        left |= mask if free else 0
    for place, wanted in enumerate(own.wanted()):
        if places[place].verdict is not Verdict.NOWHERE or not wanted.total:
            continue
        claims = nlargest(
            _MOST_TRIED, range(len(whole)), key=lambda claim: wanted.weight_in(whole[claim])
        )
        words, mask = own.bags[place], own.masks[place]
        near = [part for claim in claims for part in other.with_preamble(claim, words)]
        held = {part: wanted.weight_in(masks[part]) / _SIMILAR[is_free[part]] for part in near}
        best = max(near, key=held.__getitem__, default=None)
        if best is None:
            continue
        is_many = held[best] >= wanted.total
        if not is_many and len({*words}) >= _SEVERAL:
            rest = left if own.limitations[place].claim in own.partner else everything
            is_many = wanted.weight_in(rest) >= _IN_PART * wanted.total or any(
                (mask & masks[part]).bit_count() >= _MANY[is_free[part]] * mask.bit_count()
                for part in near
            )
        if is_many:
            is_same = own.forms[place] == other.forms[best]
            verdict = Verdict.IN if is_same else Verdict.SIMILAR
            places[place] = Place(verdict, (other.limitations[best].claim,), (best,))


def _has_counterpart(part: int, own: ClaimSide, other: ClaimSide, back: Sequence[Place]) -> bool:
    """Return whether a limitation of the other side reads like the one in which it stands."""
    found = back[part]
    if found.verdict is not Verdict.IN or len(found.parts) != 1:
        return False
    return likeness(other.bags[part], own.bags[found.parts[0]]) >= _SAME


def _masks_of_claims(side: ClaimSide) -> list[int]:
    """Return the bits of all words of each claim."""
    whole = [0] * len(side.claims)
    for place, one in enumerate(side.limitations):
        whole[one.claim] |= side.masks[place]
    return whole


def _pair_alone(left: ClaimSide, right: ClaimSide, places: list[Place], back: list[Place]) -> None:
    """Pair limitations of corresponding claims that stand nowhere, but are hardly two things.

    They are the only ones of their claims and have a new word in common, or they are short and
    open with the same word, as no other one does: "a handle of horn" and "a handle of tin".
    """
    wanted = left.wanted()
    for claim, partner in left.partner.items():
        here, there = (
            [place for place in side.of_claim[at] if not side.limitations[place].is_preamble]
            for side, at in ((left, claim), (right, partner))
        )
        alone = [i for i in here if places[i].verdict is Verdict.NOWHERE]
        others = [j for j in there if back[j].verdict is Verdict.NOWHERE]
        pairs = _with_one_opening(left, alone, right, others)
        if len(here) == len(there) == 1 and alone and others:
            is_told = wanted[here[0]].new_words_in(right.masks[there[0]]) > 0
            pairs = [(here[0], there[0])] if is_told else pairs
        for i, j in pairs:
            places[i] = Place(Verdict.IN, (partner,), (j,))
            back[j] = Place(Verdict.IN, (claim,), (i,))


def _with_one_opening(
    left: ClaimSide, alone: Iterable[int], right: ClaimSide, others: Iterable[int]
) -> list[tuple[int, int]]:
    """Return the short limitations that open with a word with which no other one opens."""
    by_word: dict[str, tuple[list[int], list[int]]] = {}
    for number, (side, places) in enumerate(((left, alone), (right, others))):
        for place in places:
            words = dict.fromkeys(side.bags[place])
            if 1 < len(words) <= _SHORT:
                by_word.setdefault(next(iter(words)), ([], []))[number].append(place)
    return [(one[0], two[0]) for one, two in by_word.values() if len(one) == len(two) == 1]


def _answer(own: ClaimSide, other: ClaimSide, places: list[Place], back: list[Place]) -> None:
    """Say of the limitation in which another one stands that it stands there, too."""
    for place, found in enumerate(places):
        is_there = found.verdict is Verdict.IN and len(found.parts) == 1
        if is_there and own.partner.get(own.limitations[place].claim) == found.claims[0]:
            (part,) = found.parts
            is_alike = likeness(own.bags[place], other.bags[part]) >= _ALIKE
            if is_alike and back[part].verdict in (Verdict.NOWHERE, Verdict.PART):
                back[part] = Place(Verdict.IN, (own.limitations[place].claim,), (place,))


def _places(own: ClaimSide, other: ClaimSide) -> list[Place]:
    whole = _masks_of_claims(other)
    return [
        Place(Verdict.NOWHERE)
        if own.limitations[place].is_preamble
        else _search(place, wanted, own, other, whole)
        for place, wanted in enumerate(own.wanted())
    ]


def _search(
    place: int, wanted: Wanted, own: ClaimSide, other: ClaimSide, whole: list[int]
) -> Place:
    claim = own.limitations[place].claim
    partner = own.partner.get(claim)
    if partner is not None:
        same = other.by_form.get((partner, own.forms[place]))
        if same is not None:
            return Place(Verdict.IN, (partner,), (same,))
        if not wanted.total:
            # Without a word that tells anything it is where its claim is.
            return Place(Verdict.IN, (partner,))
    best = _best_claim(place, wanted, own, other, whole)
    if best is None:
        return Place(Verdict.NOWHERE)
    index, found = best
    if found.share >= ENOUGH:
        return _found_whole(place, index, found, own, other)
    if index == partner and _is_changed(place, found, own, other):
        return Place(Verdict.IN, (index,), found.parts)
    # What cites a claim of another kind, "a car with the engine of claim 1", is in no parts of it.
    is_citing = bool(citations(own.limitations[place].text))
    if not is_citing and (split := _split(wanted, own.bags[place], best, other)):
        return split
    # New words beside another subject are another limitation.
    words, given = own.bags[place], [w for i in sorted(found.parts) for w in other.bags[i]]
    new = (wanted.new & ~_mask_of(found.parts, other)).bit_count() / wanted.new.bit_count()
    if (
        new > _MOST_LACKING
        or sum(" " not in word for word in {*words}) < _LONG
        or not is_about(words, given)
        or not shares_run(words, given)
        or counts_otherwise(words, given)
    ):
        return Place(Verdict.NOWHERE)
    return Place(Verdict.PART, (index,), found.parts)


def _found_whole(place: int, index: int, found: Cover, own: ClaimSide, other: ClaimSide) -> Place:
    """Return the place of a limitation that stands whole in a claim."""
    claim = own.limitations[place].claim
    words, given = own.bags[place], [w for i in sorted(found.parts) for w in other.bags[i]]
    is_counterpart = own.partner.get(claim) == index
    if not is_counterpart and not (opens(words, given) and shares_run(words, given)):
        # A name that stands in what is said of another thing is only mentioned.
        return Place(Verdict.NOWHERE)
    verdict, reason = _verdict(claim, index, own, other)
    if verdict in (Verdict.DEMOTED, Verdict.PROMOTED) and citations(own.limitations[place].text):
        # "The device of claim 6" refers to that claim, and was not moved out of it.
        verdict = Verdict.IN
    return Place(verdict, (index,), found.parts, reason)


def _is_changed(place: int, found: Cover, own: ClaimSide, other: ClaimSide) -> bool:
    """Return whether the corresponding claim has a limitation with a word or number changed."""
    (first, *rest) = found.parts
    return (
        not rest
        and agrees(own.bags[place], other.bags[first])
        and _counts_alike(place, found.parts, own, other)
    )


def _mask_of(parts: Sequence[int], side: ClaimSide) -> int:
    """Return the bits of all words of some limitations."""
    mask = 0
    for part in parts:
        mask |= side.masks[part]
    return mask


def _best_claim(
    place: int, wanted: Wanted, own: ClaimSide, other: ClaimSide, whole: list[int]
) -> tuple[int, Cover] | None:
    """Return the claim that holds most of a limitation, half of it at least, and what it holds."""
    partner = own.partner.get(own.limitations[place].claim)
    total = wanted.total
    if not total:
        return None
    most = [wanted.weight_in(mask) / total for mask in whole]

    def rank(index: int, share: float) -> float:
        if partner is None:
            return share
        if index == partner:
            return share + _LEAD
        return share + (_RELATED if other.are_related(index, partner) else 0.0)

    best: tuple[float, int, Cover] | None = None
    for index in nsmallest(_MOST_TRIED, range(len(most)), key=lambda i: (-rank(i, most[i]), i)):
        if most[index] < _IN_PART or (best and rank(index, most[index]) <= best[0]):
            break
        near = other.holders(index, own.bags[place])
        found = cover(wanted, own.bags[place], near, other)
        words = [word for part in sorted(found.parts) for word in other.bags[part]]
        if index != partner and not (
            reads_alike(own.bags[place], words) and _counts_alike(place, found.parts, own, other)
        ):
            continue
        if found.share >= _IN_PART and (best is None or rank(index, found.share) > best[0]):
            best = rank(index, found.share), index, found
    return best[1:] if best else None


def _counts_alike(place: int, parts: Sequence[int], own: ClaimSide, other: ClaimSide) -> bool:
    """Return whether a place does not say "first" where the limitation says "second"."""
    wanted = own.ordinals[place]
    given = frozenset[str]().union(*(other.ordinals[part] for part in parts))
    return not wanted or not given or bool(wanted & given)


def _split(
    wanted: Wanted, words: Sequence[str], best: tuple[int, Cover], other: ClaimSide
) -> Place | None:
    """Return the claims that together hold a limitation, None where no few of them do."""
    index, found = best
    total, others = wanted.total, other.masks
    for held in found.parts:
        wanted = wanted.without(others[held])
    claims, parts = [index], [*found.parts]
    near = [
        place
        for claim in range(len(other.claims))
        if claim != index and other.are_related(claim, index)
        for place in other.holders(claim, words)
    ]
    while len(claims) < _MOST_CLAIMS and 1 - wanted.total / total < ENOUGH:
        near = [place for place in near if other.limitations[place].claim not in claims]
        part = max(near, key=lambda place: wanted.weight_in(others[place]), default=None)
        if part is None or not adds(wanted, others[part], total):
            return None
        wanted = wanted.without(others[part])
        claims.append(other.limitations[part].claim)
        parts.append(part)
    bags = [{*other.bags[part]} for part in parts]
    are_pieces = all(len(bag.intersection(words)) >= _PIECE * len(bag) for bag in bags)
    if 1 - wanted.total / total < ENOUGH or not are_pieces:
        return None
    return Place(Verdict.SPLIT, tuple(sorted(claims)), tuple(sorted(parts)))


def _find_holders(
    own: ClaimSide, other: ClaimSide, places: list[Place], back: Sequence[Place]
) -> None:
    """Say of limitations that stand nowhere, but of which the other side says a part, where."""
    wanted = own.wanted()
    holders: dict[int, list[int]] = {}
    for place, found in enumerate(back):
        if len(found.parts) == 1 and not other.limitations[place].is_preamble:
            holders.setdefault(found.parts[0], []).append(place)
    for place, one in enumerate(own.limitations):
        if places[place].verdict is not Verdict.NOWHERE or one.is_preamble:
            continue
        partner = own.partner.get(one.claim)
        parts = [
            part
            for part in holders.get(place, ())
            if (other.limitations[part].claim == partner or back[part].verdict is not Verdict.PART)
            and (
                len({*other.bags[part]}) >= _TELLING or other.bags[part][:1] == own.bags[place][:1]
            )
        ]
        if parts:
            claim = other.limitations[parts[0]].claim
            same = tuple(part for part in parts if other.limitations[part].claim == claim)
            held = wanted[place].weight_in(_mask_of(same, other))
            is_part = held >= _HELD * wanted[place].total
            places[place] = Place((Verdict.SIMILAR, Verdict.PART)[is_part], (claim,), same)


def _verdict(claim: int, index: int, own: ClaimSide, other: ClaimSide) -> tuple[Verdict, str]:
    """Return what it means that a limitation of one claim stands whole in a claim of the other."""
    partner = own.partner.get(claim)
    if index == partner:
        return Verdict.IN, ""
    root = other.root_of(index)
    if own.is_activity[own.root_of(claim)] != other.is_activity[root] and not (
        partner is not None and other.are_related(root, partner)
    ):
        kinds = ("a product", "a method")
        is_method = other.is_activity[root]
        return Verdict.PART, f"for {kinds[is_method]}, not for {kinds[not is_method]}"
    if own.is_independent[claim] and not other.is_independent[index]:
        return Verdict.DEMOTED, ""
    if other.is_independent[index] and not own.is_independent[claim]:
        return Verdict.PROMOTED, ""
    back = other.partner.get(index)
    if partner is None and back is not None:
        return Verdict.MERGED, f"with claim {own.number(back)}"
    if partner is None:
        return Verdict.IN, ""
    return Verdict.IN, f"not in claim {other.number(partner)}, which corresponds"


def _place_of_preamble(
    place: int, own: ClaimSide, other: ClaimSide, places: Sequence[Place]
) -> Place:
    """Return the preamble of the corresponding claim, or where the rest of the claim stands."""
    claim = own.limitations[place].claim
    partner = own.partner.get(claim)
    if partner is not None:
        scope, reason = compare_dependency(claim, partner, own, other)
        return Place(Verdict.IN, (partner,), tuple(other.of_claim[partner][:1]), reason, scope)
    rest = [places[i] for i in own.of_claim[claim][1:]]
    found = [one for one in rest if one.verdict not in (Verdict.NOWHERE, Verdict.PART)]
    is_whole = bool(rest) and len(found) == len(rest)
    return replace(found[0], parts=()) if is_whole else Place(Verdict.NOWHERE)


def compare_dependency(
    claim: int, partner: int, own: ClaimSide, other: ClaimSide
) -> tuple[Scope, str]:
    """Compare what a claim and its counterpart depend on; the scope is that of the candidate."""
    parents, given = {*own.parents[claim]}, {*other.parents[partner]}
    is_of_reference = own.name == REFERENCE
    now = "now" if is_of_reference else "in the reference"
    cited = own.claims[claim].depends_on, other.claims[partner].depends_on
    if (cited[0] and not parents) or (cited[1] and not given):
        is_same = cited[0] == cited[1] and not parents and not given
        reason = "one of them cites a claim that does not exist"
        return (Scope.SAME, "") if is_same else (Scope.UNSURE, reason)
    if not parents or not given:
        if not parents and not given:
            return Scope.SAME, ""
        # Without the claim that it depends on a claim has fewer limitations.
        scope = Scope.BROADER if bool(parents) == is_of_reference else Scope.NARROWER
        return scope, f"{now} " + (f"dependent on {other.names(given)}" if given else "independent")
    # Claims without a counterpart are no change by themselves.
    wanted = {own.partner[parent] for parent in parents if parent in own.partner}
    known = {index for index in given if index in other.partner}
    is_one = len(parents) == 1, len(given) == 1
    if wanted == known and is_one[0] == is_one[1] and (wanted or len(parents) == len(given)):
        return Scope.SAME, ""
    reason = f"{now} dependent on {other.names(given)}"
    if not wanted or not known or wanted == known:
        return Scope.UNSURE, reason
    return Scope.UNSURE, f"{reason}, not on {other.names(wanted)}"
