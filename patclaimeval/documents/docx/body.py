"""The paragraphs of a Word document in one of its two texts: with its tracked changes, or before.

What is no text of the claims is noted with the number of its paragraph, so that the reader can
name what stood in the claims.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from patclaimeval.documents.docx.numbering import Numbering
from patclaimeval.documents.docx.package import Package, child, is_on, value_of, word
from patclaimeval.documents.docx.tables import Row, kind_of_table, lines_of_table
from patclaimeval.documents.records import Place
from patclaimeval.documents.sections import SourceLine
from patclaimeval.documents.word_writer import BOOKMARK, JOINED
from patclaimeval.documents.xml_trees import local_name

_ADDED: Final = frozenset({"ins", "moveTo"})
_REMOVED: Final = frozenset({"del", "moveFrom"})
# Elements that only hold others: links, content controls, directions of writing.
_WRAPPERS: Final = frozenset(
    {"hyperlink", "smartTag", "customXml", "sdt", "sdtContent", "dir", "bdo", "ruby", "rubyBase"}
)
_REFERENCES: Final = {
    "footnoteReference": "footnote",
    "endnoteReference": "endnote",
    "commentReference": "comment",
}
_SIGNS: Final = {"tab": " ", "ptab": " ", "cr": "\n", "noBreakHyphen": "\u2011"}
# Fields that count by themselves and whose numbers Word does not store.
_UNSTORED: Final = frozenset({"AUTONUM", "AUTONUMLGL", "AUTONUMOUT", "LISTNUM"})
_MATH: Final = re.compile(r"\}(?:oMath|oMathPara)$")
_MATH_PLAIN: Final = frozenset(
    {"oMath", "oMathPara", "oMathParaPr", "r", "t", "rPr", "jc", "sty", "ctrlPr"}
)
IMAGE: Final = "[image]"
OBJECT: Final = "[object]"
FORMULA: Final = "[formula]"
SYMBOL: Final = "[symbol]"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that is no plain text: its kind, the paragraph, and a name that belongs to it."""

    kind: str
    paragraph: int
    detail: str = ""


@dataclass(slots=True)
class _Field:
    code: str = ""
    has_result: bool = False


@dataclass(slots=True)
class _Pending:
    text: str
    place: Place
    joins: bool


@dataclass(slots=True)
class Body:
    """Reads the body once; `takes_changes` is true for the text with the tracked changes."""

    package: Package
    takes_changes: bool
    events: list[Event] = field(default_factory=list)
    changes: int = 0
    # The paragraphs between the ends of the bookmark that marks the claims; none in most files.
    marked: range = range(0)
    _paragraph: int = 0
    _bookmark: str = ""
    _fields: list[_Field] = field(default_factory=list)
    _pending: _Pending | None = None
    _numbering: Numbering = field(init=False)

    def __post_init__(self) -> None:
        self._numbering = Numbering(self.package.numbering, self.package.styles)

    def lines(self) -> list[SourceLine]:
        """Return the paragraphs in order; rows of a table are lines, their cells divided."""
        found = list(self._blocks(self.package.body))
        if self._pending is not None and self._pending.text.strip():
            found.append(SourceLine(self._pending.text, self._pending.place))
        return found

    def _blocks(self, parent: Any) -> Iterator[SourceLine]:
        for element in parent:
            name = local_name(element)
            if name == "p":
                yield from self._paragraph_of(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name in ("sdt", "sdtContent", "customXml"):
                yield from self._blocks(element)
            elif name == "AlternateContent":
                yield from self._blocks(_choice(element))
            elif name in _ADDED or name in _REMOVED:
                if self._is_taken(name):
                    yield from self._blocks(element)
            elif name == "altChunk":
                self._note("embedded file")

    def _is_taken(self, name: str) -> bool:
        """Return whether what was added or removed is in this text."""
        self.changes += 1
        return self.takes_changes == (name in _ADDED)

    def _note(self, kind: str, detail: str = "") -> None:
        self.events.append(Event(kind, self._paragraph, detail))

    def _paragraph_of(self, element: Any) -> Iterator[SourceLine]:
        self._paragraph += 1
        place = Place("paragraph", self._paragraph)
        text = "".join(self._inline(element))
        properties = self._properties(element)
        style = value_of(properties, "pStyle")
        is_marked = self._paragraph in self.marked
        joins = is_marked and style == JOINED
        if self._pending is not None:
            if self._pending.text.strip():
                place = self._pending.place
            text, joins = self._pending.text + text, self._pending.joins
            self._pending = None
        if self._mark_is_gone(element):
            self._pending = _Pending(text, place, joins)
            return
        label = self._numbering.label(properties, style)
        if label.unread:
            self._note("number format", label.unread)
        heads = self._is_heading(style)
        text = text if is_marked else text.strip(" ")
        yield SourceLine(text, place, label.text, label.opens, label.in_list, heads, joins)

    def _is_heading(self, style: str) -> bool:
        return style in self._numbering.headings

    def _properties(self, element: Any) -> Any:
        """Return the properties of a paragraph, those before a tracked change where asked."""
        properties = child(element, "pPr")
        changed = child(properties, "pPrChange")
        if changed is not None:
            self.changes += 1
            if not self.takes_changes:
                return child(changed, "pPr")
        return properties

    def _mark_is_gone(self, element: Any) -> bool:
        """Return whether the end of a paragraph was put in or taken out and is not in this text."""
        mark = child(element, "pPr", "rPr")
        names = {local_name(item) for item in mark} if mark is not None else set()
        gone = _REMOVED if self.takes_changes else _ADDED
        if names & (_ADDED | _REMOVED):
            self.changes += 1
        return bool(names & gone)

    def _table(self, table: Any) -> Iterator[SourceLine]:
        rows = list(self._rows(table))
        if rows:
            self.events.append(Event(kind_of_table(rows), rows[0][0].number))
            yield from lines_of_table(rows)

    def _rows(self, table: Any) -> Iterator[Row]:
        """Yield the rows that are in this text."""
        for row in (item for item in table.iter() if _is_row_of(item, table)):
            properties = child(row, "trPr")
            tracked = {local_name(item) for item in properties} if properties is not None else set()
            place = Place("paragraph", self._paragraph + 1)
            cells = []
            for cell in (item for item in row if local_name(item) in ("tc", "sdt")):
                inside = self._blocks(cell if local_name(cell) == "tc" else _cell(cell))
                cells.append([line for line in inside if line.shown.strip()])
            if tracked & (_ADDED | _REMOVED):
                self.changes += 1
            if not tracked & (_REMOVED if self.takes_changes else _ADDED):
                yield place, cells

    def _inline(self, parent: Any) -> Iterator[str]:
        for element in parent:
            name = local_name(element)
            if _MATH.search(element.tag if isinstance(element.tag, str) else ""):
                yield self._formula(element)
            elif name == "r":
                yield from self._run(element)
            elif name in _ADDED or name in _REMOVED:
                if self._is_taken(name):
                    yield from self._inline(element)
            elif name in _WRAPPERS:
                yield from self._inline(element)
            elif name in ("bookmarkStart", "bookmarkEnd"):
                self._look_for_claims(element, name)
            elif name == "fldSimple":
                self._note("field", _field_name(word(element, "instr") or ""))
                yield from self._inline(element)
            elif name == "AlternateContent":
                yield from self._inline(_choice(element))

    def _look_for_claims(self, element: Any, name: str) -> None:
        """Note where the bookmark of the claims begins and ends; it is without an end at first."""
        key = word(element, "id") or ""
        if name == "bookmarkStart" and word(element, "name") == BOOKMARK and not self.marked:
            self.marked, self._bookmark = range(self._paragraph, sys.maxsize), key
        elif name == "bookmarkEnd" and key == self._bookmark and self.marked:
            self.marked = range(self.marked.start, self._paragraph + 1)

    def _run(self, run: Any) -> Iterator[str]:
        properties = child(run, "rPr")
        if properties is not None:
            if is_on(child(properties, "vanish")):
                self._note("hidden text")
                return
            if is_on(child(properties, "strike")) or is_on(child(properties, "dstrike")):
                self._note("struck out")
            if value_of(properties, "vertAlign") in ("superscript", "subscript"):
                self._note("raised or lowered")
        for element in run:
            yield self._piece(element)

    def _piece(self, element: Any) -> str:
        name = local_name(element)
        if name in ("fldChar", "instrText", "delInstrText"):
            self._field_part(element, name)
            return ""
        if self._fields and not self._fields[-1].has_result:
            return ""
        if name in _SIGNS:
            return _SIGNS[name]
        if name in _REFERENCES:
            self._note(_REFERENCES[name])
        return self._shown(element, name)

    def _shown(self, element: Any, name: str) -> str:
        match name:
            case "t" | "delText":
                return element.text or ""
            case "br":
                return "\n" if word(element, "type") in (None, "textWrapping") else ""
            case "sym":
                self._note("symbol", word(element, "font") or "")
                return SYMBOL
            case "drawing" | "pict" | "object":
                return self._graphic(element, name)
            case "AlternateContent":
                return "".join(self._piece(item) for item in _choice(element))
            case "ruby":
                self._note("ruby")
                base = child(element, "rubyBase")
                return "".join(self._inline(base)) if base is not None else ""
        return ""

    def _field_part(self, element: Any, name: str) -> None:
        if name != "fldChar":
            if self._fields:
                self._fields[-1].code += element.text or ""
            return
        match word(element, "fldCharType"):
            case "begin":
                self._fields.append(_Field())
            case "separate" if self._fields:
                self._fields[-1].has_result = True
            case "end" if self._fields:
                ended = self._fields.pop()
                code = _field_name(ended.code)
                is_lost = code in _UNSTORED and not ended.has_result
                self._note("field without result" if is_lost else "field", code)

    def _graphic(self, element: Any, name: str) -> str:
        if any(local_name(item) == "txbxContent" for item in element.iter()):
            self._note("text box")
            return ""
        if name == "object":
            self._note("object")
            return OBJECT
        self._note("image", _picture_id(element))
        return IMAGE

    def _formula(self, element: Any) -> str:
        """Return a formula of letters in a row as text; fractions and the like have none."""
        if all(local_name(item) in _MATH_PLAIN for item in element.iter()):
            return "".join(item.text or "" for item in element.iter() if local_name(item) == "t")
        self._note("formula")
        return FORMULA


def _picture_id(graphic: Any) -> str:
    """Return the id by which a graphic names the part that holds its picture."""
    for item in graphic.iter():
        wanted = {"blip": "embed", "imagedata": "id"}.get(local_name(item))
        for name, value in item.attrib.items():
            if wanted and str(name).rpartition("}")[2] == wanted and str(name).startswith("{"):
                return str(value)
    return ""


def _is_row_of(element: Any, table: Any) -> bool:
    """Return whether a row belongs to this table and not to one within it."""
    if local_name(element) != "tr":
        return False
    above = element.getparent()
    while local_name(above) != "tbl":
        above = above.getparent()
    return above is table


def _cell(element: Any) -> Iterable[Any]:
    return (item for cell in element.iter() if local_name(cell) == "tc" for item in cell)


def _choice(element: Any) -> Any:
    """Return what of several renderings of the same content is read: the newest."""
    found = (child(element, name) for name in ("Choice", "Fallback"))
    return next((item for item in found if item is not None), ())


def _field_name(code: str) -> str:
    return (code.split() or [""])[0].upper()[:20]
