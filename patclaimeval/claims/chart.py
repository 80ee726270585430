"""The claim chart of a pair: where each limitation of one claim set stands in the other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from patclaimeval.claims.antecedents import AntecedentGap, find_antecedent_gaps
from patclaimeval.claims.coverage import WordMasks
from patclaimeval.claims.languages import is_read_as_english, languages_of_pair
from patclaimeval.claims.ledger import TermChange, find_term_changes
from patclaimeval.claims.notes import Note, spans_without_claims
from patclaimeval.claims.pairing import Row, align_claims
from patclaimeval.claims.parsing import citations, parse_claims
from patclaimeval.claims.placing import INCOMPLETE, Place, Verdict, find_places
from patclaimeval.claims.preambles import PreambleMismatch, find_preamble_mismatches
from patclaimeval.claims.scope import (
    Around,
    Classes,
    Context,
    Difference,
    compare_scope,
    differences_of,
    lacking_words,
)
from patclaimeval.claims.scope_certainty import (
    Said,
    ScopeChange,
    change_of_side,
    describe,
    quote,
)
from patclaimeval.claims.scope_rules import Scope, join_scopes
from patclaimeval.claims.sides import CANDIDATE, REFERENCE, ClaimSide, read_set
from patclaimeval.claims.tree import Fault
from patclaimeval.claims.wording import Wording, join_wordings
from patclaimeval.claims.words import stem, token_key


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
    differences: tuple[Difference, ...] = ()
    corresponds: bool = False
    """Whether the first of the claims is the one that corresponds to its own."""

    @property
    def label(self) -> str:
        """Say in a few words what became of the limitation; "" where it is as it was."""
        scope = _SCOPES[self.scope]
        numbers = [str(number) for number in self.where if number]
        claims = f"claim{'s' * (len(numbers) > 1)} {', '.join(numbers)}" if numbers else "the text"
        if self.verdict is Verdict.IN and self.corresponds:
            return scope
        texts = _OF_REFERENCE if self.side == REFERENCE else _OF_CANDIDATE
        place = texts[self.verdict].format(claims=claims)
        return f"{place}, {scope}" if scope and self.verdict not in INCOMPLETE else place


# A place is read again for each limitation that stands in it: so many words in all.
_MOST_WORDS: Final = 100_000
# At most so many limitations, of a claim and those above it, are searched for words that are gone.
_MOST_SEARCHED: Final = 200
_ROW: Final = ("side", "claim", "limitation", "start", "end", "verdict")
_LEAST_RENAMED: Final = 2
_SCOPES: Final = {
    Scope.SAME: "",
    Scope.BROADER: "broader",
    Scope.NARROWER: "narrower",
    Scope.DIFFERENT: "different",
    Scope.UNSURE: "changed",
}
_OF_REFERENCE: Final = {
    Verdict.IN: "in {claims}",
    Verdict.DEMOTED: "demoted to dependent {claims}",
    Verdict.PROMOTED: "promoted to independent {claims}",
    Verdict.SPLIT: "split over {claims}",
    Verdict.MERGED: "merged into {claims}",
    Verdict.PART: "in part in {claims}",
    Verdict.SIMILAR: "similar words in {claims}",
    Verdict.NOWHERE: "nowhere",
}
_OF_CANDIDATE: Final = {
    Verdict.IN: "from {claims}",
    Verdict.DEMOTED: "demoted from independent {claims}",
    Verdict.PROMOTED: "promoted from dependent {claims}",
    Verdict.SPLIT: "split from {claims}",
    Verdict.MERGED: "merged from {claims}",
    Verdict.PART: "in part from {claims}",
    Verdict.SIMILAR: "similar words in {claims}",
    Verdict.NOWHERE: "added",
}
# A verdict says what the candidate did, whichever side the row is of.
_SEEN_BACK: Final = {
    Verdict.DEMOTED: Verdict.PROMOTED,
    Verdict.PROMOTED: Verdict.DEMOTED,
    Verdict.SPLIT: Verdict.MERGED,
    Verdict.MERGED: Verdict.SPLIT,
}


@dataclass(frozen=True, slots=True)
class Chart:
    """Two claim sets compared: limitations both ways, terms, antecedents, citations and notes.

    `alignment` sets the claims side by side, as `align_claims` does; `antecedents`,
    `preambles` and `citations` have the findings of each side, by its name.
    """

    rows: tuple[ChartRow, ...]
    alignment: tuple[Row, ...]
    terms: tuple[TermChange, ...]
    antecedents: Mapping[str, tuple[AntecedentGap, ...]]
    preambles: Mapping[str, tuple[PreambleMismatch, ...]]
    citations: Mapping[str, tuple[Fault, ...]]
    notes: tuple[Note, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the chart as `patclaimeval chart --json` prints it; offsets count characters."""
        return {
            "rows": [
                {
                    **{name: getattr(row, name) for name in _ROW},
                    "where": list(row.where),
                    "scope": str(row.scope),
                    "reason": row.reason,
                }
                for row in self.rows
            ],
            "terms": [
                {
                    "reference": term.reference,
                    "candidate": term.candidate,
                    "replaced": term.replaced,
                    "of": term.of,
                    "verdict": str(term.verdict),
                }
                for term in self.terms
            ],
            "antecedents": [
                {
                    "side": side,
                    "claim": gap.claim,
                    "phrase": gap.phrase,
                    "start": gap.start,
                    "end": gap.end,
                    "path": list(gap.path),
                }
                for side, found in self.antecedents.items()
                for gap in found
            ],
            "preambles": [
                {"side": side, **asdict(one)}
                for side, found in self.preambles.items()
                for one in found
            ],
            "citations": [
                {
                    "side": side,
                    "claim": fault.number,
                    "start": fault.start,
                    "end": fault.end,
                    "sentence": fault.sentence,
                }
                for side, found in self.citations.items()
                for fault in found
            ],
            "notes": [f"{note.side}: {note.sentence}" for note in self.notes],
        }

    def lines(self) -> Iterator[str]:
        """Yield what a command prints: notes, then what is not as in the reference."""
        for note in self.notes:
            yield f"{note.side}: {note.sentence}"
        for row in self.rows:
            if row.label:
                words = " ".join(row.limitation.split())
                yield f"{row.side} {row.claim}: {words}"
                yield f"    {row.label}{': ' * bool(row.reason)}{row.reason}"
        for term in self.terms:
            yield (
                f"{term.reference} -> {term.candidate}: {term.replaced} of {term.of}, "
                f"{term.verdict}"
            )
        for side, gaps in self.antecedents.items():
            for gap in gaps:
                on = f" on claim {', '.join(map(str, gap.path))}" if gap.path else ""
                yield f"{side} {gap.claim}: “{gap.phrase}” lacks antecedent basis{on}"
        for side, mismatches in self.preambles.items():
            yield from (f"{side} {one.claim}: {one.sentence}" for one in mismatches)
        for side, faults in self.citations.items():
            yield from (f"{side}: {fault.sentence}" for fault in faults)


def read_chart(reference: str, candidate: str, language: str = "") -> Chart:
    """Return the claim chart of a candidate beside its reference.

    Inputs: two claim sets, and the language that their record names. Output: a row for each
    limitation of both sides. A limitation stands where at least 85 % of the weight of its content
    words do (a word weighs the more the fewer limitations hold it; a number weighs most), in one
    claim, with up to three limitations of it, or split over up to three claims that depend on one
    another; in part from 50 % on if it is about the same; below, the most similar words are pointed
    to, if they are many, or it is nowhere. The corresponding claim, as `align_claims` finds
    it, is preferred. Whether a change makes a claim broader is said of English alone. Source:
    ours; figures in `benchmarks/RESULTS.md`.
    """
    claims = parse_claims(reference), parse_claims(candidate)
    rows = align_claims(*claims)
    pairs = tuple(
        (row.reference, row.candidate)
        for row in rows
        if row.reference is not None and row.candidate is not None
    )
    terms = find_term_changes(*claims, pairs)
    renamed = _renamed_stems(terms)
    left = ClaimSide(REFERENCE, reference, dict(pairs), {})
    right = ClaimSide(CANDIDATE, candidate, {j: i for i, j in pairs}, renamed)
    sets = read_set(REFERENCE, reference), read_set(CANDIDATE, candidate)
    remarks = [spans_without_claims(one.notes) for one in sets]
    masks = WordMasks([*left.bags, *right.bags])
    left.keep(masks)
    right.keep(masks)
    languages = dict(
        zip((REFERENCE, CANDIDATE), languages_of_pair(reference, candidate, language), strict=True)
    )
    return Chart(
        _rows(left, right, judges_scope=all(map(is_read_as_english, languages.values()))),
        rows,
        terms,
        {
            side.name: tuple(
                gap
                for gap in find_antecedent_gaps(side.text)
                if gap.is_certain and not any(low <= gap.start < high for low, high in spans)
            )
            if is_read_as_english(languages[side.name])
            else ()
            for side, spans in zip((left, right), remarks, strict=True)
        },
        {
            side.name: find_preamble_mismatches(side.text)
            if is_read_as_english(languages[side.name])
            else ()
            for side in (left, right)
        },
        {REFERENCE: sets[0].tree.faults, CANDIDATE: sets[1].tree.faults},
        (*sets[0].notes, *sets[1].notes),
    )


def _renamed_stems(terms: Iterable[TermChange]) -> dict[str, str]:
    """Return, by the stem of a name of the candidate, that of the reference's name."""
    found: dict[str, str] = {}
    for term in terms:
        # Where a word was exchanged once, it is as likely another thing as another name.
        if term.replaced < _LEAST_RENAMED:
            continue
        old, new = (
            [stem(token_key(w)) for w in name.split()] for name in (term.reference, term.candidate)
        )
        if len(old) == len(new):
            found.update((b, a) for a, b in zip(old, new, strict=True) if a != b)
        elif new[-1] not in old:
            # Of names of unequal length the nouns stand for one another.
            found[new[-1]] = old[-1]
    return found


def _rows(left: ClaimSide, right: ClaimSide, *, judges_scope: bool) -> tuple[ChartRow, ...]:
    judge = _Judge(left, right, find_places(left, right), judges_scope=judges_scope)
    return (*judge.rows_of(left, right), *judge.rows_of(right, left))


class _Judge:
    """Compares the words of each limitation with those of its place."""

    def __init__(
        self,
        left: ClaimSide,
        right: ClaimSide,
        places: tuple[list[Place], list[Place]],
        *,
        judges_scope: bool,
    ) -> None:
        self._judges_scope = judges_scope
        self._places = {left.name: places[0], right.name: places[1]}
        self._bags = {left.name: left.bags, right.name: right.bags}
        self._words = frozenset(word for one in left.wordings for word in one.stems)
        self._sides = {side.name: side for side in (left, right)}
        # What a limitation and its place differ in, where each is the only place of the other.
        self._mutual: dict[tuple[int, int], _Compared] = {}
        # By limitation: the limitations of the other side that stand in it.
        self._sharing: dict[str, dict[int, list[int]]] = {left.name: {}, right.name: {}}
        for own, other in ((left, right), (right, left)):
            for place, found in enumerate(self._places[own.name]):
                for part in found.parts:
                    self._sharing[other.name].setdefault(part, []).append(place)
        self._held: dict[tuple[str, int], Counter[str]] = {}
        self._pairs: dict[tuple[str, tuple[int, ...]], frozenset[tuple[str, str]]] = {}

    def rows_of(self, own: ClaimSide, other: ClaimSide) -> Iterator[ChartRow]:
        """Yield the rows of a side."""
        for place, one in enumerate(own.limitations):
            found = self._places[own.name][place]
            is_reference_back = one.is_preamble and bool(citations(one.text))
            says_nothing = is_reference_back or (
                one.is_preamble and not self._bags[own.name][place]
            )
            if says_nothing and one.claim not in own.partner:
                continue
            is_crowded = self._is_crowded(place, own, other)
            changes, differences = ((), ()) if is_crowded else self._changes(place, own, other)
            scope = join_scopes([found.scope, *(change.scope for change in changes)])
            if is_crowded or (
                scope is not Scope.SAME and not self._is_sure(place, own, other, changes)
            ):
                scope = Scope.UNSURE
            is_lacking = found.verdict in INCOMPLETE and scope is Scope.UNSURE
            said = quote(changes) if is_lacking else describe(changes)
            verdict = found.verdict
            if verdict is Verdict.PART and not (changes or found.reason):
                # Nothing is lacking: its words are all there.
                verdict = Verdict.IN
            lacks = "lacks " if own.name == REFERENCE else "adds "
            reasons = (found.reason, f"{lacks * bool(is_lacking and said)}{said}")
            yield ChartRow(
                own.name,
                own.claims[one.claim].number,
                one.text,
                one.start,
                one.end,
                verdict if own.name == REFERENCE else _SEEN_BACK.get(verdict, verdict),
                tuple(other.number(index) for index in found.claims),
                scope,
                "; ".join(filter(None, reasons)),
                tuple(
                    (other.limitations[part].start, other.limitations[part].end)
                    for part in found.parts
                ),
                changes,
                differences,
                bool(found.claims) and own.partner.get(one.claim) == found.claims[0],
            )

    def _is_sure(
        self, place: int, own: ClaimSide, other: ClaimSide, changes: Sequence[ScopeChange]
    ) -> bool:
        """Return whether the scope of a limitation can be told: it has its place to itself."""
        found, claim = self._places[own.name][place], own.limitations[place].claim
        partner = own.partner.get(claim)
        is_there = found.verdict is Verdict.IN and found.claims == (partner,)
        if not self._judges_scope or not is_there or partner is None:
            return False
        if own.is_activity[claim] != other.is_activity[partner]:
            return False
        both = own.limitations[place], *(other.limitations[at] for at in found.parts)
        if found.scope is Scope.SAME and not any(citations(one.text) for one in both):
            return self._is_mutual(place, own, other)
        # With another back-reference a claim is broader or narrower if nothing else was changed.
        return not changes and all(
            self._places[side.name][at].claims == (opposite,)
            and not self._changes(at, side, beside)[0]
            for side, beside, one, opposite in (
                (own, other, claim, partner),
                (other, own, partner, claim),
            )
            for at in side.of_claim[one]
        )

    def _changes(
        self, place: int, own: ClaimSide, other: ClaimSide
    ) -> tuple[tuple[ScopeChange, ...], tuple[Difference, ...]]:
        found = self._places[own.name][place]
        if not found.parts:
            return (), ()
        is_of_reference = own.name == REFERENCE
        parts = sorted(found.parts)
        mine, theirs = own.wordings[place], join_wordings([other.wordings[i] for i in parts])
        is_mutual = self._is_mutual(place, own, other)
        pair = (place, parts[0]) if is_of_reference else (parts[0], place)
        if is_mutual and pair in self._mutual:
            changes, classes = self._mutual[pair]
        else:
            changes, classes = self._compare(place, own, mine, theirs, is_alone=is_mutual)
        if is_mutual:
            self._mutual[pair] = changes, classes
        if found.verdict in INCOMPLETE:
            changes = tuple(
                change_of_side(span, own.text, is_of_reference=is_of_reference)
                for span in lacking_words(mine, theirs.counts)
            )
            classes = {}, {}
        else:
            changes += _dropped_reference(place, parts, own, other)
        spans = [one.reference_span if is_of_reference else one.candidate_span for one in changes]
        if not is_mutual:
            # What the place says besides is of other limitations.
            changes = tuple(one for one, span in zip(changes, spans, strict=True) if span)
        return changes, differences_of(mine, classes[not is_of_reference], spans)

    def _compare(
        self, place: int, own: ClaimSide, mine: Wording, theirs: Wording, *, is_alone: bool
    ) -> "_Compared":
        found, claim = self._places[own.name][place], own.limitations[place].claim
        other = CANDIDATE if own.name == REFERENCE else REFERENCE
        sharing = self._sharing[other]
        beside = [self._held_by(other, part) for part in found.parts if len(sharing[part]) > 1]
        around = Around(beside, frozenset(self._bags[own.name][place]))
        if own.name == REFERENCE:
            context = self._context((claim,), found.claims, is_alone=is_alone)
            return compare_scope(mine, theirs, around, context)
        context = self._context(found.claims, (claim,), is_alone=is_alone)
        return compare_scope(theirs, mine, around, context)

    def _held_by(self, name: str, part: int) -> Counter[str]:
        """Return how many of the limitations that stand in a limitation have a word."""
        if (name, part) not in self._held:
            other = CANDIDATE if name == REFERENCE else REFERENCE
            self._held[name, part] = Counter(
                word
                for place in self._sharing[name].get(part, ())
                for word in frozenset(self._bags[other][place])
            )
        return self._held[name, part]

    def _context(
        self, reference: tuple[int, ...], candidate: tuple[int, ...], *, is_alone: bool
    ) -> Context:
        """Return what some claims say around a limitation and its place."""
        return Context(
            self._words,
            self._pairs_of(REFERENCE, reference),
            self._pairs_of(CANDIDATE, candidate),
            (self._above(REFERENCE, reference), self._above(CANDIDATE, candidate)),
            is_alone,
        )

    def _above(self, name: str, claims: tuple[int, ...]) -> Said:
        """Return what some claims, and those that they depend on, say."""
        side = self._sides[name]
        known = frozenset[int]().union(claims, *(side.above[claim] for claim in claims))
        places = [place for claim in sorted(known) for place in side.of_claim[claim]]
        return Said([side.wordings[place].counts for place in places[:_MOST_SEARCHED]])

    def _pairs_of(self, name: str, claims: tuple[int, ...]) -> frozenset[tuple[str, str]]:
        if (name, claims) not in self._pairs:
            pairs = (self._sides[name].neighbours[claim] for claim in claims)
            self._pairs[name, claims] = frozenset[tuple[str, str]]().union(*pairs)
        return self._pairs[name, claims]

    def _is_crowded(self, place: int, own: ClaimSide, other: ClaimSide) -> bool:
        """Return whether the places of a limitation are too long, for too many, to be compared."""
        sharing, parts = self._sharing[other.name], self._places[own.name][place].parts
        words = (len(other.wordings[part].keys) * len(sharing[part]) for part in parts)
        return sum(words) > _MOST_WORDS and not self._is_mutual(place, own, other)

    def _is_mutual(self, place: int, own: ClaimSide, other: ClaimSide) -> bool:
        """Return whether a limitation and its place are each other's only place."""
        parts = self._places[own.name][place].parts
        return len(parts) == 1 and self._places[other.name][parts[0]].parts == (place,)


_Compared = tuple[tuple[ScopeChange, ...], Classes]


def _dropped_reference(
    place: int, parts: Sequence[int], own: ClaimSide, other: ClaimSide
) -> tuple[ScopeChange, ...]:
    """Return the claims that a limitation refers to where its place refers to none."""
    one = own.limitations[place]
    if one.is_preamble:
        # That is said of the claim.
        return ()
    cited = citations(one.text) if any(map(str.isdigit, one.text)) else ()
    claims = {other.limitations[part].claim for part in parts}
    if not cited or any(citations(other.claims[claim].text) for claim in claims):
        return ()
    span = one.start + cited[0].start, one.start + cited[-1].end
    change = change_of_side(span, own.text, is_of_reference=own.name == REFERENCE)
    words = f"claim{'s' * (len(cited) > 1)} {own.text[slice(*span)]}"
    if own.name == REFERENCE:
        return (replace(change, reference=words),)
    return (replace(change, candidate=words),)


__all__ = ["Chart", "ChartRow", "Scope", "Verdict", "join_scopes", "read_chart"]
