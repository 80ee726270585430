"""What a reader sees of two claim sets side by side: rows, trees, limitations, marks.

Everything is derived from the two texts and nothing is changed: the pieces of each claim, joined,
are the claim, and the claims, joined, are the text.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.antecedents import find_antecedent_gaps
from patclaimeval.claims.change_classes import CLASSES, Change
from patclaimeval.claims.comparing import (
    CANDIDATE,
    REFERENCE,
    ComparedClaim,
    Cuts,
    Limit,
    Pairs,
    Sides,
    claim_body,
    compare_claims,
    cut_alone,
    read_side,
)
from patclaimeval.claims.invisible import count_invisible, find_invisible
from patclaimeval.claims.languages import (
    has_no_blanks,
    is_read_as_english,
    language_name,
    language_note,
    language_of,
    languages_of_pair,
    words,
)
from patclaimeval.claims.mark_kinds import (
    BROKEN,
    CERTAIN,
    FOREIGN,
    LIKELY_BASIS,
    MISREAD,
    NO_ANTECEDENT,
    RENAMED,
    SIGN,
)
from patclaimeval.claims.pairing import align_claims, other_category
from patclaimeval.claims.parsing import CITED_IN, Claim, find_markers, parse_claims
from patclaimeval.claims.segments import Segment, Span, cut_segments
from patclaimeval.claims.sharing import Shared, Sharing, phrase_of
from patclaimeval.claims.term_changes import foreign_terms, renamed_terms
from patclaimeval.claims.tree import build_tree, misread_faults

_PLAIN = "claims are not set side by side, and no differences, limitations or terms are marked."

# Both texts together. The parts that read words take 2 to 3 microseconds a character and some 200
# bytes of memory each.
CHARACTERS: Final = Limit(200_000, "This pair has {count:,} characters; above {most:,} " + _PLAIN)
# Of either text. The page pays a tenth of a millisecond for each, and "any preceding claim" links
# each with up to 200 before it.
CLAIMS: Final = Limit(1_000, "A text of this pair has {count:,} claims; above {most:,} " + _PLAIN)
# Of either text. Each is an entry of the list beside the text and a mark in it, and a text with
# thousands of them is no longer read by its marks.
MARKS: Final = Limit(
    2_000, "A text of this pair has {count:,} marks; the first {most:,} are shown."
)


# How the screen names differences in its classes. One that is none of substance is ONLY and its
# class: "only-signs".
ONLY: Final = "only-"
ONLY_HERE: Final = "only-here"


@dataclass(frozen=True, slots=True)
class Finding:
    """One mark as text, for the list below a pane: what, in which claim, at which place."""

    kind: str
    words: str
    claim: int | None
    start: int

    @property
    def is_certain(self) -> bool:
        """Whether marks of its kind are shown whenever marks are."""
        return self.kind in CERTAIN


@dataclass(frozen=True, slots=True)
class LimitationView:
    """One limitation with its standing against the other side ("" when not compared).

    `note` says which of several candidates lack it.
    """

    standing: str
    segments: tuple[Segment, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim: marker and limitations joined are its text; parents and children are numbers."""

    number: int | None
    start: int
    depth: int
    marker: str
    limitations: tuple[LimitationView, ...]
    parents: tuple[int, ...]
    faults: tuple[str, ...]
    is_moved: bool = False
    """Whether it stands elsewhere in the order than its counterpart."""
    is_of_other_category: bool = False
    """Whether it cites claims of another category only, as a method that makes a product."""
    sharing: Sharing | None = None
    """Whether the candidate has it in several claims, or has several claims as one."""
    share: str = ""
    """Which claims these are, as a phrase: "merged into claim 1 of the candidate"."""


@dataclass(frozen=True, slots=True)
class SideView:
    """One claim set: its claims in their own order, its findings and its counts.

    `claim_count` is None where the text was too large to be cut into claims. `unit` is what
    `word_count` counts: words, or characters. `unchecked` is which marks there are none of, because
    the language is not read; "" where all were looked for. `language_note` says how the language
    was found, where a reader should know.
    """

    claims: tuple[ClaimView, ...]
    findings: tuple[Finding, ...]
    claim_count: int | None
    word_count: int
    mark_count: int
    unit: str = "words"
    unchecked: str = ""
    language_note: str = ""

    @property
    def certain_findings(self) -> tuple[Finding, ...]:
        """The findings that are shown whenever marks are."""
        return tuple(finding for finding in self.findings if finding.is_certain)


@dataclass(frozen=True, slots=True)
class Reading:
    """Two claim sets and the rows that set their claims side by side.

    `notices` are sentences on which aids are off because the pair is larger than `budget` allows.
    A plain reading has one claim without number a side, which is the text.
    """

    reference: SideView
    candidate: SideView
    rows: tuple[tuple[ClaimView | None, ClaimView | None], ...]
    notices: tuple[str, ...] = ()
    is_plain: bool = False
    changes: tuple[tuple[str, str, int], ...] = ()
    """Name and label of each class of differences, with how many there are on both sides."""

    @property
    def less_certain(self) -> int:
        """How many marks of both sides are shown on request only."""
        sides = (self.reference, self.candidate)
        return sum(not finding.is_certain for side in sides for finding in side.findings)


def read_pair(reference: str, candidate: str, language: str = "") -> Reading:
    """Compare a candidate with its reference, claim by claim.

    Inputs: the two texts as stored, and the language that their record names. Output: views whose
    pieces joined are the texts, byte for byte. The marks are surface readings, a help for the eye
    and no verdict. What `budget` does not allow is left out, and named in `notices`; which marks
    are not looked for in a language stands in `unchecked` of its side.
    """
    too_large = CHARACTERS.message(len(reference) + len(candidate)) or CLAIMS.message(
        max(len(find_markers(text)) for text in (reference, candidate))
    )
    if too_large:
        return read_plainly(reference, candidate, too_large)
    claims = {REFERENCE: parse_claims(reference), CANDIDATE: parse_claims(candidate)}
    sides = {name: read_side(own) for name, own in claims.items()}
    rows = align_claims(
        claims[REFERENCE],
        claims[CANDIDATE],
        (sides[REFERENCE].content, sides[CANDIDATE].content),
    )
    compared = compare_claims(rows, sides)
    pairs = compared.pairs
    languages = languages_of_pair(reference, candidate, language)
    foreign = foreign_terms(reference, candidate) if all(map(is_marked, languages)) else ()
    marks = (
        *(Span(t.start, t.end, FOREIGN, "not in the reference") for t in foreign),
        *_own_marks(candidate, languages[1]),
    )
    moved = [row for row in rows if row.is_moved]
    places = {row.reference for row in moved}, {row.candidate for row in moved}
    shared = _phrases(compared.shared, sides)
    own = _own_marks(reference, languages[0])
    left = _side(REFERENCE, reference, claims[REFERENCE], own, pairs, places[0])
    left = replace(left, claims=_with_phrases(REFERENCE, left.claims, shared))
    right = _side(CANDIDATE, candidate, claims[CANDIDATE], marks, pairs, places[1])
    right = replace(right, claims=_with_phrases(CANDIDATE, right.claims, shared))
    left = replace(
        left,
        unchecked=unchecked_marks(languages[0]),
        language_note=_note(reference, language, languages[0]),
    )
    right = replace(
        right,
        unchecked=unchecked_marks(languages[1], languages[0]),
        language_note=_note(candidate, language, languages[1]),
    )
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
        _messages(left, right, compared.uncut),
        changes=_count_changes(pairs),
    )


_Phrases = Mapping[tuple[str, int], tuple[Sharing, str]]


def _phrases(found: Iterable[Shared], sides: Sides) -> _Phrases:
    """Return, by side and index, what became of the claims that one side has in several."""
    phrases: dict[tuple[str, int], tuple[Sharing, str]] = {}
    for one in found:
        in_row, alone = phrase_of(one, sides[REFERENCE], sides[CANDIDATE])
        side, other = REFERENCE, CANDIDATE
        if one.kind is Sharing.MERGED:
            side, other = other, side
        phrases[side, one.whole] = phrases[other, one.counterpart] = one.kind, in_row
        phrases.update(((other, part), (one.kind, alone)) for part in one.others)
    return phrases


def _with_phrases(
    side: str, claims: tuple[ClaimView, ...], phrases: _Phrases
) -> tuple[ClaimView, ...]:
    return tuple(
        replace(claim, sharing=found[0], share=found[1])
        if (found := phrases.get((side, place)))
        else claim
        for place, claim in enumerate(claims)
    )


def read_alone(text: str, language: str = "") -> tuple[SideView, str]:
    """Show one claim set as the rate page shows a reference, beside nothing.

    Inputs: a text that is not stored yet, and the language that its record names. Output: its view,
    whose pieces joined are the text, and why it is not cut into claims, "" where it is.
    """
    too_large = CHARACTERS.message(len(text)) or CLAIMS.message(len(find_markers(text)))
    if too_large:
        return _plain_side(text), too_large
    claims = parse_claims(text)
    pairs = {(REFERENCE, place): own for place, own in enumerate(cut_alone(claims))}
    read_as = language_of(text, language)
    side = _side(REFERENCE, text, claims, _own_marks(text, read_as), pairs, ())
    note = language_note(text, language)
    return replace(side, unchecked=unchecked_marks(read_as), language_note=note), ""


def _count_changes(pairs: Pairs) -> tuple[tuple[str, str, int], ...]:
    counts = Counter(piece.change for one in pairs.values() for piece in one.pieces)
    return tuple((one.change.value, one.label, counts[one.change]) for one in CLASSES)


def read_plainly(reference: str, candidate: str, *notices: str) -> Reading:
    """Show two texts as they are: nothing is cut, compared or marked but what nobody can see."""
    left, right = _plain_side(reference), _plain_side(candidate)
    row = (next(iter(left.claims), None), next(iter(right.claims), None))
    said = _messages(left, right, *notices)
    return Reading(left, right, (row,) if any(row) else (), said, is_plain=True)


def plain(reading: Reading) -> Reading:
    """Return a reading with its texts as they are and the reasons that it had."""
    if reading.is_plain:
        return reading
    texts = (
        "".join(
            claim.marker
            + "".join(piece.text for entry in claim.limitations for piece in entry.segments)
            for claim in side.claims
        )
        for side in (reading.reference, reading.candidate)
    )
    return read_plainly(*texts, *reading.notices)


def _messages(left: SideView, right: SideView, *notices: str) -> tuple[str, ...]:
    unshown = MARKS.message(max(left.mark_count, right.mark_count))
    return tuple(filter(None, (*notices, unshown)))


def _note(text: str, recorded: str, read_as: str) -> str:
    """Say how the language of a text was found, unless the text beside it has told it."""
    is_told_by_the_other = language_of(text, recorded) != read_as
    return "" if is_told_by_the_other else language_note(text, recorded)


def is_marked(language: str) -> bool:
    """Return whether antecedents and terms are read in a language: in English alone."""
    return is_read_as_english(language)


def unchecked_marks(language: str, reference: str | None = None) -> str:
    """Say which marks a claim set in a language has none of, "" where all are looked for.

    `reference` is the language of the reference that a candidate stands beside.
    """
    name = language_name(language)
    marks = [] if is_marked(language) else ["antecedents", "renamed terms"]
    if marks and reference is not None:
        marks.append("terms that are not in the reference")
    if language not in CITED_IN and not is_marked(language):
        marks.append("claims cited")
    if marks:
        return f"Not checked in this language ({name}): {', '.join(marks)}."
    if reference is not None and not is_marked(reference):
        name = language_name(reference)
        return f"Not checked beside a reference in {name}: terms that are not in it."
    return ""


def _own_marks(text: str, language: str) -> tuple[Span, ...]:
    """Return the marks that a claim set earns by itself, in a language in which they are read."""
    if not is_marked(language):
        return ()
    gaps = find_antecedent_gaps(text)
    renamed = renamed_terms(text, gaps)
    named = {item.end for item in renamed}
    return (
        *(
            Span(
                gap.start,
                gap.end,
                NO_ANTECEDENT if gap.is_certain and gap.end not in named else LIKELY_BASIS,
                gap.sentence,
            )
            for gap in gaps
        ),
        *(
            Span(r.start, r.end, SIGN, f"{r.sign} stood for “{r.first}” before")
            if r.sign
            else Span(r.start, r.end, RENAMED, f"called “{r.first}” before")
            for r in renamed
        ),
    )


def _side(
    side: str,
    text: str,
    claims: tuple[Claim, ...],
    marks: tuple[Span, ...],
    pairs: Pairs,
    moved: Collection[int | None],
) -> SideView:
    tree, of_other_category = build_tree(claims), other_category(claims)
    most = MARKS.most
    misread = misread_faults(tree.faults[:most], claims)
    spans = (
        *marks,
        *(
            Span(f.start, f.end, MISREAD if f in misread else BROKEN, f.sentence)
            for f in tree.faults[:most]
        ),
        *find_invisible(text, most),
    )
    by_claim = _by_claim(claims, sorted(spans, key=lambda item: item.start)[:most])
    views = tuple(
        replace(
            _view(claim, tree.nodes[place].depth, by_claim[place], pairs[side, place]),
            is_moved=place in moved,
            is_of_other_category=of_other_category[place],
        )
        for place, claim in enumerate(claims)
    )
    findings = tuple(
        Finding(span.kind, _span_label(span, text), claim.number, span.start)
        for claim, group in zip(claims, by_claim, strict=True)
        for span in group
    )
    counted, unit = _counted(text, map(claim_body, claims))
    return SideView(
        views,
        findings,
        sum(claim.number is not None for claim in claims),
        counted,
        len(marks) + len(tree.faults) + count_invisible(text),
        unit,
    )


def _counted(text: str, parts: Iterable[str]) -> tuple[int, str]:
    """Count the words of the parts of a text, or its characters, and name what was counted."""
    if has_no_blanks(text):
        return sum(len(words(part)) for part in parts), "characters"
    return sum(len(part.split()) for part in parts), "words"


def _plain_side(text: str) -> SideView:
    if not text:
        return SideView((), (), None, 0, 0)
    marks = find_invisible(text, MARKS.most)
    limitation = LimitationView("", cut_segments(text, 0, marks))
    claim = ClaimView(None, 0, 0, "", (limitation,), (), ())
    findings = tuple(Finding(span.kind, span.note, None, span.start) for span in marks)
    counted, unit = _counted(text, [text])
    return SideView((claim,), findings, None, counted, count_invisible(text), unit)


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


def _span_label(span: Span, text: str) -> str:
    if span.kind == FOREIGN:
        return text[span.start : span.end]
    if span.kind in (RENAMED, SIGN):
        return f"“{text[span.start : span.end]}”, {span.note}"
    return span.note


def _view(claim: Claim, depth: int, marks: list[Span], compared: ComparedClaim) -> ClaimView:
    offset = claim.start + claim.body_offset
    body = claim_body(claim)
    spans = [
        *marks,
        *(
            Span(offset + piece.start, offset + piece.end, kind_of(piece.change))
            for piece in compared.pieces
            if piece.change
        ),
    ]
    spans.sort(key=lambda item: item.start)
    return ClaimView(
        number=claim.number,
        start=claim.start,
        depth=depth,
        marker=claim.text[: claim.body_offset],
        limitations=tuple(
            LimitationView(standing, cut_segments(body[a:b], offset + a, own))
            for (a, b, standing), own in _shared_out(compared.limitations, offset, spans)
        ),
        parents=claim.depends_on,
        faults=tuple(mark.note for mark in marks if mark.kind == BROKEN),
    )


def kind_of(change: Change) -> str:
    """Return the kind of mark of a class of differences."""
    return ONLY_HERE if change == Change.SUBSTANCE else f"{ONLY}{change}"


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
