"""What office XML says of the document itself: number, date, title, classification, family."""

import re
from collections.abc import Iterator
from typing import Any, Final

from patclaimeval.documents.element_text import attribute, plain
from patclaimeval.documents.records import Bibliography

OFFICES: Final = {
    "US": "USPTO",
    "EP": "EPO",
    "WO": "WIPO",
    "DE": "DPMA",
    "JP": "JPO",
    "CN": "CNIPA",
}
# "B28B   1/    29            A I" and "H04W  12/04  20090101AFI..." are one symbol and more.
_SYMBOL: Final = re.compile(r"([A-HY]\d{2}[A-Z])\s*(\d{1,4})\s*/\s*(\d{2,6})")
_MOST_SYMBOLS: Final = 40


def symbol(text: str) -> str:
    """Return a classification symbol as it is written, "B28B 1/29"; "" where there is none."""
    found = _SYMBOL.match(text.strip())
    return f"{found[1]} {found[2]}/{found[3]}" if found else ""


def day(text: str) -> str:
    """Return a date as YYYY-MM-DD from that form or from eight digits; "" for anything else."""
    found = re.match(r"(\d{4})-?(\d{2})-?(\d{2})", text.strip())
    return "-".join(found.groups()) if found else ""


def bibliography_of(root: Any, language: str) -> Bibliography:
    """Return what is said of the document; titles in the language asked for, else the first."""
    named = _first(root, "publicationreference", "patentpublicationidentification")
    country = _under(named, "country", "ipofficecode") or attribute(root, "country")
    number = _under(named, "docnumber", "publicationnumber") or attribute(root, "docnumber")
    kind = _under(named, "kind", "patentdocumentkindcode") or attribute(root, "kind")
    published = _under(named, "date", "publicationdate") or attribute(root, "datepubl")
    exchange = _first(root, "exchangedocument", "familymember")
    return Bibliography(
        office=OFFICES.get(country.upper(), country.upper()),
        number=f"{country}{number}{kind}" if number else "",
        kind=kind,
        date=day(published),
        title=_title(root, language),
        ipc=_symbols(root, "ipc"),
        cpc=_symbols(root, "cpc"),
        family=attribute(exchange, "familyid") if exchange is not None else "",
    )


def _first(root: Any, *names: str) -> Any:
    return next((item for item in root.iter() if plain(item) in names), None)


def _under(element: Any, *names: str) -> str:
    found = _first(element, *names) if element is not None else None
    return (found.text or "").strip() if found is not None else ""


def _title(root: Any, language: str) -> str:
    titles = dict(reversed(list(_titles(root))))
    return titles.get(language) or next(iter(reversed(titles.values())), "")


def _titles(root: Any) -> Iterator[tuple[str, str]]:
    """Yield the titles with their languages; the EPO's B541 names that of the B542 after it."""
    tongue = ""
    for item in root.iter():
        name = plain(item)
        if name == "b541":
            tongue = (item.text or "").strip().lower()
        elif name in ("b542", "inventiontitle"):
            own = attribute(item, "lang", "languagecode").lower()
            text = " ".join("".join(item.itertext()).split())
            if text:
                yield own or tongue, text


def _symbols(root: Any, system: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for item in root.iter():
        name = plain(item)
        if not (name.startswith(("classification", "patentclassification")) or system in name):
            continue
        if system not in name:
            continue
        parts = {plain(inner): (inner.text or "").strip() for inner in item}
        text = (
            parts.get("text")
            or "".join(parts.get(part, "") for part in ("section", "class", "subclass"))
            + f"{parts.get('maingroup', '')}/{parts.get('subgroup', '')}"
        )
        if written := symbol(text):
            found[written] = None
    return tuple(found)[:_MOST_SYMBOLS]
