"""Where each limitation of one claim set stands in the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from heapq import nsmallest
from typing import Final

from patclaimeval.claims.coverage import (
    ENOUGH,
    Cover,
    Wanted,
    WordMasks,
    adds,
    agrees,
    bag_of,
    cover,
    likeness,
    ordinals_in,
    reads_alike,
    shares_run,
)
from patclaimeval.claims.notes import Note, find_notes, is_cancelled, spans_without_claims
from patclaimeval.claims.pairing import claims_activity, other_category
from patclaimeval.claims.parsing import Claim, citations, parse_claims
from patclaimeval.claims.scope_rules import Scope
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.tree import ClaimTree, build_tree
from patclaimeval.claims.wording import Wording, neighbours_in, read_wording, rename
from patclaimeval.claims.words import read_unlabelled

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"
# From this share on a limitation stands in part in a place; below it the likeness may be chance.
_IN_PART: Final = 0.5
# So much more must another claim hold than the corresponding one to be the place.
_LEAD: Final = 0.3
_RELATED: Final = 0.05
_MOST_CLAIMS: Final = 3
# As much of the words of two limitations in the same order makes them one, if one is in the other.
_ALIKE: Final = 0.6
# A limitation that lacks more of its new words than this is not there in part.
_MOST_LACKING: Final = 0.7
# So many claims, of those that hold most of the words, are searched limitation by limitation.
_MOST_TRIED: Final = 8
# Fewer words may stand anywhere.
_TELLING: Final = 3


class Verdict(StrEnum):
    """Where a limitation stands in the other claim set."""

    IN = "in"
    DEMOTED = "demoted"
    PROMOTED = "promoted"
    SPLIT = "split"
    MERGED = "merged"
    PART = "part"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class Limitation:
    """A limitation of a side: its span in the claim set, and the index of its claim."""

    claim: int
    start: int
    end: int
    text: str
    is_preamble: bool


@dataclass(frozen=True)
class ReadSet:
    """What the chart reads of one claim set, whatever it is compared with.

    `of_claim` has the limitations of each claim, as indices; `above` the claims that a claim
    depends on, directly or not.
    """

    claims: tuple[Claim, ...]
    notes: tuple[Note, ...]
    tree: ClaimTree
    limitations: tuple[Limitation, ...]
    bags: tuple[list[str], ...]
    wordings: tuple[Wording, ...]
    forms: tuple[tuple[str, ...], ...]
    ordinals: tuple[frozenset[str], ...]
    of_claim: tuple[list[int], ...]
    is_independent: tuple[bool, ...]
    is_activity: tuple[bool, ...]
    above: tuple[frozenset[int], ...]


# A reference is read once for its candidates.
@lru_cache(maxsize=8)
def read_set(side: str, text: str) -> ReadSet:
    """Read one claim set; `side` is "reference" or "candidate"."""
    claims, tree = parse_claims(text), build_tree(parse_claims(text))
    notes = find_notes(side, text, claims)
    limitations = tuple(_limitations(claims, spans_without_claims(notes)))
    of_claim: tuple[list[int], ...] = tuple([] for _ in claims)
    for place, one in enumerate(limitations):
        of_claim[one.claim].append(place)
    # "A system that carries out the method of claim 1" is independent in all but form.
    kinds = zip(tree.nodes, other_category(claims), strict=True)
    above: list[frozenset[int]] = []
    for node in tree.nodes:
        above.append(frozenset(node.parents).union(*(above[i] for i in node.parents)))
    return ReadSet(
        claims,
        notes,
        tree,
        limitations,
        tuple(bag_of(one.text) for one in limitations),
        tuple(read_wording(text, one.start, one.end) for one in limitations),
        tuple(_form_of(one.text) for one in limitations),
        tuple(ordinals_in(one.text) for one in limitations),
        of_claim,
        tuple(not node.parents or is_other for node, is_other in kinds),
        tuple(map(claims_activity, claims)),
        tuple(above),
    )


class ClaimSide:
    """One claim set beside another: its limitations, and their words under the reference's names.

    `renamed` has by the stem of a name of the candidate that of the reference's name.
    """

    def __init__(
        self, name: str, text: str, partner: Mapping[int, int], renamed: Mapping[str, str]
    ) -> None:
        self.name = name
        self.text = text
        self.partner = partner
        own = read_set(name, text)
        self.claims, self.limitations, self.of_claim = own.claims, own.limitations, own.of_claim
        self.parents = [node.parents for node in own.tree.nodes]
        self.above, self.is_independent, self.is_activity = (
            own.above,
            own.is_independent,
            own.is_activity,
        )
        self.forms, self.ordinals = own.forms, own.ordinals
        self.bags = [[renamed.get(word, word) for word in bag] for bag in own.bags]
        self.wordings = [rename(one, renamed) for one in own.wordings]

    def keep(self, masks: WordMasks) -> None:
        """Keep the words of the limitations as bits."""
        self.masks = [masks.of(bag) for bag in self.bags]
        self.starts = masks.starts

    def wanted(self) -> list[Wanted]:
        """Return what is looked for of each limitation."""
        of_claim = [0] * len(self.claims)
        found: list[Wanted] = []
        for place, one in enumerate(self.limitations):
            known = of_claim[one.claim]
            for above in self.above[one.claim]:
                known |= of_claim[above]
            mask = self.masks[place]
            # A limitation that only relates what is known is looked for by all of its words.
            new = mask & ~known or mask
            found.append(Wanted(new, mask & ~new, self.starts))
            of_claim[one.claim] |= mask
        return found

    def number(self, claim: int) -> int:
        """Return the number of a claim, 0 where it has none."""
        return self.claims[claim].number or 0

    @cached_property
    def neighbours(self) -> list[frozenset[tuple[str, str]]]:
        """The pairs of neighbouring words of each claim."""
        return [
            frozenset(pair for place in places for pair in neighbours_in(self.wordings[place]))
            for places in self.of_claim
        ]

    def names(self, claims: Iterable[int]) -> str:
        """Return "claim 1" or "claims 1, 2" for some claims."""
        numbers = sorted(map(self.number, claims))
        return f"claim{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"

    def root_of(self, claim: int) -> int:
        """Return the independent claim that a claim depends on first, or the claim itself."""
        return min((i for i in self.above[claim] if self.is_independent[i]), default=claim)

    def are_related(self, one: int, other: int) -> bool:
        """Return whether one of two claims depends on the other, directly or not."""
        return one == other or one in self.above[other] or other in self.above[one]


def _limitations(
    claims: Sequence[Claim], remarks: Sequence[tuple[int, int]]
) -> Iterator[Limitation]:
    for index, claim in enumerate(claims):
        if is_cancelled(claim):
            continue
        begin = claim.start + claim.body_offset
        # What a model says behind a claim is none of its limitations.
        close = min((low for low, _ in remarks if begin < low < claim.end), default=claim.end)
        if any(low <= begin < high for low, high in remarks):
            continue
        features = split_features(claim.text[claim.body_offset : close - claim.start])
        start: int | None = None
        for place, one in enumerate(features):
            text = one.text.strip()
            if start is None:
                start = begin + one.start + len(one.text) - len(one.text.lstrip())
            # "wherein:" belongs to what follows.
            if place + 1 < len(features) and not bag_of(text):
                continue
            end = begin + one.end - len(one.text) + len(one.text.rstrip())
            whole = claim.text[start - claim.start : end - claim.start]
            yield Limitation(index, start, end, whole, place == 0 and len(features) > 1)
            start = None


def _form_of(text: str) -> tuple[str, ...]:
    """Return the words of a limitation by which it equals another, word for word."""
    return tuple(
        key for key in read_unlabelled(text) if key.isalnum() and key not in ("the", "said")
    )


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
    _find_holders(left, right, *places)
    _find_holders(right, left, *places[::-1])
    _answer(left, right, *places)
    _answer(right, left, *places[::-1])
    return places


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
    whole = [0] * len(other.claims)
    for place, one in enumerate(other.limitations):
        whole[one.claim] |= other.masks[place]
    places = [
        Place(Verdict.NOWHERE)
        if own.limitations[place].is_preamble
        else _search(place, wanted, own, other, whole)
        for place, wanted in enumerate(own.wanted())
    ]
    for place, one in enumerate(own.limitations):
        if one.is_preamble:
            places[place] = _place_of_preamble(place, own, other, places)
    return places


def _search(
    place: int, wanted: Wanted, own: ClaimSide, other: ClaimSide, whole: list[int]
) -> Place:
    claim = own.limitations[place].claim
    partner = own.partner.get(claim)
    if partner is not None:
        for part in other.of_claim[partner]:
            if own.forms[place] and other.forms[part] == own.forms[place]:
                return Place(Verdict.IN, (partner,), (part,))
        if not wanted.total:
            # Without a word that tells anything it is where its claim is.
            return Place(Verdict.IN, (partner,))
    best = _best_claim(place, wanted, own, other, whole)
    if best is None:
        return Place(Verdict.NOWHERE)
    index, found = best
    if found.share >= ENOUGH:
        verdict, reason = _verdict(claim, index, own, other)
        return Place(verdict, (index,), found.parts, reason)
    if index == partner and _is_changed(place, found, own, other):
        return Place(Verdict.IN, (index,), found.parts)
    # What cites a claim of another kind, "a car with the engine of claim 1", is in no parts of it.
    is_citing = bool(citations(own.limitations[place].text))
    if not is_citing and (split := _split(wanted, index, found, other)):
        return split
    # New words beside another subject are another limitation.
    words, given = own.bags[place], [w for i in sorted(found.parts) for w in other.bags[i]]
    holds_half = 2 * len({*words}.intersection(given)) >= len({*words})
    new = (wanted.new & ~_mask_of(found.parts, other)).bit_count() / wanted.new.bit_count()
    if (
        new > _MOST_LACKING
        or words[0] not in given
        or not holds_half
        or not shares_run(words, given)
    ):
        return Place(Verdict.NOWHERE)
    return Place(Verdict.PART, (index,), found.parts)


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
        places = [p for p in other.of_claim[index] if not other.limitations[p].is_preamble]
        found = cover(wanted, own.bags[place], places, other)
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


def _split(wanted: Wanted, index: int, found: Cover, other: ClaimSide) -> Place | None:
    """Return the claims that together hold a limitation, None where no few of them do."""
    total, others = wanted.total, other.masks
    for part in found.parts:
        wanted = wanted.without(others[part])
    claims, parts = [index], [*found.parts]
    while len(claims) < _MOST_CLAIMS and 1 - wanted.total / total < ENOUGH:
        near = [
            place
            for place, one in enumerate(other.limitations)
            if one.claim not in claims
            and not one.is_preamble
            and other.are_related(one.claim, index)
        ]
        best = max(near, key=lambda place: wanted.weight_in(others[place]), default=None)
        if best is None or not adds(wanted, others[best], total):
            return None
        wanted = wanted.without(others[best])
        claims.append(other.limitations[best].claim)
        parts.append(best)
    if 1 - wanted.total / total < ENOUGH:
        return None
    return Place(Verdict.SPLIT, tuple(sorted(claims)), tuple(sorted(parts)))


def _find_holders(
    own: ClaimSide, other: ClaimSide, places: list[Place], back: Sequence[Place]
) -> None:
    """Say of limitations that stand nowhere, but of which the other side says a part, where."""
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
            if other.limitations[part].claim == partner
            or (back[part].verdict is not Verdict.PART and len({*other.bags[part]}) >= _TELLING)
        ]
        if parts:
            claim = other.limitations[parts[0]].claim
            same = tuple(part for part in parts if other.limitations[part].claim == claim)
            places[place] = Place(Verdict.PART, (claim,), same)


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
    return replace(found[0], parts=()) if 2 * len(found) > len(rest) else Place(Verdict.NOWHERE)


def compare_dependency(
    claim: int, partner: int, own: ClaimSide, other: ClaimSide
) -> tuple[Scope, str]:
    """Compare what a claim and its counterpart depend on; the scope is that of the candidate."""
    parents, given = {*own.parents[claim]}, {*other.parents[partner]}
    is_of_reference = own.name == REFERENCE
    now = "now" if is_of_reference else "in the reference"
    if any(
        side.claims[at].depends_on and not side.parents[at]
        for side, at in ((own, claim), (other, partner))
    ):
        # What a claim depends on that cites no claim there is cannot be told.
        return Scope.UNSURE, ""
    if not parents or not given:
        if not parents and not given:
            return Scope.SAME, ""
        # Without the claim that it depends on a claim has fewer limitations.
        scope = Scope.BROADER if bool(parents) == is_of_reference else Scope.NARROWER
        return scope, f"{now} " + (f"dependent on {other.names(given)}" if given else "independent")
    # Claims without a counterpart are no change by themselves.
    wanted = {own.partner[parent] for parent in parents if parent in own.partner}
    known = {index for index in given if index in other.partner}
    if wanted == known and (wanted or len(parents) == len(given)):
        return Scope.SAME, ""
    reason = f"{now} dependent on {other.names(given)}"
    if not wanted or not known:
        return Scope.UNSURE, reason
    return Scope.UNSURE, f"{reason}, not on {other.names(wanted)}"
