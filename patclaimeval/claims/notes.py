"""What in the text of a claim set is no claim: chatter, disclaimers, repetitions, cancellations."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, pairwise
from operator import itemgetter

from patclaimeval.claims.parsing import CANCELLED_WORD, Claim
from patclaimeval.claims.words import read_tokens


class NoteKind(StrEnum):
    """What a note is about."""

    CANCELLED = "cancelled"
    CHATTER = "chatter"
    DISCLAIMER = "disclaimer"
    REPEATED = "repeated"
    ESCAPE = "escape"
    TRUNCATED = "truncated"
    DECORATION = "decoration"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that a reader should know before comparing: a sentence, and where it stands.

    `claim` is the number of the first claim that it is about, None before claim 1. `start` and
    `end` count characters in the claim set.
    """

    side: str
    claim: int | None
    start: int
    end: int
    sentence: str
    kind: NoteKind


_REMARKS = frozenset({NoteKind.CHATTER, NoteKind.DISCLAIMER})


def find_notes(side: str, text: str, claims: Sequence[Claim]) -> tuple[Note, ...]:
    """Return what in a claim set is no claim, in the order of the text.

    Inputs: "reference" or "candidate", a claim set, and its claims as `parsing.parse_claims` reads
    them. Each run of cancelled claims, each group of repeated claims and each remark is one note;
    the other kinds are one note a text, at their first place, or one a claim that breaks off.
    Remarks are read in English; claims are cancelled in English, German, French, Chinese and
    Japanese.
    """
    remarks = _remarks(side, text, claims)
    ends = {note.end for note in remarks}
    found = chain(
        _cancelled(side, claims),
        remarks,
        _repeated(side, claims),
        _empty(side, claims),
        (note for note in _truncated(side, claims) if note.end not in ends),
        _written_out(side, text, claims),
    )
    return tuple(sorted(found, key=lambda note: (note.start, note.end)))


def spans_without_claims(notes: Iterable[Note]) -> tuple[tuple[int, int], ...]:
    """Return the spans of remarks, which are not to be compared as limitations, in order."""
    return tuple((note.start, note.end) for note in notes if note.kind in _REMARKS)


def is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place is in one of some spans, which are in order and do not overlap."""
    before = bisect_right(spans, place, key=itemgetter(0))
    return before > 0 and place < spans[before - 1][1]


# "(Canceled)", "(previously cancelled without prejudice)"; more words only in brackets.
_STATUS = re.compile(
    rf"\W{{0,3}}(?:previously\s+|now\s+|is\s+)?{CANCELLED_WORD}"
    r"(?:\W{0,3}|[^()\[\]]{0,40}[)\]]\W{0,2})",
    re.IGNORECASE,
)


def is_cancelled(claim: Claim) -> bool:
    """Return whether a claim says nothing but that it was cancelled, deleted or withdrawn."""
    return claim.number is not None and _STATUS.fullmatch(claim.body) is not None


def _cancelled(side: str, claims: Sequence[Claim]) -> Iterator[Note]:
    run: list[Claim] = []
    for claim in (*claims, None):
        if claim is not None and is_cancelled(claim):
            run.append(claim)
        elif run:
            numbers = [n for one in run for n in (one.number, one.last_number) if n is not None]
            are = "are" if len(set(numbers)) > 1 else "is"
            yield _note(
                side, run, f"{_named(sorted(set(numbers)))} {are} cancelled.", NoteKind.CANCELLED
            )
            run = []


def _note(side: str, claims: Sequence[Claim], sentence: str, kind: NoteKind) -> Note:
    return Note(side, claims[0].number, claims[0].start, claims[-1].end, sentence, kind)


def _named(numbers: Sequence[int]) -> str:
    """Return a claim, or a range of them from the first to the last number, as a subject."""
    first, last = numbers[0], numbers[-1]
    if first == last:
        return f"Claim {first}"
    return f"Claims {first} {'and' if last == first + 1 else 'to'} {last}"


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers as a phrase, neighbours as ranges: "4, 6 and 8 to 11"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts: list[str] = []
    for run in runs:
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _repeated(side: str, claims: Sequence[Claim]) -> Iterator[Note]:
    groups: dict[tuple[str, ...], list[Claim]] = {}
    for claim in claims:
        if claim.number is not None and claim.body and not is_cancelled(claim):
            groups.setdefault(tuple(read_tokens(claim.body).keys), []).append(claim)
    for first, *others in groups.values():
        numbers = [one.number for one in others if one.number is not None]
        if not numbers:
            continue
        subject, verb = ("Claims", "repeat") if len(numbers) > 1 else ("Claim", "repeats")
        sentence = f"{subject} {_listed(numbers)} {verb} claim {first.number} word for word."
        yield _note(side, others, sentence, NoteKind.REPEATED)


def _empty(side: str, claims: Sequence[Claim]) -> Iterator[Note]:
    empty = [one for one in claims if one.number is not None and not one.body.strip(".*_ ")]
    if empty:
        numbers = [one.number for one in empty if one.number is not None]
        have = "Claim {} has" if len(numbers) == 1 else "Claims {} have"
        sentence = f"{have.format(_listed(numbers))} no text."
        first = empty[0]
        yield Note(side, first.number, first.start, first.end, sentence, NoteKind.EMPTY)


_GOES_ON_LIST = """
a an and are as at be being between but by comprises comprising configured each first for fourth
from has have having in include includes including into is its least more nor of one or plurality
said second such than that the their these third this those to via was were when where wherein
whereby which while whose with without
"""
# After them a sentence goes on.
_GOES_ON = frozenset(_GOES_ON_LIST.split())
_LAST_WORD = re.compile(r"([A-Za-z]+)[\s*_]*$")
_OPEN_END = re.compile(r"[,(\[:;\u2013\u2014-][\s*_]*$")
_CLOSED = re.compile(r"[.!?\u3002][\s*_\"')\u201d\u2019]*$")
_LEAST_CLOSED = 3


def _truncated(side: str, claims: Sequence[Claim]) -> Iterator[Note]:
    """Yield the claims that break off, or the last one if it alone has no full stop."""
    numbered = [one for one in claims if one.body and not is_cancelled(one)]
    closed = [_CLOSED.search(one.body) is not None for one in numbered]
    for place, claim in enumerate(numbered):
        if claim.number is None and len(claims) > 1:
            continue
        name = f"Claim {claim.number}" if claim.number is not None else "The text"
        is_last = claim is numbered[-1]
        if _breaks_off(claim.body, is_last=is_last):
            sentence = f"{name} ends in the middle of a sentence: “… {_tail(claim.body)}”."
        elif is_last and not closed[place] and all(closed[:place]) and place >= _LEAST_CLOSED:
            sentence = f"{name}, the last one, has no full stop: the text may have been cut off."
        else:
            continue
        end = claim.start + len(claim.text.rstrip())
        yield Note(side, claim.number, end - 1, end, sentence, NoteKind.TRUNCATED)


def _breaks_off(body: str, *, is_last: bool) -> bool:
    tail = body[-_LONGEST_QUOTE:]
    word = _LAST_WORD.search(tail)
    if word is not None:
        return word[1].lower() in _GOES_ON and not word[1].isupper()
    return is_last and _OPEN_END.search(tail) is not None


_LONGEST_QUOTE = 60


def _tail(body: str) -> str:
    words = " ".join(body[-_LONGEST_QUOTE:].split())
    return words if len(body) <= _LONGEST_QUOTE else words.partition(" ")[2] or words


def _head(body: str) -> str:
    words = " ".join(body[: 2 * _LONGEST_QUOTE].split())
    if len(words) <= _LONGEST_QUOTE:
        return words
    return f"{words[:_LONGEST_QUOTE].rpartition(' ')[0] or words[:_LONGEST_QUOTE]} …"


_ESCAPE = re.compile(
    r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}"
    # No formula: \\nu, \\neq, \\theta, \\times, \\rho, \\right.
    r"|\\n(?!u\b|e\b|eq|eg|ot|abla)|\\t(?!heta|imes|ext|au|o\b|an|ilde|op)|\\r(?!ho|ight|m\b|angle)"
    r"|&(?:lt|gt|amp|quot|nbsp|apos"
    r"|deg|plusmn|times|micro|[lr][sd]quo|[nm]dash|#\d{2,6}|#x[0-9a-fA-F]{2,6});"
)
_DECORATION = re.compile(
    r"\*\*(?=\S)|__(?=[A-Za-z])|```|(?:(?<=\n)|\A)[ \t]{0,3}#{1,6}[ \t]+(?=\S)"
)


def _written_out(side: str, text: str, claims: Sequence[Claim]) -> Iterator[Note]:
    for pattern, kind, what in (
        (_ESCAPE, NoteKind.ESCAPE, "The text has “{}” written out instead of the character"),
        (_DECORATION, NoteKind.DECORATION, "The text has marks of markdown (“{}”)"),
    ):
        first = pattern.search(text)
        if first is None:
            continue
        count = sum(1 for _ in pattern.finditer(text))
        times = "once" if count == 1 else f"{count:,} times"
        claim = next((one for one in claims if one.end > first.start()), None)
        number = claim.number if claim else None
        place = "" if number is None else f", first in claim {number}"
        sentence = f"{what.format(first.group().strip())}, {times}{place}."
        yield Note(side, number, first.start(), first.end(), sentence, kind)


# How models begin what they say about claims; a claim begins with a noun phrase.
_REVISED = "revised|amended|rewritten|modified|updated|improved"
_CHATTER = re.compile(
    r"[\s*_#>-]*(?:"
    r"(?:please\s+)?note\s*(?:that\b|:)|please\s+(?:let|note|consult|feel|review|provide|keep)\b"
    r"|here(?:\s+(?:is|are)\b|[\u2019']s\b)|(?:sure|certainly|absolutely|of\s+course)\s*[,!.:]"
    r"|i(?:[\u2019'](?:ve|m|ll|d)|\s+(?:have|hope|made|can|will|am|would|did|added|removed|changed"
    r"|rewrote|revised|apologi[sz]e|cannot|understand|tried|believe|think))\b"
    r"|we\s+have\s+(?:made|revised|rewritten|changed|added)\b"
    rf"|(?:these|my|your|the\s+(?:above|following|original|provided|{_REVISED}))\s+"
    rf"(?:(?:{_REVISED}|dependent|independent|patent)\s+)?claims?\b(?!\s*[,:]?\s*(?:\d|compris))"
    r"|(?:additionally|furthermore|also|finally|overall|however|in\s+summary),\s+(?:the\s+claims?|i"
    r"|these\s+claims?|you)\b"
    r"|let\s+me\s+know|feel\s+free|if\s+you\s+(?:need|have|would|want|like)"
    r"|you\s+(?:should|may|can|might|could)\b|as\s+an?\s+(?:ai\b|(?:large\s+)?language\s+model)"
    rf"|this\s+(?:is\s+not\s+(?:legal|professional)|(?:(?:{_REVISED}|draft|dependent|new)\s+)?"
    r"(?:claim|version)\s+(?:set|is|adds|should|depends)|response)\b"
    r"|(?:summary\s+of\s+)?(?:the\s+)?(?:changes|modifications|revisions|amendments)\s+"
    r"(?:made|to|include|are)\b|(?:explanation|disclaimer)\s*:"
    rf"|in\s+(?:these|this|the)\s+(?:{_REVISED}|new)\s+(?:claims?|version|set)\b"
    r"|based\s+on\s+(?:the|your)\s+(?:(?:provided|given|above)\s+)?(?:patent|description"
    r"|specification|abstract|claims?|draft|text)\b"
    r"|the\s+(?:next|new)\s+(?:dependent\s+)?claim\s+should\b|thank\s+you\b|end\s+of\s+claims?\b"
    r"|would\s+you\s+like\b)",
    re.IGNORECASE,
)
# A heading between claims.
_HEADING = re.compile(
    r"[\s*_#]*(?:(?:in)?dependent\s+|further\s+)?claims?\s*:?[\s*_]*", re.IGNORECASE
)
_DISCLAIMER = re.compile(
    r"\blegal\s+(?:advice|counsel|professional)\b|\b(?:an?\s+)?(?:ai|large)?\s*language\s+model\b"
    r"|\bas\s+an\s+ai\b|\bpatent\s+(?:attorney|agent|lawyer|professional)\b|\bdisclaimer\b"
    r"|\b(?:may|might)\s+need\s+to\s+be\s+(?:modified|revised|adapted|adjusted|rewritten|amended)\b"
    r"|\bjust\s+(?:an\s+)?examples?\b|\bfor\s+(?:illustrative|informational)\s+purposes\b",
    re.IGNORECASE,
)
# A sentence ends before white space; a list of claims follows a colon.
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]\"\u201d*])[.!?:]['\"\u201d*]{0,3}(?=\s)|\n\s*\n")
# What a model did to claims, as an item of a list behind them.
_DEED = re.compile(
    r"[\s*_-]*(?:added|amended|changed|clarified|combined|corrected|deleted|expanded|improved"
    r"|included|inserted|modified|moved|removed|renamed|reordered|replaced|reworded|revised|rewrote"
    r"|simplified|specified|split|substituted|updated|used)\b",
    re.IGNORECASE,
)


def _remarks(side: str, text: str, claims: Sequence[Claim]) -> list[Note]:
    """Return what a model says about its claims: before, between, inside and behind them."""
    found: list[Note] = []
    lists_deeds = False
    for claim in claims:
        offset = claim.start + claim.body_offset
        body = claim.text[claim.body_offset :]
        if lists_deeds and _DEED.match(body):
            found[-1] = replace(found[-1], end=claim.start + len(claim.text.rstrip()))
            continue
        run = _sentences_of_remark(body, is_heading=claim.number is None)
        lists_deeds = any(body[start:end].rstrip().endswith(":") for start, end in run)
        if run:
            span = offset + run[0][0], offset + run[-1][1]
            is_behind = claim.number is not None and run[0][0] > 0
            found.append(_remark(side, text, claim.number, span, is_behind=is_behind))
    return found


def _sentences_of_remark(body: str, *, is_heading: bool) -> list[tuple[int, int]]:
    """Return the sentences of a claim, or of what stands before the first, that are a remark.

    Behind the full stop of a claim all that follows the first remark is one, too.
    """
    run: list[tuple[int, int]] = []
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(body)), len(body)]
    for start, end in pairwise(starts):
        sentence = body[start:end]
        goes_on = bool(run) and (run[0][0] > 0 or is_heading)
        is_title = start > 0 and _HEADING.fullmatch(sentence) is not None
        if sentence.strip() and (goes_on or is_title or _CHATTER.match(sentence)):
            run.append((start, end))
    return run


def _remark(
    side: str, text: str, claim: int | None, span: tuple[int, int], *, is_behind: bool
) -> Note:
    written = text[span[0] : span[1]]
    start = span[0] + len(written) - len(written.lstrip())
    end = span[0] + len(written.rstrip())
    kind = NoteKind.DISCLAIMER if _DISCLAIMER.search(written) else NoteKind.CHATTER
    what = "a disclaimer" if kind is NoteKind.DISCLAIMER else "a remark"
    if claim is None and end == len(text.rstrip()):
        place = f"The text contains {what} that is no claim"
    elif claim is None:
        place = f"The text before the claims is {what}, not a claim"
    elif is_behind:
        place = f"The text after claim {claim} is {what}, not a claim"
    else:
        place = f"Claim {claim} contains {what} that is not part of a claim"
    return Note(side, claim, start, end, f"{place}: “{_head(written.strip())}”.", kind)
