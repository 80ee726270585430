"""What a page could betray: where it points, what is inline, and what a browser may send away."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
# Attributes by which a browser, or htmx, asks for an address.
ADDRESSES: Final = frozenset(
    (
        *("href", "src", "srcset", "action", "formaction", "poster", "data", "cite", "ping"),
        *("hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete"),
    )
)
# What is typed there is a name, a number or a password: nothing that a spelling checker learns.
SHORT_KINDS: Final = frozenset(
    ("hidden", "radio", "checkbox", "submit", "button", "number", "date", "file", "password")
)
DISCREET: Final = ", which a DiscreetForm sets"
CLAIMS: Final = ("referenceclaim", "candidateclaim", "draftclaim")


@dataclass
class PageReader(HTMLParser):
    """Reads one page and collects what is wrong with it, as sentences."""

    wrong: list[str] = field(default_factory=list)
    fields: int = 0
    claims: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self._look_at_attributes(tag, known)
        if tag == "style" or (tag == "script" and "src" not in known):
            self.wrong.append(f"inline <{tag}>")
        if tag == "textarea" or (tag == "input" and known.get("type", "text") not in SHORT_KINDS):
            self._look_at_field(tag, known)
        if tag not in VOID:
            self._open.append((tag, known))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if any(claim in data for claim in CLAIMS):
            self.claims += 1
            if self._open and self._open[-1][0] == "title":
                self.wrong.append("claim text in <title>")
            elif not any(known.get("translate") == "no" for _, known in self._open):
                self.wrong.append(f"claim text that a browser may translate: {self._where()}")

    def _look_at_attributes(self, tag: str, known: dict[str, str]) -> None:
        for name, value in known.items():
            plain = name.replace("data-hx-", "hx-")
            if name == "style" or re.match(r"on\w|hx-on", plain):
                self.wrong.append(f"inline {name} on <{tag}>")
            is_address = plain in ADDRESSES or re.match(r"data-[a-z-]+-url$", name)
            if is_address and not re.match(r"(?!//)[/#?]|\.?$", value):
                self.wrong.append(f"address outside: {tag} {name}={value[:60]}")
            if is_address and any(claim in value for claim in CLAIMS):
                self.wrong.append(f"claim text in an address: {tag} {name}")

    def _look_at_field(self, tag: str, known: dict[str, str]) -> None:
        self.fields += 1
        name = known.get("name") or known.get("id", "")
        if known.get("autocomplete") in ("username", "one-time-code"):
            return
        forms = [held for open_tag, held in self._open if open_tag == "form"]
        off = known.get("autocomplete") == "off"
        if not off and not any(form.get("autocomplete") == "off" for form in forms):
            self.wrong.append(f"{tag} {name} lacks autocomplete{DISCREET}")
        if known.get("spellcheck") != "false":
            self.wrong.append(f"{tag} {name} lacks spellcheck{DISCREET}")
        if tag == "textarea" and known.get("translate") != "no":
            self.wrong.append(f"{tag} {name} lacks translate{DISCREET}")

    def _where(self) -> str:
        return " > ".join(tag for tag, _ in self._open[-4:])


def read(page: str) -> PageReader:
    """Return what a page holds and what is wrong with it."""
    reader = PageReader()
    reader.feed(page)
    return reader
