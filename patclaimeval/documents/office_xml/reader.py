"""Reads the XML of patent offices: the claims in one language, what they cite, and the context."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from patclaimeval.documents.assembling import (
    StatedClaim,
    claims_of_lines,
    claims_stated,
    look_over,
    stated_status,
)
from patclaimeval.documents.element_text import CHECKS, Text, attribute, plain
from patclaimeval.documents.office_xml.bibliography import bibliography_of
from patclaimeval.documents.records import (
    ClaimSet,
    Notes,
    Passage,
    Place,
    ReadDocument,
    ReadOptions,
    Severity,
    TrackedChanges,
    list_numbers,
)
from patclaimeval.documents.sections import SourceLine
from patclaimeval.documents.xml_trees import parse_xml
from patclaimeval.documents.zip_files import shown
from patclaimeval.text_io.streams import FormatError

_SETS: Final = frozenset({"claims", "claimset", "amendedclaims"})
_IMAGES: Final = frozenset({"figure"})
_ELSEWHERE: Final = "the XML only names its file; put that into drawings/ of an archive"
_NUMBER: Final = re.compile(r"\D*0*(\d{1,5})(?:\s*-\s*0*(\d{1,5}))?\s*$")
_PARAGRAPH_NUMBER: Final = re.compile(r"\[(\d{4,5})\]\s*")


def read_office_xml(data: bytes, options: ReadOptions) -> ReadDocument:
    """Return the claims of a document in ST.36 or ST.96.

    Input: the bytes, and what the person chose. Amendments that the file marks are read as
    `tracked_changes` says, amended claims beside those filed too. Raises FormatError for what is no
    such XML, declares entities, holds several documents, or has no claims, or none in the language
    asked for. Claims in several languages, none of which was asked for, are a question.
    """
    if data.count(b"<?xml ") > 1:
        raise FormatError("The file holds several XML documents; split it into one file each.")
    root = parse_xml(data, "The file", takes_doctype=True)
    notes = Notes()
    sets = [item for item in root.iter() if plain(item) in _SETS and _claims(item)]
    if not sets:
        raise FormatError("The XML holds no claims (no element `claim` within `claims`).")
    languages = tuple(dict.fromkeys(_language(item, root) for item in sets))
    chosen = _chosen_sets(sets, languages, root, options, notes)
    claims, draft = _read_sets(chosen, options, notes)
    look_over(claims, notes)
    language = _language(chosen[0], root) if chosen else options.language
    if sheets := sum(plain(item) in _IMAGES for item in root.iter()):
        notes.leave_out("drawing", _ELSEWHERE, count=sheets)
    return ReadDocument(
        "xml",
        claims,
        draft,
        left_out=notes.left_out,
        findings=tuple(notes.findings),
        bibliography=replace(
            bibliography_of(root, language),
            language=language,
            languages=tuple(name for name in languages if name),
        ),
        context=tuple(_context(root, language)),
    )


def _claims(element: Any) -> list[Any]:
    """Return the claims of a set, not those of a set within it."""
    return [
        item
        for item in element.iter()
        if plain(item) == "claim"
        and next(above for above in item.iterancestors() if plain(above) in _SETS) is element
    ]


def _language(element: Any, root: Any) -> str:
    while element is not None:
        if own := attribute(element, "lang", "languagecode"):
            return own.lower()[:2]
        element = element.getparent() if element is not root else None
    return ""


def _chosen_sets(
    sets: Sequence[Any],
    languages: tuple[str, ...],
    root: Any,
    options: ReadOptions,
    notes: Notes,
) -> list[Any]:
    """Return the sets of claims in the language asked for: at most one as filed, one as amended."""
    asked = options.language or (languages[0] if len(languages) == 1 else "")
    known = ", ".join(shown(name) or "no language named" for name in languages)
    if not asked and len(languages) > 1:
        sentence = f"The file has claims in several languages ({known}). Say which one is meant."
        notes.add(Severity.QUESTION, "language", sentence)
        return []
    found = [item for item in sets if _language(item, root) in (asked, "") or asked == ""]
    if not found:
        raise FormatError(f"The file has no claims in {asked}; it has them in: {known}.")
    if options.first is not None:
        found = [item for item in found if item.sourceline == options.first] or found
    for kind in (False, True):
        same = [item for item in found if (plain(item) == "amendedclaims") == kind]
        if len(same) > 1:
            lines = list_numbers(item.sourceline for item in same)
            sentence = f"The file has several sets of claims, at lines {lines}. Say at which line."
            notes.add(Severity.QUESTION, "where claims begin", sentence)
            return []
    return found


def _read_sets(
    chosen: Sequence[Any], options: ReadOptions, notes: Notes
) -> tuple[ClaimSet, ClaimSet | None]:
    """Return the claims, and the draft where both texts are asked for and there are two."""
    if not chosen:
        return ClaimSet(), None
    amended = [item for item in chosen if plain(item) == "amendedclaims"]
    filed = [item for item in chosen if plain(item) != "amendedclaims"] or amended
    asked = options.tracked_changes
    current = (amended or filed)[0] if asked is not TrackedChanges.ORIGINAL else filed[0]
    claims, is_marked = _read_set(current, asked, notes)
    if not is_marked and not amended:
        return claims, None
    notes.add(Severity.NOTE, "amendments", "The file has amendments; see which text was read.")
    if asked is not TrackedChanges.BOTH:
        return claims, None
    draft, _ = _read_set(filed[0], TrackedChanges.ORIGINAL, Notes())
    return claims, draft if draft != claims else None


def _read_set(element: Any, changes: TrackedChanges, notes: Notes) -> tuple[ClaimSet, bool]:
    claims = _claims(element)
    if len(claims) == 1 and not attribute(claims[0], "num"):
        # OPS puts all claims into one, a line or an element each.
        return _read_lines(claims[0], changes, notes)
    numbers = {attribute(item, "id"): _number(item, place)[0] for place, item in enumerate(claims)}
    stated: list[StatedClaim] = []
    has_changes = False
    for position, item in enumerate(claims):
        text = Text(changes)
        text.add(item)
        has_changes = has_changes or text.has_changes
        first, last = _number(item, position)
        place = Place("line", item.sourceline)
        for kind in dict.fromkeys(text.marks):
            notes.add(Severity.CHECK, kind, CHECKS[kind], place)
        cites = [numbers.get(link) or _number_in(link) for link in text.links]
        lines = text.lines()
        if not lines:
            # Taken out as a whole, or not there yet, in the text that was asked for.
            notes.add(Severity.NOTE, "no text", f"Claim {first} has no text here.", place)
            continue
        stated.append(
            StatedClaim(
                first,
                lines,
                place,
                last,
                tuple(dict.fromkeys(number for number in cites if number)),
                _status(item, lines),
            )
        )
    return claims_stated(stated), has_changes


def _read_lines(claim: Any, changes: TrackedChanges, notes: Notes) -> tuple[ClaimSet, bool]:
    lines: list[SourceLine] = []
    has_changes = False
    for item in claim:
        text = Text(changes)
        # Line ends are all that divides the claims of some documents.
        *pieces, item.text = (item.text or "").split("\n")
        for number, piece in enumerate(pieces, start=item.sourceline):
            lines.append(SourceLine(piece.strip(), Place("line", number)))
        text.add(item)
        has_changes = has_changes or text.has_changes
        place = Place("line", item.sourceline + len(pieces))
        lines += [SourceLine(line, place) for line in text.lines()]
    return claims_of_lines([line for line in lines if line.text], notes), has_changes


def _number(claim: Any, position: int) -> tuple[int, int]:
    """Return the first and last number of a claim: stated, in its id, or by its place."""
    stated = attribute(claim, "num") or next(
        ("".join(item.itertext()) for item in claim if plain(item) == "claimnumber"), ""
    )
    for text in (stated, attribute(claim, "id")):
        found = _NUMBER.match(text)
        if found:
            first = int(found[1])
            return first, int(found[2]) if found[2] and text == stated else first
    return position + 1, position + 1


def _number_in(link: str) -> int | None:
    found = re.search(r"(\d{1,5})$", link)
    return int(found[1]) if found else None


def _status(claim: Any, lines: tuple[str, ...]) -> str:
    own = attribute(claim, "status", "claimstatus", "claimstatuscategory", "amendmentstatus")
    own = own or next(
        ((item.text or "") for item in claim if plain(item) == "claimstatuscategory"), ""
    )
    body = re.sub(r"^[\d\s.\-)]+", "", lines[0])
    return own.strip().lower() or stated_status(body)


def _context(root: Any, language: str) -> Iterator[Passage]:
    for part in ("description", "abstract"):
        for element in (item for item in root.iter() if plain(item) == part):
            if _language(element, root) not in (language, ""):
                continue
            yield from _passages(element, part)


def _passages(element: Any, part: str) -> Iterator[Passage]:
    items = [item for item in element.iter() if plain(item) in ("p", "heading")] or [element]
    for item in items:
        if any(plain(above) == "p" for above in item.iterancestors()):
            continue
        text = Text()
        text.add(item)
        whole = "\n".join(text.lines())
        if not whole:
            continue
        number = _PARAGRAPH_NUMBER.match(whole)
        label = attribute(item, "num") or (number[1] if number else "")
        body = whole[number.end() :] if number else whole
        yield Passage(part, body, Place("line", item.sourceline), label, plain(item) == "heading")
