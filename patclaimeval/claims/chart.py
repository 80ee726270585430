"""The claim chart of a pair: where each limitation of one claim set stands in the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from patclaimeval.claims.antecedents import AntecedentGap, find_antecedent_gaps
from patclaimeval.claims.coverage import (
    ENOUGH,
    Cover,
    Wanted,
    WordMasks,
    adds,
    bag_of,
    cover,
    ordinals_in,
    reads_alike,
    shares_run,
)
from patclaimeval.claims.languages import is_read_as_english, languages_of_pair
from patclaimeval.claims.ledger import TermChange, find_term_changes
from patclaimeval.claims.notes import Note, find_notes
from patclaimeval.claims.pairing import align_claims, claims_activity, other_category
from patclaimeval.claims.parsing import Claim, citations, parse_claims
from patclaimeval.claims.scope import (
    Context,
    Scope,
    ScopeChange,
    Wording,
    compare_scope,
    join_scopes,
    lacking_words,
    neighbours_in,
    read_wording,
)
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.tree import Fault, build_tree
from patclaimeval.claims.words import read_unlabelled, stem

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"
# From this share on a limitation stands in part in a place; below it the likeness may be chance.
_IN_PART: Final = 0.5
# So much more must another claim hold than the corresponding one to be the place.
_LEAD: Final = 0.3
_RELATED: Final = 0.05
_MOST_CLAIMS: Final = 3
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
class ChartRow:
    """One limitation of a side, with its place in the other claim set.

    `start` and `end` count characters in the claim set of `side`; `where` are the numbers of the
    claims of the other side, the main one first; `places` are the spans there. `scope` is that of
    the candidate relative to the reference, whichever side the row is of, and `changes` are the
    differences in words from which it follows.
    """

    side: str
    claim: int | None
    limitation: str
    start: int
    end: int
    verdict: Verdict
    where: tuple[int, ...] = ()
    scope: Scope = Scope.SAME
    reason: str = ""
    places: tuple[tuple[int, int], ...] = ()
    changes: tuple[ScopeChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """Two claim sets compared: limitations both ways, terms, antecedents, citations and notes.

    `pairs` are the corresponding claims, as indices; `antecedents` and `citations` have the
    findings of each side, by its name.
    """

    rows: tuple[ChartRow, ...]
    pairs: tuple[tuple[int, int], ...]
    terms: tuple[TermChange, ...]
    antecedents: Mapping[str, tuple[AntecedentGap, ...]]
    citations: Mapping[str, tuple[Fault, ...]]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class _Limitation:
    """A limitation of a side: its span in the claim set, and the index of its claim."""

    claim: int
    start: int
    end: int
    text: str
    is_preamble: bool


class _Side:
    """One claim set as the chart reads it."""

    def __init__(self, name: str, text: str, partner: Mapping[int, int]) -> None:
        self.name = name
        self.text = text
        self.claims = parse_claims(text)
        self.partner = partner
        self.limitations = [*_limitations(self.claims)]
        self.of_claim: list[list[int]] = [[] for _ in self.claims]
        for place, one in enumerate(self.limitations):
            self.of_claim[one.claim].append(place)
        tree = build_tree(self.claims)
        nodes, self.faults = tree.nodes, tree.faults
        self.parents = [node.parents for node in nodes]
        # "A system that carries out the method of claim 1" is independent in all but form.
        other_kind = other_category(self.claims)
        self.is_independent = [
            not node.parents or other_kind[index] for index, node in enumerate(nodes)
        ]
        self.is_activity = [claims_activity(claim) for claim in self.claims]
        self.above: list[frozenset[int]] = []
        for node in nodes:
            above = frozenset(node.parents).union(*(self.above[i] for i in node.parents))
            self.above.append(above)

    def keep(self, bags: list[list[str]], masks: WordMasks) -> None:
        """Keep the words of the limitations, and their bits."""
        self.bags = bags
        self.masks = [masks.of(bag) for bag in bags]
        self.starts = masks.starts
        self.ordinals = [ordinals_in(one.text) for one in self.limitations]
        self.forms = [_form_of(one.text) for one in self.limitations]

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

    def neighbours(self, renamed: Mapping[str, str]) -> list[frozenset[tuple[str, str]]]:
        """Return the pairs of neighbouring words of each claim."""
        return [
            frozenset(neighbours_in(read_wording(self.text, [(claim.start, claim.end)], renamed)))
            for claim in self.claims
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


def _limitations(claims: Sequence[Claim]) -> Iterator[_Limitation]:
    for index, claim in enumerate(claims):
        begin = claim.start + claim.body_offset
        features = split_features(claim.text[claim.body_offset :])
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
            yield _Limitation(index, start, end, whole, place == 0 and len(features) > 1)
            start = None


def _form_of(text: str) -> tuple[str, ...]:
    """Return the words of a limitation by which it equals another, word for word."""
    return tuple(
        key for key in read_unlabelled(text) if key.isalnum() and key not in ("the", "said")
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a limitation was found: the verdict, the claims and the limitations there."""

    verdict: Verdict
    claims: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    reason: str = ""
    scope: Scope = Scope.SAME


def read_chart(reference: str, candidate: str, language: str = "") -> Chart:
    """Return the claim chart of a candidate beside its reference.

    Inputs: two claim sets, and the language that their record names. Output: a row for each
    limitation of both sides. A limitation stands where at least 85 % of the weight of its content
    words do (a word weighs the more the fewer limitations hold it; a number weighs most), in one
    claim, with up to three limitations of it, or split over up to three claims that depend on one
    another; in part from 50 % on; nowhere below. The corresponding claim, as `align_claims` finds
    it, is preferred. Source: ours; figures in `benchmarks/RESULTS.md`.
    """
    claims = parse_claims(reference), parse_claims(candidate)
    rows = align_claims(*claims)
    pairs = tuple(
        (row.reference, row.candidate)
        for row in rows
        if row.reference is not None and row.candidate is not None
    )
    terms = find_term_changes(*claims, pairs)
    left = _Side(REFERENCE, reference, dict(pairs))
    right = _Side(CANDIDATE, candidate, {j: i for i, j in pairs})
    renamed = _renamed_stems(terms)
    languages = dict(
        zip((REFERENCE, CANDIDATE), languages_of_pair(reference, candidate, language), strict=True)
    )
    return Chart(
        _rows(left, right, renamed),
        pairs,
        terms,
        {
            side.name: find_antecedent_gaps(side.text)
            if is_read_as_english(languages[side.name])
            else ()
            for side in (left, right)
        },
        {side.name: side.faults for side in (left, right)},
        tuple(
            note for side in (left, right) for note in find_notes(side.name, side.text, side.claims)
        ),
    )


def _renamed_stems(terms: Iterable[TermChange]) -> dict[str, str]:
    """Return, by the stem of a name of the candidate, that of the reference's name."""
    found: dict[str, str] = {}
    for term in terms:
        old, new = term.reference.lower().split(), term.candidate.lower().split()
        if len(old) == len(new):
            found.update((stem(b), stem(a)) for a, b in zip(old, new, strict=True) if a != b)
    return found


def _rows(left: _Side, right: _Side, renamed: Mapping[str, str]) -> tuple[ChartRow, ...]:
    bags = (
        [bag_of(one.text) for one in left.limitations],
        [bag_of(one.text, renamed) for one in right.limitations],
    )
    masks = WordMasks([*bags[0], *bags[1]])
    left.keep(bags[0], masks)
    right.keep(bags[1], masks)
    places = _places(left, right), _places(right, left)
    _find_holders(left, right, *places)
    _find_holders(right, left, *places[::-1])
    judge = _Judge(left, right, bags, renamed, places)
    return (*judge.rows_of(left, right), *judge.rows_of(right, left))


def _places(own: _Side, other: _Side) -> list[_Place]:
    """Return where each limitation of one side stands in the other."""
    whole = [0] * len(other.claims)
    for place, one in enumerate(other.limitations):
        whole[one.claim] |= other.masks[place]
    places = [
        _Place(Verdict.NOWHERE)
        if own.limitations[place].is_preamble
        else _search(place, wanted, own, other, whole)
        for place, wanted in enumerate(own.wanted())
    ]
    for place, one in enumerate(own.limitations):
        if one.is_preamble:
            places[place] = _place_of_preamble(place, own, other, places)
    return places


def _search(place: int, wanted: Wanted, own: _Side, other: _Side, whole: list[int]) -> _Place:
    claim = own.limitations[place].claim
    partner = own.partner.get(claim)
    if partner is not None:
        for part in other.of_claim[partner]:
            if own.forms[place] and other.forms[part] == own.forms[place]:
                return _Place(Verdict.IN, (partner,), (part,))
    best = _best_claim(place, wanted, own, other, whole)
    if best is None:
        return _Place(Verdict.NOWHERE)
    index, found = best
    if found.share >= ENOUGH:
        verdict, reason = _verdict(claim, index, own, other)
        return _Place(verdict, (index,), found.parts, reason)
    if split := _split(wanted, index, found, other):
        return split
    # New words beside another subject are another limitation.
    given = [word for part in sorted(found.parts) for word in other.bags[part]]
    words = {*own.bags[place]}
    if 2 * len(words.intersection(given)) < len(words) or not shares_run(own.bags[place], given):
        return _Place(Verdict.NOWHERE)
    return _Place(Verdict.PART, (index,), found.parts)


def _best_claim(
    place: int, wanted: Wanted, own: _Side, other: _Side, whole: list[int]
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
    for index in sorted(range(len(most)), key=lambda i: (-rank(i, most[i]), i)):
        if most[index] < _IN_PART or (best and rank(index, most[index]) <= best[0]):
            break
        places = other.of_claim[index]
        if index != partner:
            places = [part for part in places if not other.limitations[part].is_preamble]
        found = cover(wanted, own.bags[place], places, other)
        words = [word for part in sorted(found.parts) for word in other.bags[part]]
        if index != partner and not (
            reads_alike(own.bags[place], words) and _counts_alike(place, found.parts, own, other)
        ):
            continue
        if found.share >= _IN_PART and (best is None or rank(index, found.share) > best[0]):
            best = rank(index, found.share), index, found
    return best[1:] if best else None


def _counts_alike(place: int, parts: Sequence[int], own: _Side, other: _Side) -> bool:
    """Return whether a place does not say "first" where the limitation says "second"."""
    wanted = own.ordinals[place]
    given = frozenset[str]().union(*(other.ordinals[part] for part in parts))
    return not wanted or not given or bool(wanted & given)


def _split(wanted: Wanted, index: int, found: Cover, other: _Side) -> _Place | None:
    """Return the claims that together hold a limitation, None where no few of them do."""
    total, others = wanted.total, other.masks
    for part in found.parts:
        wanted = wanted.without(others[part])
    claims, parts = [index], [*found.parts]
    while len(claims) < _MOST_CLAIMS and 1 - wanted.total / total < ENOUGH:
        near = [
            place
            for place, one in enumerate(other.limitations)
            if one.claim not in claims and other.are_related(one.claim, index)
        ]
        best = max(near, key=lambda place: wanted.weight_in(others[place]), default=None)
        if best is None or not adds(wanted, others[best], total):
            return None
        wanted = wanted.without(others[best])
        claims.append(other.limitations[best].claim)
        parts.append(best)
    if 1 - wanted.total / total < ENOUGH:
        return None
    return _Place(Verdict.SPLIT, tuple(claims), tuple(parts))


def _find_holders(own: _Side, other: _Side, places: list[_Place], back: Sequence[_Place]) -> None:
    """Say of limitations that stand nowhere, but of which the other side says a part, where."""
    holders: dict[int, list[int]] = {}
    for place, found in enumerate(back):
        is_telling = len({*other.bags[place]}) >= _TELLING
        if len(found.parts) == 1 and is_telling and not other.limitations[place].is_preamble:
            holders.setdefault(found.parts[0], []).append(place)
    for place, one in enumerate(own.limitations):
        if places[place].verdict is not Verdict.NOWHERE or one.is_preamble:
            continue
        partner = own.partner.get(one.claim)
        parts = [
            part
            for part in holders.get(place, ())
            if back[part].verdict is not Verdict.PART or other.limitations[part].claim == partner
        ]
        if parts:
            claim = other.limitations[parts[0]].claim
            same = tuple(part for part in parts if other.limitations[part].claim == claim)
            places[place] = _Place(Verdict.PART, (claim,), same)


def _verdict(claim: int, index: int, own: _Side, other: _Side) -> tuple[Verdict, str]:
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


def _place_of_preamble(place: int, own: _Side, other: _Side, places: Sequence[_Place]) -> _Place:
    """Return the preamble of the corresponding claim, or where the rest of the claim stands."""
    claim = own.limitations[place].claim
    partner = own.partner.get(claim)
    if partner is not None:
        scope, reason = _dependency(claim, partner, own, other)
        return _Place(Verdict.IN, (partner,), tuple(other.of_claim[partner][:1]), reason, scope)
    rest = [places[i] for i in own.of_claim[claim][1:]]
    found = [one for one in rest if one.verdict not in (Verdict.NOWHERE, Verdict.PART)]
    return replace(found[0], parts=()) if 2 * len(found) > len(rest) else _Place(Verdict.NOWHERE)


def _dependency(claim: int, partner: int, own: _Side, other: _Side) -> tuple[Scope, str]:
    """Compare what a claim and its counterpart depend on; the scope is that of the candidate."""
    parents, given = {*own.parents[claim]}, {*other.parents[partner]}
    is_of_reference = own.name == REFERENCE
    if not parents or not given:
        if not parents and not given:
            return Scope.SAME, ""
        # Without the claim that it depends on a claim has fewer limitations.
        scope = Scope.BROADER if bool(parents) == is_of_reference else Scope.NARROWER
        now = "now " * is_of_reference
        return scope, f"{now}depends on {other.names(given)}" if given else f"{now}independent"
    # Claims without a counterpart are no change by themselves.
    wanted = {own.partner[parent] for parent in parents if parent in own.partner}
    known = {index for index in given if index in other.partner}
    if wanted == known and (wanted or len(parents) == len(given)):
        return Scope.SAME, ""
    reason = f"depends on {other.names(given)}"
    if not wanted or not known:
        return Scope.UNSURE, reason
    return Scope.UNSURE, f"{reason}, not on {other.names(wanted)}"


class _Judge:
    """Compares the words of each limitation with those of its place."""

    def __init__(
        self,
        left: _Side,
        right: _Side,
        bags: tuple[list[list[str]], list[list[str]]],
        renamed: Mapping[str, str],
        places: tuple[list[_Place], list[_Place]],
    ) -> None:
        self._renamed = renamed
        self._places = {left.name: places[0], right.name: places[1]}
        self._bags = {left.name: bags[0], right.name: bags[1]}
        self._words = frozenset(read_wording(left.text, [(0, len(left.text))]).stems)
        self._neighbours = {
            left.name: left.neighbours({}),
            right.name: right.neighbours(renamed),
        }
        # By limitation: the limitations of the other side that stand in it.
        self._sharing: dict[str, dict[int, list[int]]] = {left.name: {}, right.name: {}}
        for own, other in ((left, right), (right, left)):
            for place, found in enumerate(self._places[own.name]):
                for part in found.parts:
                    self._sharing[other.name].setdefault(part, []).append(place)

    def rows_of(self, own: _Side, other: _Side) -> Iterator[ChartRow]:
        """Yield the rows of a side."""
        for place, one in enumerate(own.limitations):
            found = self._places[own.name][place]
            is_reference_back = one.is_preamble and bool(citations(one.text))
            says_nothing = is_reference_back or (
                one.is_preamble and not self._bags[own.name][place]
            )
            if says_nothing and one.claim not in own.partner:
                continue
            changes = () if is_reference_back else self._changes(place, own, other)
            scope = join_scopes([found.scope, *(change.scope for change in changes)])
            reasons = (found.reason, ", ".join(change.reason for change in changes))
            yield ChartRow(
                own.name,
                own.claims[one.claim].number,
                one.text,
                one.start,
                one.end,
                found.verdict,
                tuple(other.number(index) for index in found.claims),
                scope,
                "; ".join(filter(None, reasons)),
                tuple(
                    (other.limitations[part].start, other.limitations[part].end)
                    for part in found.parts
                ),
                changes,
            )

    def _changes(self, place: int, own: _Side, other: _Side) -> tuple[ScopeChange, ...]:
        found = self._places[own.name][place]
        one = own.limitations[place]
        if not found.parts:
            return ()
        parts = sorted(found.parts) if len(found.claims) == 1 else found.parts
        spans = [(other.limitations[part].start, other.limitations[part].end) for part in parts]
        around = {
            word
            for part in found.parts
            for beside in self._sharing[other.name].get(part, ())
            if beside != place
            for word in self._bags[own.name][beside]
        }
        is_of_reference = own.name == REFERENCE
        mine = read_wording(
            own.text, [(one.start, one.end)], {} if is_of_reference else self._renamed
        )
        theirs = read_wording(other.text, spans, self._renamed if is_of_reference else {})
        changes = (
            compare_scope(mine, theirs, around, self._context([one.claim], found.claims))
            if is_of_reference
            else compare_scope(theirs, mine, around, self._context(found.claims, [one.claim]))
        )
        if found.verdict is Verdict.PART:
            # Where words are dropped and all else is as it was, the limitation is there.
            clean = Scope.BROADER if is_of_reference else Scope.NARROWER
            if not changes or {change.scope for change in changes} != {clean}:
                return _lacking(mine, theirs, is_of_reference=is_of_reference)
        changes += _dropped_reference(one, spans, own, other)
        if self._is_mutual(place, own, other):
            return changes
        # What the place says besides is of other limitations.
        return tuple(
            change
            for change in changes
            if (change.reference_span if is_of_reference else change.candidate_span)
        )

    def _context(self, reference: Sequence[int], candidate: Sequence[int]) -> Context:
        """Return what some claims say around a limitation and its place."""
        known, given = self._neighbours[REFERENCE], self._neighbours[CANDIDATE]
        return Context(
            self._words,
            frozenset[tuple[str, str]]().union(*(known[claim] for claim in reference)),
            frozenset[tuple[str, str]]().union(*(given[claim] for claim in candidate)),
        )

    def _is_mutual(self, place: int, own: _Side, other: _Side) -> bool:
        """Return whether a limitation and its place are each other's only place."""
        parts = self._places[own.name][place].parts
        return len(parts) == 1 and self._places[other.name][parts[0]].parts == (place,)


def _dropped_reference(
    one: _Limitation, spans: Sequence[tuple[int, int]], own: _Side, other: _Side
) -> tuple[ScopeChange, ...]:
    """Return the claims that a limitation refers to where its place refers to none."""
    cited = citations(one.text)
    if not cited or any(citations(other.text[start:end]) for start, end in spans):
        return ()
    span = one.start + cited[0].start, one.start + cited[-1].end
    words = f"claim {own.text[slice(*span)]}"
    if own.name == REFERENCE:
        return (ScopeChange(words, "", Scope.BROADER, span, None),)
    return (ScopeChange("", words, Scope.NARROWER, None, span),)


def _lacking(own: Wording, place: Wording, *, is_of_reference: bool) -> tuple[ScopeChange, ...]:
    """Return what a place lacks of a limitation."""
    return tuple(
        ScopeChange(own.text[slice(*span)], "", Scope.UNSURE, span, None)
        if is_of_reference
        else ScopeChange("", own.text[slice(*span)], Scope.UNSURE, None, span)
        for span in lacking_words(own, place)
    )


__all__ = ["Chart", "ChartRow", "Scope", "Verdict", "join_scopes", "read_chart"]
