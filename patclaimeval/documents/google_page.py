"""Reads a saved page of Google Patents: the claims with what they cite, and the context."""

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from patclaimeval.documents.assembling import (
    StatedClaim,
    claims_stated,
    look_over,
    stated_status,
)
from patclaimeval.documents.element_text import CHECKS, Text, attribute, plain
from patclaimeval.documents.office_xml.bibliography import OFFICES, day, symbol
from patclaimeval.documents.records import (
    Bibliography,
    Notes,
    Passage,
    Place,
    ReadDocument,
    ReadOptions,
    Severity,
)
from patclaimeval.text_io.streams import FormatError

MOST_BYTES: Final = 16 * 1024 * 1024
_CLAIM: Final = frozenset({"claim", "claim-dependent"})
_PARAGRAPHS: Final = frozenset({"description-paragraph", "description-line"})
_NUMBER: Final = re.compile(r"([A-Z]{2})\W?(\d[\d,]*)\W?([A-Z]\d?)?")
_MOST_SYMBOLS: Final = 40


def read_google_page(data: bytes, options: ReadOptions) -> ReadDocument:
    """Return the claims of a page of Google Patents as a browser has saved it.

    Input: the bytes, and what the person chose. A text that Google translated is read as it is
    shown, and said to be translated. Raises FormatError for what is no such page, is too long, has
    no claims, or shows them in another language than the one asked for.
    """
    if len(data) > MOST_BYTES:
        raise FormatError(f"The page has {len(data):,} bytes; at most {MOST_BYTES:,} are read.")
    parser = etree.HTMLParser(
        no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise FormatError("The page cannot be read; save it again as a web page.") from None
    section = _section(root) if root is not None else None
    if section is None:
        raise FormatError(
            "The page has no claims as pages of Google Patents mark them. Save such a page when "
            "all of it is shown, or paste the claims as text."
        )
    notes = Notes()
    _drop_originals(section, notes)
    stated = list(_stated(section, notes))
    if not stated:
        raise FormatError("The page has a section of claims, but no claim in it.")
    claims = claims_stated(stated)
    look_over(claims, notes)
    about = _bibliography(root, section)
    if options.language and about.language and options.language != about.language:
        raise FormatError(
            f"The page shows the claims in {about.language}, not in {options.language}."
        )
    return ReadDocument(
        "html",
        claims,
        left_out=notes.left_out,
        findings=tuple(notes.findings),
        bibliography=about,
        context=tuple(_context(root)),
    )


def _classes(element: Any) -> set[str]:
    return set((element.get("class") or "").split())


def _section(root: Any) -> Any:
    """Return the section of claims: as the server marks it, or as the page's script made it."""
    for item in root.iter(etree.Element):
        if item.get("itemprop") == "claims" or (
            item.get("id") == "claims"
            and any(_CLAIM & _classes(inner) for inner in item.iter("div"))
        ):
            return item
    return None


def _drop_originals(section: Any, notes: Notes) -> None:
    """Take out the originals of translated sentences, which the page holds and does not show."""
    originals = [item for item in section.iter("span") if "google-src-text" in _classes(item)]
    for item in originals:
        before = item.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + (item.tail or "")
        else:
            above = item.getparent()
            above.text = (above.text or "") + (item.tail or "")
        item.getparent().remove(item)
    if originals:
        notes.leave_out("original text", "the page shows its translation", count=len(originals))
        sentence = "The page shows a translation by machine; these are not the claims as filed."
        notes.add(Severity.CHECK, "translation", sentence)


def _claim_elements(section: Any) -> list[Any]:
    """Return the elements of the claims, of several within each other the one with the number."""
    marked = [item for item in section.iter(etree.Element) if _CLAIM & _classes(item)]
    numbered = [item for item in marked if item.get("num")]
    known = set(numbered or marked)
    return [
        item
        for item in numbered or marked
        if not any(above in known for above in item.iterancestors())
    ]


def _stated(section: Any, notes: Notes) -> Iterator[StatedClaim]:
    elements = _claim_elements(section)
    for position, item in enumerate(elements, start=1):
        text = Text()
        text.add(item)
        lines = text.lines()
        if not lines:
            continue
        place = Place("line", item.sourceline)
        for kind in dict.fromkeys(text.marks):
            notes.add(Severity.CHECK, kind, CHECKS[kind], place)
        found = re.match(r"0*(\d{1,4})(?:-0*(\d{1,4}))?$", item.get("num") or "")
        first = int(found[1]) if found else position
        last = int(found[2]) if found and found[2] else first
        cites = [re.search(r"(\d{1,4})$", link) for link in text.links]
        numbers = tuple(dict.fromkeys(int(match[1]) for match in cites if match))
        body = re.sub(r"^[\d\s.\-)]+", "", lines[0])
        yield StatedClaim(first, lines, place, last, numbers, stated_status(body))


def _all(root: Any, name: str) -> Iterator[Any]:
    return (item for item in root.iter(etree.Element) if item.get("itemprop") == name)


def _one(root: Any, name: str) -> str:
    found = next(_all(root, name), None)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""


def _meta(root: Any, name: str) -> str:
    found = (item for item in root.iter("meta") if (item.get("name") or "").lower() == name)
    return next(((item.get("content") or "").strip() for item in found), "")


def _bibliography(root: Any, section: Any) -> Bibliography:
    number = _NUMBER.match(
        _one(root, "publicationNumber")
        or _meta(root, "citation_patent_number")
        or _one(root, "pageTitle")
    )
    country, digits, kind = number.groups() if number else ("", "", "")
    at = next(_all(root, "publicationDate"), None)
    date = (at.get("datetime") or "".join(at.itertext())) if at is not None else ""
    symbols = (symbol(_text(item)) for item in _all(root, "Code"))
    family = next((item for item in _all(root, "family")), None)
    named = re.search(r"ID=(\d+)", _text(family)) if family is not None else None
    tongue = next(
        (attribute(item, "lang") for item in section.iter(etree.Element) if item.get("lang")), ""
    ).lower()[:2]
    return Bibliography(
        office=OFFICES.get(country, country),
        number=f"{country}{digits.replace(',', '')}{kind or ''}",
        kind=kind or "",
        date=day(date),
        title=_one(root, "title") or _meta(root, "dc.title"),
        language=tongue,
        languages=(tongue,) if tongue else (),
        cpc=tuple(dict.fromkeys(found for found in symbols if found))[:_MOST_SYMBOLS],
        family=named[1] if named else "",
    )


def _text(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _context(root: Any) -> Iterator[Passage]:
    for part in ("description", "abstract"):
        for section in _all(root, part):
            for item in section.iter(etree.Element):
                is_heading = plain(item) == "heading"
                if not (_PARAGRAPHS & _classes(item) or is_heading or "abstract" in _classes(item)):
                    continue
                text = Text()
                text.add(item)
                if whole := "\n".join(text.lines()):
                    label = item.get("num") or ""
                    yield Passage(part, whole, Place("line", item.sourceline), label, is_heading)
