"""Owns what a reader sees of two claim sets side by side: rows, trees, limitations, marks.

Everything is derived from the two texts and nothing is changed: the pieces of each claim, joined,
are the claim, and the claims, joined, are the text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from annotator.claims.alignment import Row, align_claims
from annotator.claims.antecedents import missing_antecedents
from annotator.claims.features import split_features
from annotator.claims.foreign_terms import foreign_terms
from annotator.claims.invisible import find_invisible
from annotator.claims.limitations import LimitationPair, Standing, align_limitations
from annotator.claims.parsing import Claim, parse_claims
from annotator.claims.renamed_terms import renamed_terms
from annotator.claims.segments import Segment, Span, cut_segments
from annotator.claims.tree import ClaimTree, build_tree
from annotator.claims.word_diff import Kind, Piece, diff_words

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"
# The kinds of mark, as the screen names them in its classes.
ONLY_HERE: Final = "only-here"
FOREIGN: Final = "foreign"
NO_ANTECEDENT: Final = "no-antecedent"
RENAMED: Final = "renamed"
BROKEN: Final = "broken"
# Above this many characters in both texts together, words are read and nothing is compared: an
# answer within a second is worth more than marks that nobody could look through.
LARGEST_COMPARED: Final = 400_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One mark in words, for the list below a pane: what, in which claim, at which place."""

    kind: str
    words: str
    claim: int | None
    start: int


@dataclass(frozen=True, slots=True)
class LimitationView:
    """One limitation with its standing against the other side ("" when not compared)."""

    standing: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim: marker and limitations joined are its text; parents and children are numbers."""

    number: int | None
    start: int
    depth: int
    marker: str
    limitations: tuple[LimitationView, ...]
    parents: tuple[int, ...]
    has_dependents: bool
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideView:
    """One claim set: its claims in their own order, its findings and its counts."""

    claims: tuple[ClaimView, ...]
    findings: tuple[Finding, ...]
    claim_count: int
    word_count: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Two claim sets and the rows that set their claims side by side."""

    reference: SideView
    candidate: SideView
    rows: tuple[tuple[ClaimView | None, ClaimView | None], ...]


def read_pair(reference: str, candidate: str) -> Reading:
    """Compare a candidate with its reference, claim by claim.

    Inputs: the two texts as stored. Output: views whose pieces joined are the texts, byte for
    byte. The marks are surface readings, a help for the eye and no verdict. Texts of more than
    400,000 characters together are cut into claims and not compared.
    """
    claims = {REFERENCE: parse_claims(reference), CANDIDATE: parse_claims(candidate)}
    rows = align_claims(claims[REFERENCE], claims[CANDIDATE])
    is_compared = len(reference) + len(candidate) <= LARGEST_COMPARED
    pairs = _compared(rows, claims) if is_compared else {}
    foreign = foreign_terms(reference, candidate) if is_compared else ()
    marks = {
        REFERENCE: _own_marks(reference) if is_compared else (),
        CANDIDATE: (
            *(Span(t.start, t.end, FOREIGN, "not in the reference") for t in foreign),
            *(_own_marks(candidate) if is_compared else ()),
        ),
    }
    left = _side(REFERENCE, reference, claims[REFERENCE], marks[REFERENCE], pairs)
    right = _side(CANDIDATE, candidate, claims[CANDIDATE], marks[CANDIDATE], pairs)
    return Reading(
        left,
        right,
        tuple(
            (
                None if row.reference is None else left.claims[row.reference],
                None if row.candidate is None else right.claims[row.candidate],
            )
            for row in rows
        ),
    )


def read_alone(text: str) -> SideView:
    """Read one claim set by itself: its claims, tree, faults and antecedents, no comparison."""
    marks = _own_marks(text) if len(text) <= LARGEST_COMPARED else ()
    return _side(CANDIDATE, text, parse_claims(text), marks, {})


@dataclass(frozen=True, slots=True)
class _Compared:
    """What comparing a pair says of one claim: its different words and its limitations.

    Offsets count from the start of the claim's words, behind its number.
    """

    pieces: tuple[Piece, ...]
    limitations: "_Cuts"


# Start, end and standing of each limitation; "" where nothing was compared.
_Cuts = tuple[tuple[int, int, str], ...]
_Pairs = Mapping[tuple[str, int], _Compared]


def _compared(rows: Iterable[Row], claims: Mapping[str, tuple[Claim, ...]]) -> _Pairs:
    found: dict[tuple[str, int], _Compared] = {}
    for row in rows:
        if row.reference is None or row.candidate is None:
            side = REFERENCE if row.candidate is None else CANDIDATE
            index = row.reference if row.candidate is None else row.candidate
            assert index is not None
            alone = _words(claims[side][index])
            standing = Standing.MISSING if side == REFERENCE else Standing.ADDED
            # That all of it stands on one side only is said once, not for every word.
            found[side, index] = _Compared((), _features(alone, standing))
            continue
        texts = _words(claims[REFERENCE][row.reference]), _words(claims[CANDIDATE][row.candidate])
        here, there = diff_words(*texts)
        pairs = align_limitations(*texts)
        found[REFERENCE, row.reference] = _Compared(here, _standings(pairs, REFERENCE))
        found[CANDIDATE, row.candidate] = _Compared(there, _standings(pairs, CANDIDATE))
    return found


def _features(words: str, standing: str) -> _Cuts:
    """Return the limitations of a claim that has no counterpart."""
    return tuple((item.start, item.end, standing) for item in split_features(words))


def _standings(pairs: Iterable[LimitationPair], side: str) -> _Cuts:
    """Return one side's limitations in the order of its own text."""
    own = ((p.reference if side == REFERENCE else p.candidate, p.standing) for p in pairs)
    return tuple(sorted((entry.start, entry.end, standing) for entry, standing in own if entry))


def _words(claim: Claim) -> str:
    return claim.text[claim.body_offset :]


def _own_marks(text: str) -> tuple[Span, ...]:
    """Return the marks that a claim set earns by itself."""
    return (
        *(
            Span(m.start, m.end, NO_ANTECEDENT, f"“{m.term}” is not introduced before")
            for m in missing_antecedents(text)
        ),
        *(Span(r.start, r.end, RENAMED, f"called “{r.first}” before") for r in renamed_terms(text)),
    )


def _side(
    side: str,
    text: str,
    claims: tuple[Claim, ...],
    marks: tuple[Span, ...],
    pairs: _Pairs,
) -> SideView:
    tree = build_tree(claims)
    faults = tuple(Span(f.start, f.end, BROKEN, f.sentence) for f in tree.faults)
    spans = (*marks, *faults, *find_invisible(text))
    by_claim = _by_claim(claims, spans)
    views = tuple(
        _view(side, index, claim, tree, by_claim[index], pairs)
        for index, claim in enumerate(claims)
    )
    findings = tuple(
        Finding(span.kind, _said(span, text), claims[index].number, span.start)
        for index, group in enumerate(by_claim)
        for span in sorted(group, key=lambda item: item.start)
    )
    return SideView(
        views,
        findings,
        sum(claim.number is not None for claim in claims),
        sum(len(_words(claim).split()) for claim in claims),
    )


def _by_claim(claims: tuple[Claim, ...], spans: Iterable[Span]) -> tuple[list[Span], ...]:
    """Sort marks to the claims in which they begin."""
    groups: tuple[list[Span], ...] = tuple([] for _ in claims)
    index = 0
    for span in sorted(spans, key=lambda item: item.start):
        while index + 1 < len(claims) and span.start >= claims[index].end:
            index += 1
        if claims:
            groups[index].append(span)
    return groups


def _said(span: Span, text: str) -> str:
    if span.kind == FOREIGN:
        return text[span.start : span.end]
    if span.kind == RENAMED:
        return f"“{text[span.start : span.end]}”, {span.note}"
    return span.note


def _view(
    side: str,
    index: int,
    claim: Claim,
    tree: ClaimTree,
    marks: list[Span],
    pairs: _Pairs,
) -> ClaimView:
    node = tree.nodes[index]
    offset = claim.start + claim.body_offset
    words = _words(claim)
    compared = pairs.get((side, index))
    spans = list(marks)
    if compared:
        spans += [
            Span(offset + piece.start, offset + piece.end, ONLY_HERE)
            for piece in compared.pieces
            if piece.kind == Kind.ONLY_HERE
        ]
    cuts = compared.limitations if compared else _features(words, "")
    return ClaimView(
        number=claim.number,
        start=claim.start,
        depth=node.depth,
        marker=claim.text[: claim.body_offset],
        limitations=tuple(
            LimitationView(standing, cut_segments(words[a:b], offset + a, spans))
            for a, b, standing in cuts
        ),
        parents=claim.depends_on,
        has_dependents=bool(node.children),
        faults=tuple(fault.sentence for fault in tree.faults if fault.claim == index),
    )
