"""Puts the claims of a source into one text as this project stores it, and looks at the result."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from patclaimeval import limits
from patclaimeval.claims.parsing import Claim, dependencies, parse_claims
from patclaimeval.claims.tree import FaultKind, build_tree
from patclaimeval.documents.records import (
    ClaimSet,
    Notes,
    Place,
    ReadClaim,
    Severity,
    list_numbers,
    refuse_too_many,
)
from patclaimeval.documents.sections import HAN_MARK, SourceLine, numbered
from patclaimeval.text_io.streams import FormatError

INDENT: Final = "    "
BETWEEN_CLAIMS: Final = "\n\n"
# A typed number at the beginning of a paragraph that has an automatic one.
_TYPED: Final = re.compile(
    r"\s*(?:(?:claim\s+)?\(?(?P<number>\d{1,4})\s?[.):]\s+(?=\S)"
    rf"|{HAN_MARK.format(number='(?P<han>')}\s*)",
    re.IGNORECASE,
)
_DELETED: Final = re.compile(r"\[\[[^\[\]]*\]\]")
_MOST_FAULTS: Final = 20
# Amendments say of each claim what became of it (37 CFR 1.121(c)).
_STATUS: Final = re.compile(
    r"\s*[(\[](?P<status>(?:currently|previously|once|twice|thrice)?\s*(?:amended|presented|"
    r"cancell?ed|withdrawn|original|new|not entered|deleted|reinstated)[^)\]]{0,60})[)\]]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim that the source itself marks off: its number, its lines, and what is said of it."""

    number: int
    lines: tuple[str, ...]
    place: Place
    last_number: int = 0
    cites: tuple[int, ...] = ()
    status: str = ""


def claims_of_lines(
    lines: Sequence[SourceLine], notes: Notes, *, as_typed: bool = False
) -> ClaimSet:
    """Cut lines into claims by their numbers, typed or automatic.

    Inputs: the lines of the claims section; with `as_typed` the text stays as it is, else each
    claim begins after a blank line and its further lines are indented. Raises FormatError for more
    claims or characters than one set may have. Two numbering systems at once are a question.
    """
    lines = _without_repeated_numbers(lines, notes)
    text, starts = _joined(lines, as_typed=as_typed)
    _refuse_too_long(len(text))
    automatic = _automatic(lines)
    refuse_too_many(len(automatic))
    parsed = [claim for claim in parse_claims(text) if claim.number is not None]
    refuse_too_many(len(parsed))
    if not parsed:
        return _single(text, lines, notes)
    if automatic:
        _ask_about_two_systems(lines, automatic, parsed, starts, notes)
    _note_preface(text, parsed, lines[0].place, notes)
    if as_typed:
        return _as_typed(text, parsed, starts, lines)
    stated = []
    for claim in parsed:
        pieces = [piece.strip() for piece in claim.text.strip().split("\n") if piece.strip()]
        place = lines[_line_at(starts, _mark(claim))].place
        status = stated_status(claim.body)
        stated.append(
            StatedClaim(
                claim.number or 0, tuple(pieces), place, claim.last_number or 0, status=status
            )
        )
    return claims_stated(stated)


def _joined(lines: Sequence[SourceLine], *, as_typed: bool) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: list[int] = []
    offset = 0
    own = next((line.in_list for line in lines if line.opens is not None), "")
    for line in lines:
        if line.opens is not None and line.in_list == own and not as_typed:
            # A blank line, as between stored claims: what stands before it has ended.
            parts.append("")
            offset += 1
        part = line.shown if as_typed or line.label else line.text.lstrip()
        starts.append(offset)
        parts.append(part)
        offset += len(part) + 1
    return "\n".join(parts), starts


def _mark(claim: Claim) -> int:
    """Return where the number of a claim begins, the space before it left out."""
    head = claim.text[: claim.body_offset]
    return claim.start + len(head) - len(head.lstrip())


def _line_at(starts: Sequence[int], offset: int) -> int:
    return max(0, bisect_right(starts, offset) - 1)


def _automatic(lines: Sequence[SourceLine]) -> list[int]:
    """Return the lines that the claims' own list numbers: the list of the first of them."""
    first = next((line for line in lines if line.opens is not None), None)
    if first is None:
        return []
    return [
        place
        for place, line in enumerate(lines)
        if line.opens is not None and line.in_list == first.in_list
    ]


def _ask_about_two_systems(
    lines: Sequence[SourceLine],
    automatic: list[int],
    claims: Sequence[Claim],
    starts: Sequence[int],
    notes: Notes,
) -> None:
    """Ask where typed and automatic numbers both look like those of claims.

    Typed numbers inside numbered paragraphs are no question as long as all numbers count upwards.
    """
    parsed = [_line_at(starts, _mark(claim)) for claim in claims]
    if parsed == automatic:
        return
    known = set(automatic)
    others = [place for place in dict.fromkeys(parsed) if place not in known]
    if others:
        which = "typed" if lines[others[0]].opens is None else "of another list"
        _ask_for_one_system(lines, automatic, len(others), which, lines[others[0]].place, notes)
        return
    lost = [place for place in automatic if place not in set(parsed)]
    if lost:
        notes.add(
            Severity.QUESTION,
            "number in doubt",
            f"The automatic number {lines[lost[0]].label} at {lines[lost[0]].place} does not read "
            "as that of a claim after the text before it. Look at that text, and read the file "
            "again.",
            lines[lost[0]].place,
        )
        return
    inside = [place for before, place in pairwise(parsed) if place == before]
    if any((two.number or 0) <= (one.number or 0) for one, two in pairwise(claims)):
        place = lines[inside[0]].place
        _ask_for_one_system(lines, automatic, len(inside), "typed", place, notes)


def _ask_for_one_system(
    lines: Sequence[SourceLine],
    automatic: Sequence[int],
    count: int,
    which: str,
    place: Place,
    notes: Notes,
) -> None:
    notes.add(
        Severity.QUESTION,
        "two numbering systems",
        f"Two numbering systems: {len(automatic):,} paragraphs are numbered by one list, from "
        f"{lines[automatic[0]].place} on, and {count:,} by numbers {which}, from "
        f"{place} on. Number the claims in one way and read the file again.",
        place,
    )


def _without_repeated_numbers(lines: Sequence[SourceLine], notes: Notes) -> list[SourceLine]:
    """Drop a typed number that repeats the automatic number of its paragraph ("1. 1. A pump").

    A typed number that differs from the automatic one is a question: only the author knows which
    of the two is the number of the claim.
    """
    found = []
    for line in lines:
        typed = _TYPED.match(line.text) if line.opens is not None else None
        if typed and int(typed["number"] or typed["han"]) == line.opens:
            notes.leave_out("typed number", "it repeats the automatic number", line.place)
            found.append(replace(line, text=line.text[typed.end() :]))
            continue
        if typed:
            notes.add(
                Severity.QUESTION,
                "two numbers",
                f"The paragraph has the automatic number {line.label} and a typed number. Delete "
                "one of them and read the file again.",
                line.place,
            )
        found.append(line)
    return found


def _note_preface(text: str, parsed: Sequence[Claim], place: Place, notes: Notes) -> None:
    if text[: parsed[0].start].strip():
        notes.leave_out("text before the first claim", "it belongs to no numbered claim", place)


def claims_as_marked(lines: Sequence[SourceLine]) -> ClaimSet:
    """Return lines that are claims and nothing else, byte for byte, and where each claim stands.

    Raises FormatError as `claims_of_lines` does.
    """
    parts: list[str] = []
    starts: list[int] = []
    offset = 0
    for line in lines:
        part = line.shown if line.joins or not parts else f"\n{line.shown}"
        parts.append(part)
        offset += len(part)
        starts.append(offset - len(line.shown))
    text = "".join(parts)
    _refuse_too_long(len(text))
    parsed = [claim for claim in parse_claims(text) if claim.number is not None]
    refuse_too_many(len(parsed))
    if not parsed and text:
        return ClaimSet(text, (ReadClaim(1, 1, 0, len(text), lines[0].place),))
    return ClaimSet(text, _places(text, 0, parsed, starts, lines))


def _as_typed(
    text: str, parsed: Sequence[Claim], starts: list[int], lines: Sequence[SourceLine]
) -> ClaimSet:
    begin = _mark(parsed[0])
    whole = text[begin:].rstrip()
    return ClaimSet(whole, _places(whole, begin, parsed, starts, lines))


def _places(
    whole: str,
    begin: int,
    parsed: Sequence[Claim],
    starts: list[int],
    lines: Sequence[SourceLine],
) -> tuple[ReadClaim, ...]:
    claims = []
    for claim, following in zip(parsed, [*parsed[1:], None], strict=True):
        start = _mark(claim)
        end = _mark(following) if following else begin + len(whole)
        number = claim.number or 0
        claims.append(
            ReadClaim(
                number,
                claim.last_number or number,
                start - begin,
                max(start, end) - begin,
                lines[_line_at(starts, start)].place,
                status=stated_status(claim.body),
            )
        )
    return tuple(claims)


def _single(text: str, lines: Sequence[SourceLine], notes: Notes) -> ClaimSet:
    """Return text without any number as one claim, as designs and some drafts have it."""
    place = next((line.place for line in lines if line.text.strip()), None)
    # A paragraph may have a number of its list, such as "a)", and no text.
    if place is None:
        return ClaimSet()
    body = text.strip()
    sentence = "The claims have no numbers; all of the text is taken for one claim."
    notes.add(Severity.CHECK, "no numbers", sentence, place)
    return ClaimSet(body, (ReadClaim(1, 1, 0, len(body), place),))


def stated_status(body: str) -> str:
    """Return what a claim says of itself in brackets behind its number, in lower case."""
    found = _STATUS.match(body)
    return " ".join(found["status"].lower().split()) if found else ""


def claims_stated(stated: Sequence[StatedClaim]) -> ClaimSet:
    """Lay out claims that the source marks off: a number each, further lines indented.

    Input: claims in the order of the source. Output: the text, in which every claim begins with its
    number, and where each stands. A number that the text does not begin with is put there.
    """
    refuse_too_many(len(stated))
    _refuse_too_long(sum(len(line) for claim in stated for line in claim.lines))
    parts: list[str] = []
    claims: list[ReadClaim] = []
    offset = 0
    for claim in stated:
        last = max(claim.last_number, claim.number)
        text = f"\n{INDENT}".join(_with_number(claim, last))
        claims.append(
            ReadClaim(
                claim.number,
                last,
                offset,
                offset + len(text),
                claim.place,
                claim.cites,
                claim.status,
            )
        )
        parts.append(text)
        offset += len(text) + len(BETWEEN_CLAIMS)
    return ClaimSet(BETWEEN_CLAIMS.join(parts), tuple(claims))


# A page or office XML may have claims in a table: "1. | A pump".
_IN_CELL: Final = re.compile(r"\(?(\d{1,4})\s?[.):]?\s*\|\s*")
_BEFORE_DOT: Final = re.compile(r"(\(?\d{1,4}\)?)\s+(?=[.):]\s)")


def _with_number(claim: StatedClaim, last: int) -> list[str]:
    lines = [line for line in claim.lines if line] or [""]
    first = _BEFORE_DOT.sub(r"\1", lines[0], count=1) if lines[0][:1] in "(0123456789" else lines[0]
    in_cell = _IN_CELL.match(first)
    if in_cell and int(in_cell[1]) == claim.number:
        first = first[in_cell.end() :]
    line = SourceLine(first, claim.place)
    if numbered(line) != claim.number:
        mark = f"{claim.number}-{last}." if last > claim.number else f"{claim.number}."
        first = f"{mark} {first}".rstrip()
    return [first, *lines[1:]]


def _refuse_too_long(characters: int) -> None:
    if characters > limits.CHARACTERS:
        raise FormatError(
            f"The claims have {characters:,} characters; at most {limits.CHARACTERS:,} are read."
        )


def _look_for_amendments(claims: ClaimSet, notes: Notes) -> None:
    """Ask about what is struck out in double brackets, and name what became of the claims.

    Amendments before the USPTO may mark short deletions so (37 CFR 1.121(c)(2)).
    """
    for claim in claims.claims:
        if _DELETED.search(claims.text_of(claim)):
            notes.add(
                Severity.QUESTION,
                "double brackets",
                f"Claim {claim.number} has text in double brackets, which amendments use for what "
                "is deleted. Delete it or remove the brackets, and read the file again.",
                claim.place,
            )
    amended = [c.number for c in claims.claims if c.status and "cancel" not in c.status]
    if amended:
        sentence = f"The text says what became of claims {list_numbers(amended)}, in brackets."
        notes.add(Severity.CHECK, "status", sentence)


def look_over(claims: ClaimSet, notes: Notes) -> None:
    """Add what is odd about claims: numbers at fault, links that the text does not make.

    The rate page cuts the stored text by its numbers; where it would find other claims than the
    source has, that is a finding, too.
    """
    parsed = parse_claims(claims.text)
    if not claims.claims:
        return
    cut = [claim.number for claim in parsed if claim.number is not None]
    if len(cut) > 0 and cut != [claim.number for claim in claims.claims]:
        notes.add(
            Severity.CHECK,
            "read otherwise",
            f"The source has {len(claims.claims):,} claims, but the text reads as {len(cut):,}: a "
            "line within a claim begins like a claim, or numbers are missing.",
        )
    for fault in build_tree(parsed).faults[:_MOST_FAULTS]:
        if fault.kind is FaultKind.SELF:
            # Either the numbers were misread or the text is wrong: nobody drafts such a claim.
            sentence = f"{fault.sentence} Correct the text, or take it as it is."
            notes.add(Severity.QUESTION, "cites itself", sentence)
        else:
            notes.add(Severity.CHECK, "numbers", fault.sentence)
    earlier: list[int] = []
    for claim in claims.claims:
        said = set(dependencies(claims.text_of(claim), earlier))
        other = [number for number in claim.cites if number not in said]
        if other:
            notes.add(
                Severity.CHECK,
                "links",
                f"The source links claim {claim.number} to claim {list_numbers(other)}, which its "
                "text does not cite.",
                claim.place,
            )
        earlier.append(claim.number)
    _look_for_amendments(claims, notes)
    cancelled = [claim.number for claim in claims.claims if "cancel" in claim.status]
    if cancelled:
        which = list_numbers(cancelled)
        notes.add(Severity.NOTE, "cancelled", f"Cancelled claims are in the text: {which}.")
