"""Owns what a reader sees of two claim sets side by side: rows, trees, limitations, marks.

Everything is derived from the two texts and nothing is changed: the pieces of each claim, joined,
are the claim, and the claims, joined, are the text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from annotator.claims import budget
from annotator.claims.alignment import align_claims
from annotator.claims.antecedents import missing_antecedents
from annotator.claims.compared_claims import (
    CANDIDATE,
    REFERENCE,
    ComparedClaim,
    Cuts,
    Pairs,
    compare_claims,
    words_of,
)
from annotator.claims.foreign_terms import foreign_terms
from annotator.claims.invisible import count_invisible, find_invisible
from annotator.claims.markers import find_markers
from annotator.claims.parsing import Claim, parse_claims
from annotator.claims.renamed_terms import renamed_terms
from annotator.claims.segments import Segment, Span, cut_segments
from annotator.claims.tree import Node, build_tree
from annotator.claims.word_diff import Kind

# The kinds of mark, as the screen names them in its classes.
ONLY_HERE: Final = "only-here"
FOREIGN: Final = "foreign"
NO_ANTECEDENT: Final = "no-antecedent"
RENAMED: Final = "renamed"
BROKEN: Final = "broken"


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
    """One claim set: its claims in their own order, its findings and its counts.

    `claim_count` is None where the text was too large to be cut into claims.
    """

    claims: tuple[ClaimView, ...]
    findings: tuple[Finding, ...]
    claim_count: int | None
    word_count: int
    mark_count: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Two claim sets and the rows that set their claims side by side.

    `notices` say in sentences which aids are off because the pair is larger than `budget` allows.
    A plain reading has one claim without number a side, which is the text.
    """

    reference: SideView
    candidate: SideView
    rows: tuple[tuple[ClaimView | None, ClaimView | None], ...]
    notices: tuple[str, ...] = ()
    is_plain: bool = False


def read_pair(reference: str, candidate: str) -> Reading:
    """Compare a candidate with its reference, claim by claim.

    Inputs: the two texts as stored. Output: views whose pieces joined are the texts, byte for
    byte. The marks are surface readings, a help for the eye and no verdict. What `budget` does
    not allow is left out, and said in `notices`.
    """
    too_large = _too_large(reference, candidate)
    if too_large:
        return read_plainly(reference, candidate, too_large)
    claims = {REFERENCE: parse_claims(reference), CANDIDATE: parse_claims(candidate)}
    rows = align_claims(claims[REFERENCE], claims[CANDIDATE])
    pairs, uncut = compare_claims(rows, claims)
    marks = (
        *(
            Span(t.start, t.end, FOREIGN, "not in the reference")
            for t in foreign_terms(reference, candidate)
        ),
        *_own_marks(candidate),
    )
    left = _side(REFERENCE, reference, claims[REFERENCE], _own_marks(reference), pairs)
    right = _side(CANDIDATE, candidate, claims[CANDIDATE], marks, pairs)
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
        _messages(uncut, _unshown(left, right)),
    )


def read_plainly(reference: str, candidate: str, *notices: str) -> Reading:
    """Show two texts as they are: nothing is cut, compared or marked but what nobody can see."""
    left, right = _plain_side(reference), _plain_side(candidate)
    row = (next(iter(left.claims), None), next(iter(right.claims), None))
    said = _messages(*notices, _unshown(left, right))
    return Reading(left, right, (row,) if any(row) else (), said, is_plain=True)


def plain(reading: Reading) -> Reading:
    """Return a reading with its texts as they are and the reasons that it had."""
    if reading.is_plain:
        return reading
    return read_plainly(_text(reading.reference), _text(reading.candidate), *reading.notices)


def _text(side: SideView) -> str:
    return "".join(
        claim.marker
        + "".join(piece.text for entry in claim.limitations for piece in entry.segments)
        for claim in side.claims
    )


def _too_large(reference: str, candidate: str) -> str:
    """Say that a pair is too large to be cut into claims; "" where it is not."""
    return budget.CHARACTERS.message(len(reference) + len(candidate)) or budget.CLAIMS.message(
        max(len(find_markers(text)) for text in (reference, candidate))
    )


def _unshown(*sides: SideView) -> str:
    return budget.MARKS.message(max(side.mark_count for side in sides))


def _messages(*notices: str) -> tuple[str, ...]:
    return tuple(notice for notice in notices if notice)


def _own_marks(text: str) -> tuple[Span, ...]:
    """Return the marks that a claim set earns by itself."""
    missing = missing_antecedents(text)
    return (
        *(
            Span(m.start, m.end, NO_ANTECEDENT, f"“{m.term}” is not introduced before")
            for m in missing
        ),
        *(
            Span(r.start, r.end, RENAMED, f"called “{r.first}” before")
            for r in renamed_terms(text, missing)
        ),
    )


def _side(
    side: str,
    text: str,
    claims: tuple[Claim, ...],
    marks: tuple[Span, ...],
    pairs: Pairs,
) -> SideView:
    tree = build_tree(claims)
    most = budget.MARKS.most
    spans = (
        *marks,
        *(Span(f.start, f.end, BROKEN, f.sentence) for f in tree.faults[:most]),
        *find_invisible(text, most),
    )
    by_claim = _by_claim(claims, sorted(spans, key=lambda item: item.start)[:most])
    views = tuple(
        _view(claim, node, by_claim[node.index], pairs[side, node.index])
        for claim, node in zip(claims, tree.nodes, strict=True)
    )
    findings = tuple(
        Finding(span.kind, _said(span, text), claims[index].number, span.start)
        for index, group in enumerate(by_claim)
        for span in group
    )
    return SideView(
        views,
        findings,
        sum(claim.number is not None for claim in claims),
        sum(len(words_of(claim).split()) for claim in claims),
        len(marks) + len(tree.faults) + count_invisible(text),
    )


def _plain_side(text: str) -> SideView:
    if not text:
        return SideView((), (), None, 0, 0)
    marks = find_invisible(text, budget.MARKS.most)
    claim = ClaimView(
        number=None,
        start=0,
        depth=0,
        marker="",
        limitations=(LimitationView("", cut_segments(text, 0, marks)),),
        parents=(),
        has_dependents=False,
        faults=(),
    )
    findings = tuple(Finding(span.kind, span.note, None, span.start) for span in marks)
    return SideView((claim,), findings, None, len(text.split()), count_invisible(text))


def _by_claim(claims: tuple[Claim, ...], spans: Iterable[Span]) -> tuple[list[Span], ...]:
    """Give marks, in order, to the claims in which they begin."""
    groups: tuple[list[Span], ...] = tuple([] for _ in claims)
    index = 0
    for span in spans:
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


def _view(claim: Claim, node: Node, marks: list[Span], compared: ComparedClaim) -> ClaimView:
    offset = claim.start + claim.body_offset
    words = words_of(claim)
    spans = [
        *marks,
        *(
            Span(offset + piece.start, offset + piece.end, ONLY_HERE)
            for piece in compared.pieces
            if piece.kind == Kind.ONLY_HERE
        ),
    ]
    spans.sort(key=lambda item: item.start)
    return ClaimView(
        number=claim.number,
        start=claim.start,
        depth=node.depth,
        marker=claim.text[: claim.body_offset],
        limitations=tuple(
            LimitationView(standing, cut_segments(words[a:b], offset + a, own))
            for (a, b, standing), own in _shared_out(compared.limitations, offset, spans)
        ),
        parents=claim.depends_on,
        has_dependents=bool(node.children),
        faults=tuple(mark.note for mark in marks if mark.kind == BROKEN),
    )


def _shared_out(
    cuts: Cuts, offset: int, spans: list[Span]
) -> Iterator[tuple[tuple[int, int, str], list[Span]]]:
    """Yield each limitation with the marks that reach into it; both stand in order."""
    reaching: list[Span] = []
    place = 0
    for cut in cuts:
        reaching = [span for span in reaching if span.end > offset + cut[0]]
        while place < len(spans) and spans[place].start < offset + cut[1]:
            reaching.append(spans[place])
            place += 1
        yield cut, reaching
