"""A planted edit: a pair of claim sets that differ by it, and what a chart must say of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.marks.claim_sets import Change, ClaimSet, Span, apply, content, moved


@dataclass(frozen=True, slots=True)
class Expected:
    """What the chart must say about an edit: a row's verdict, a term, a gap, a citation, nothing.

    `span` counts characters in the text before the edit, `claim` is a number after it. Rows of
    `also` may say something else than before, too.
    """

    finding: str
    span: Span = (0, 0)
    verdicts: tuple[str, ...] = ("in",)
    scopes: tuple[str, ...] = ()
    claim: int | None = None
    terms: tuple[str, str] = ("", "")
    also: Span = (0, 0)


@dataclass(frozen=True, slots=True)
class PlantedEdit:
    """A pair of claim sets that differ by one edit; spans count in the text of `side`.

    `touched` are the spans of the reference that the edit changed.
    """

    kind: str
    reference: str
    candidate: str
    side: str
    expected: Expected
    touched: tuple[Span, ...]
    before: str
    after: str


Proposal = tuple[list[Change], Expected]
Finder = Callable[[ClaimSet], Iterator[Proposal]]
NOTHING = Expected("nothing")


def row(
    span: Span, *verdicts: str, claim: int | None = None, scopes: tuple[str, ...] = ()
) -> Expected:
    """Return the expectation of one row's verdict, and of its scope where one is given."""
    return Expected("row", span, verdicts or ("in",), scopes, claim)


@dataclass(frozen=True, slots=True)
class EditKind:
    """One kind of edit; reversed, the edited text is the reference, the original the candidate."""

    name: str
    find: Finder
    is_reversed: bool = False
    scopes: Mapping[str, str] | None = None


_TURNED = {"broader": "narrower", "narrower": "broader", "": ""}


_ROUNDS = 6
_KEY = 25
_AROUND = 110


def plant(
    sets: Sequence[ClaimSet], kinds: Sequence[EditKind], count: int, seed: int
) -> list[PlantedEdit]:
    """Plant edits in claim sets, each set being the reference and, edited, the candidate.

    Of each kind as many, each in other words, chosen by the seed; others give what rare ones lack.
    """
    supply = {}
    for kind in kinds:
        proposals = [(claims, one) for claims in sets for one in kind.find(claims)]
        supply[kind.name] = [build(kind, *found) for found in _in_turn(kind, proposals, seed)]
    return _shares(supply, count)


def plant_in_pairs(
    pairs: Sequence[tuple[ClaimSet, ClaimSet]], kinds: Sequence[EditKind], count: int, seed: int
) -> list[PlantedEdit]:
    """Plant edits in candidates, in limitations that the reference has in the same words, once."""
    supply: dict[str, list[PlantedEdit]] = {}
    for kind in (one for one in kinds if not one.is_reversed):
        references: dict[str, list[ClaimSet]] = {}
        for reference, candidate in pairs:
            references.setdefault(candidate.text, []).append(reference)
        sets = list({candidate.text: candidate for _, candidate in pairs}.values())
        proposals = [(claims, one) for claims in sets for one in kind.find(claims)]
        supply[kind.name] = [
            edit
            for claims, one in _in_turn(kind, proposals, seed)
            for reference in references[claims.text][:1]
            for edit in build_in_pair(kind, reference, claims, one)
        ]
    return _shares(supply, count)


def _shares(supply: Mapping[str, list[PlantedEdit]], count: int) -> list[PlantedEdit]:
    taken = dict.fromkeys(supply, 0)
    while sum(taken.values()) < count:
        rest = [name for name, edits in supply.items() if taken[name] < len(edits)]
        if not rest:
            break
        taken[min(rest, key=lambda name: taken[name])] += 1
    return [edit for name, edits in supply.items() for edit in edits[: taken[name]]]


def _in_turn(
    kind: EditKind, proposals: list[tuple[ClaimSet, Proposal]], seed: int
) -> Iterator[tuple[ClaimSet, Proposal]]:
    """Yield proposals in random order, one of each claim set before a second of any."""
    draw = random.Random(f"{seed} {kind.name}")
    draw.shuffle(proposals)
    turns: Counter[str] = Counter()
    ordered = []
    for claims, proposal in proposals:
        turns[claims.text] += 1
        ordered.append((turns[claims.text], claims, proposal))
    seen: set[str] = set()
    for turn, claims, proposal in sorted(ordered, key=lambda item: item[0]):
        (start, end), terms = proposal[1].span, proposal[1].terms
        words = claims.text[max(0, start - _KEY) : end + _KEY] if end else f"{turn} {claims.text}"
        key = " ".join(terms) if terms[0] else words
        if turn <= _ROUNDS and key not in seen:
            seen.add(key)
            yield claims, proposal


def build(kind: EditKind, claims: ClaimSet, proposal: Proposal) -> PlantedEdit:
    """Return the pair of claim sets of one proposal, with what is expected of its chart."""
    changes, expected = proposal
    if expected.scopes:
        owner = claims.claim_at(expected.span[0])
        expected = replace(expected, claim=owner.number if owner else None)
    edited = apply(claims.text, changes)
    start, end = expected.span
    after = moved(start, changes), max(moved(start, changes), moved(end, changes))
    touched = [*(change[:2] for change in changes), expected.also]
    planted, side = expected, "reference"
    if kind.is_reversed:
        touched = [(moved(one, changes), moved(other, changes)) for one, other in touched]
        side = "candidate" if "nowhere" in expected.verdicts else "reference"
        scopes = tuple(_TURNED.get(scope, scope) for scope in expected.scopes)
        span = expected.span if side == "candidate" else after
        planted = replace(expected, scopes=scopes, span=span)
    elif expected.finding in ("gap", "citation"):
        planted, side = replace(expected, span=after), "candidate"
    spot = min((change[0] for change in changes), default=0)
    around = [
        " ".join(text[max(0, place - _AROUND) : place + 200].split())
        for text, place in ((claims.text, spot), (edited, moved(spot, changes)))
    ]
    texts = claims.text, edited
    if kind.is_reversed:
        around, texts = around[::-1], texts[::-1]
    return PlantedEdit(kind.name, *texts, side, planted, tuple(touched), *around)


def build_in_pair(
    kind: EditKind, reference: ClaimSet, candidate: ClaimSet, proposal: Proposal
) -> Iterator[PlantedEdit]:
    """Yield the edit of a candidate's limitation if both sets have it in one place of one kind."""
    edit = build(kind, candidate, proposal)
    span = candidate.limitation_at(proposal[1].span[0])
    known = reference.places_of(candidate.text[slice(*span)]) if span else []
    if edit.expected.also[1] or span is None or edit.expected.finding != "row" or len(known) != 1:
        return
    owners = reference.claim_at(known[0][0]), candidate.claim_at(span[0])
    is_same = len({bool(one.depends_on) for one in owners if one}) == 1
    is_plain = len(content(candidate.text[slice(*span)])) > 2
    is_whole = edit.expected.scopes or edit.expected.span[1] <= span[1] + 2
    if (
        is_same
        and is_plain
        and is_whole
        and len(candidate.places_of(candidate.text[slice(*span)])) == 1
    ):
        start = known[0][0]
        yield replace(
            edit,
            reference=reference.text,
            expected=replace(edit.expected, span=known[0]),
            touched=((0, len(reference.text)),),
            before=" ".join(reference.text[max(0, start - _AROUND) : start + 200].split()),
        )
