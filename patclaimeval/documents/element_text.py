"""The text of an element of office XML or of a page, line by line, with what in it is no text."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from patclaimeval.documents.records import TrackedChanges
from patclaimeval.documents.xml_trees import entity_text, is_entity, local_name

IMAGE: Final = "[image]"
FORMULA: Final = "[formula]"
CELLS: Final = " | "
_BREAKS: Final = frozenset(
    {"claimtext", "p", "li", "dd", "dt", "row", "tr", "heading", "br", "div", "h1", "h2", "h3"}
)
_MARKS: Final = {
    "img": IMAGE,
    "image": IMAGE,
    "figure": IMAGE,
    "chemistry": IMAGE,
    "chemicalformulae": IMAGE,
    "maths": FORMULA,
    "math": FORMULA,
    "mathematicalformulae": FORMULA,
}
_LEFT_OUT: Final = frozenset(
    {"claimnumber", "claimstatuscategory", "ocrconfidencedata", "confidence", "footnote", "ftnote"}
)
_CELLS: Final = frozenset({"entry", "td", "th"})
CHECKS: Final = {
    "image": "An image stands in the claim; [image] marks the place.",
    "formula": "A formula stands in the claim; [formula] marks the place.",
    "table": "A table stands in the claim; its rows were written as lines, cells divided by |.",
    "raised or lowered": "Raised or lowered signs were written on the line.",
}
_SPACE: Final = re.compile(r"[ \t\r\n\x0b\x0c]+")


def plain(element: Any) -> str:
    """Return an element's name as ST.36 and ST.96 share it: `claim-text` and `ClaimText` alike."""
    return local_name(element).replace("-", "").lower()


def attribute(element: Any, *names: str) -> str:
    """Return the first attribute of these plain names, whatever its namespace; "" without one."""
    found = {key.rpartition("}")[2].replace("-", "").lower(): key for key in element.attrib}
    return next((element.get(found[name]) or "" for name in names if name in found), "").strip()


@dataclass(slots=True)
class Text:
    """Gathers the lines of an element; `links` are the ids that it refers to."""

    changes: TrackedChanges = TrackedChanges.ACCEPTED
    marks: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    has_changes: bool = False
    _parts: list[str] = field(default_factory=list)

    def lines(self) -> tuple[str, ...]:
        """Return the lines, white space within them as one blank, none of them empty."""
        whole = "".join(self._parts).split("\0")
        found = (_SPACE.sub(" ", line).strip(" ") for line in whole)
        return tuple(line.strip(CELLS) for line in found if line.strip(CELLS))

    def add(self, element: Any) -> None:
        """Add what stands in an element, its own tail left out."""
        self._parts.append(element.text or "")
        for inner in element:
            self._add_inner(inner)
            self._parts.append(inner.tail or "")

    def _add_inner(self, inner: Any) -> None:
        if is_entity(inner):
            self._parts.append(entity_text(inner, "The file"))
            return
        name = plain(inner)
        if name in _LEFT_OUT or self._is_of_the_other_text(name):
            return
        if name in _MARKS:
            self.marks.append("image" if _MARKS[name] == IMAGE else "formula")
            self._parts.append(f" {_MARKS[name]} ")
            return
        self._note(inner, name)
        if name in _BREAKS:
            self._parts.append("\0")
        self.add(inner)
        if name in _BREAKS:
            self._parts.append("\0")
        elif name in _CELLS:
            self._parts.append(CELLS)

    def _note(self, inner: Any, name: str) -> None:
        if name in ("claimref", "claimreference"):
            self.links += attribute(inner, "idref", "idrefs").split()
        elif name in ("sub", "sup", "sub2", "sup2"):
            self.marks.append("raised or lowered")
        elif name == "table":
            self.marks.append("table")

    def _is_of_the_other_text(self, name: str) -> bool:
        """Return whether an amendment has put this in or taken it out, and it is not asked for."""
        is_added = name in ("ins", "insertedtext")
        is_removed = name in ("del", "deletedtext")
        self.has_changes = self.has_changes or is_added or is_removed
        original = self.changes is TrackedChanges.ORIGINAL
        return (is_added and original) or (is_removed and not original)
