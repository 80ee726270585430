"""What a reader sees of two claim sets side by side: rows, trees, limitations, marks.

Everything is derived from the two texts and nothing is changed: the pieces of each claim, joined,
are the claim, and the claims, joined, are the text.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from patclaimeval.claims.change_classes import CLASSES, Change
from patclaimeval.claims.chart import Chart, ChartRow, read_chart
from patclaimeval.claims.invisible import count_invisible, find_invisible
from patclaimeval.claims.languages import (
    has_no_blanks,
    language_note,
    language_of,
    languages_of_pair,
    words,
)
from patclaimeval.claims.ledger import find_new_terms
from patclaimeval.claims.mark_kinds import (
    BROKEN,
    CERTAIN,
    FOREIGN,
    MISREAD,
    RENAMED,
    SIGN,
)
from patclaimeval.claims.marks import is_marked, own_marks, unchecked_marks
from patclaimeval.claims.notes import is_within, spans_without_claims
from patclaimeval.claims.pairing import other_category
from patclaimeval.claims.parsing import Claim, claim_body, find_markers, parse_claims
from patclaimeval.claims.placing import INCOMPLETE, Verdict
from patclaimeval.claims.reading_limits import CHARACTERS, CLAIMS, LIMITATIONS, MARKS
from patclaimeval.claims.segments import Segment, Span, cut_segments
from patclaimeval.claims.sides import CANDIDATE, REFERENCE, read_set
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.tree import misread_faults

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
    """One limitation: what became of it, by class of a page, in a few words, and why.

    All are "" where it is as it was, or was not compared. Beside several candidates the note says
    which of them lack it.
    """

    standing: str
    segments: tuple[Segment, ...]
    note: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClaimFault:
    """What is wrong with a number in a claim, and where; `is_own`: with that of the claim."""

    sentence: str
    start: int
    end: int
    is_own: bool

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim: marker and limitations joined are its text; parents and children are numbers."""

    number: int | None
    start: int
    depth: int
    marker: str
    limitations: tuple[LimitationView, ...]
    parents: tuple[int, ...]
    faults: tuple[ClaimFault, ...]
    is_moved: bool = False
    """Whether it stands elsewhere in the order than its counterpart."""
    is_of_other_category: bool = False
    """Whether it cites claims of another category only, as a method that makes a product."""
    elsewhere: tuple[int, ...] = ()
    """The numbers of the claims of the other side in which its limitations stand."""

    @property
    def share(self) -> str:
        """Say where its limitations stand: "in claims 2, 5"; "" if nowhere."""
        numbers = ", ".join(map(str, self.elsewhere))
        return f"in claim{'s' * (len(self.elsewhere) > 1)} {numbers}" if numbers else ""


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
    chart: Chart | None = None
    """None for a plain reading."""
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
    texts = {REFERENCE: reference, CANDIDATE: candidate}
    too_large = (
        CHARACTERS.message(len(reference) + len(candidate))
        or CLAIMS.message(max(len(find_markers(text)) for text in texts.values()))
        or LIMITATIONS.message(max(len(read_set(*one).limitations) for one in texts.items()))
    )
    if too_large:
        return read_plainly(reference, candidate, too_large)
    chart = read_chart(reference, candidate, language)
    languages = languages_of_pair(reference, candidate, language)
    new = _new_terms(chart, reference, candidate) if all(map(is_marked, languages)) else ()
    moved = [row for row in chart.alignment if row.is_moved]
    left, right = (
        replace(
            _side(
                name,
                text,
                (*more, *own_marks(text, read_as)),
                [row for row in chart.rows if row.side == name],
                places,
            ),
            unchecked=unchecked_marks(read_as, beside),
            language_note=_note(text, language, read_as),
        )
        for name, text, more, places, read_as, beside in (
            (REFERENCE, reference, (), {row.reference for row in moved}, languages[0], None),
            (CANDIDATE, candidate, new, {row.candidate for row in moved}, *languages[::-1]),
        )
    )
    return Reading(
        left,
        right,
        tuple(
            (
                None if row.reference is None else left.claims[row.reference],
                None if row.candidate is None else right.claims[row.candidate],
            )
            for row in chart.alignment
        ),
        _messages(left, right),
        chart=chart,
        changes=_count_changes(chart.rows),
    )


def _new_terms(chart: Chart, reference: str, candidate: str) -> tuple[Span, ...]:
    pairs = [
        (row.reference, row.candidate)
        for row in chart.alignment
        if row.reference is not None and row.candidate is not None
    ]
    notes = [note for note in chart.notes if note.side == CANDIDATE]
    found = find_new_terms(
        parse_claims(reference), parse_claims(candidate), pairs, chart.terms, notes
    )
    return tuple(Span(term.start, term.end, FOREIGN, "not in the reference") for term in found)


def read_alone(text: str, language: str = "") -> tuple[SideView, str]:
    """Show one claim set as the rate page shows a reference, beside nothing.

    Inputs: a text that is not stored yet, and the language that its record names. Output: its view,
    whose pieces joined are the text, and why it is not cut into claims, "" where it is.
    """
    too_large = CHARACTERS.message(len(text)) or CLAIMS.message(len(find_markers(text)))
    if too_large:
        return _plain_side(text), too_large
    read_as = language_of(text, language)
    side = _side(CANDIDATE, text, own_marks(text, read_as), None, ())
    note = language_note(text, language)
    return replace(side, unchecked=unchecked_marks(read_as), language_note=note), ""


def _count_changes(rows: Iterable[ChartRow]) -> tuple[tuple[str, str, int], ...]:
    counts = Counter(change for row in rows for _, _, change in row.differences)
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


def _side(
    name: str,
    text: str,
    marks: tuple[Span, ...],
    rows: Sequence[ChartRow] | None,
    moved: Collection[int | None],
) -> SideView:
    """Return the view of one claim set; without `rows` it stands beside nothing."""
    own = read_set(name, text)
    claims, tree, of_other_category = own.claims, own.tree, other_category(own.claims)
    remarks = spans_without_claims(own.notes)
    marks = tuple(one for one in marks if not is_within(one.start, remarks))
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
    own_rows = _by_claim(claims, rows or ())
    views = tuple(
        replace(
            _view(
                claim,
                tree.nodes[place].depth,
                by_claim[place],
                None if rows is None else own_rows[place],
            ),
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


_T = TypeVar("_T", Span, ChartRow)


def _by_claim(claims: tuple[Claim, ...], items: Iterable[_T]) -> tuple[list[_T], ...]:
    """Give marks or limitations, in order, to the claims in which they begin."""
    groups: tuple[list[_T], ...] = tuple([] for _ in claims)
    index = 0
    for item in items:
        while index + 1 < len(claims) and item.start >= claims[index].end:
            index += 1
        if claims:
            groups[index].append(item)
    return groups


def _span_label(span: Span, text: str) -> str:
    if span.kind == FOREIGN:
        return text[span.start : span.end]
    if span.kind in (RENAMED, SIGN):
        return f"“{text[span.start : span.end]}”, {span.note}"
    return span.note


def _view(
    claim: Claim, depth: int, marks: list[Span], rows: Sequence[ChartRow] | None
) -> ClaimView:
    offset = claim.start + claim.body_offset
    body = claim_body(claim)
    spans = [
        *marks,
        *(
            Span(start, end, kind_of(change))
            for row in rows or ()
            for start, end, change in row.differences
        ),
    ]
    spans.sort(key=lambda item: item.start)
    cuts = _cut_alone(body, offset) if rows is None else _cut_by_rows(rows, offset, body)
    return ClaimView(
        number=claim.number,
        start=claim.start,
        depth=depth,
        marker=claim.text[: claim.body_offset],
        limitations=tuple(
            LimitationView(
                _standing(row),
                cut_segments(body[start - offset : end - offset], start, own),
                row.label if row else "",
                row.reason if row else "",
            )
            for (start, end, row), own in _shared_out(cuts, spans)
        ),
        parents=claim.depends_on,
        faults=tuple(
            ClaimFault(mark.note, mark.start, mark.end, mark.end <= offset)
            for mark in marks
            if mark.kind == BROKEN
        ),
        elsewhere=tuple(
            sorted(
                {row.where[0] for row in rows or () if row.where and row.verdict not in INCOMPLETE}
            )
        ),
    )


Cut = tuple[int, int, ChartRow | None]


def _cut_alone(body: str, offset: int) -> list[Cut]:
    return [(offset + one.start, offset + one.end, None) for one in split_features(body)]


def _cut_by_rows(rows: Sequence[ChartRow], offset: int, body: str) -> list[Cut]:
    """Cut the words of a claim where a limitation begins; what has no row has no standing."""
    end = offset + len(body)
    cuts: list[Cut] = []
    at = offset
    for row in rows:
        start = row.start
        # The white space between two limitations is of the one before it, at the beginning of the
        # one behind it.
        if not body[at - offset : start - offset].strip():
            if cuts:
                cuts[-1] = (cuts[-1][0], start, cuts[-1][2])
            else:
                start = at
        elif at < start:
            cuts.append((at, start, None))
        cuts.append((start, row.end, row))
        at = row.end
    if cuts and not body[at - offset :].strip():
        cuts[-1] = (cuts[-1][0], end, cuts[-1][2])
    elif at < end:
        cuts.append((at, end, None))
    return cuts


def _standing(row: ChartRow | None) -> str:
    """Return the class by which a page shows what became of a limitation."""
    if row is None or not row.label:
        return ""
    is_there = row.verdict is Verdict.IN and row.corresponds
    return str(row.scope if is_there else row.verdict)


def kind_of(change: Change) -> str:
    """Return the kind of mark of a class of differences."""
    return ONLY_HERE if change == Change.SUBSTANCE else f"{ONLY}{change}"


def _shared_out(cuts: Sequence[Cut], spans: list[Span]) -> Iterator[tuple[Cut, list[Span]]]:
    """Yield each limitation with the marks that reach into it; both stand in order."""
    reaching: list[Span] = []
    place = 0
    for cut in cuts:
        reaching = [span for span in reaching if span.end > cut[0]]
        while place < len(spans) and spans[place].start < cut[1]:
            reaching.append(spans[place])
            place += 1
        yield cut, reaching
