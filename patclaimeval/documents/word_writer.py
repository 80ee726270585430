"""Writes claims as a Word document, with tracked changes and comments where there are any.

The few parts that such a document needs are written as text (ADR 0038). Nothing in it names a
person, a machine or the time of writing, unless the caller gives it: the same input gives the same
bytes.
"""

import io
import re
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from patclaimeval.claims.tracked_changes import Spot, Step, Stretch, spots_of

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
# Between its ends stand the claims, byte for byte; the reader of Word documents looks for it.
BOOKMARK: Final = "claim_set"
# The style of a claim that begins within a line of the text: the paragraph is for the eye.
JOINED: Final = "ClaimJoined"
PROGRAM: Final = "PatClaimEval workbench"
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class UnwritableText(ValueError):
    """A text with a character that no XML may hold."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on characters of a side; without a side, or beyond it, on the text as a whole."""

    text: str
    author: str
    side: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class WordTable:
    """A table under a heading: the names of its columns, its rows, and the widths in twips."""

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    widths: Sequence[int]


@dataclass(frozen=True, slots=True)
class WordFile:
    """What a document holds: a title, lines below it, the notice on each page, claims, tables.

    `author` and `date` (ISO 8601, in UTC) are those of the changes, `date` also of the comments.
    Without claims there is no heading for them.
    """

    title: str
    lines: Sequence[str]
    notice: str
    claims: Sequence[Stretch] = ()
    author: str = ""
    date: str = ""
    comments: Sequence[Comment] = ()
    tables: Sequence[WordTable] = ()


def write_docx(file: WordFile) -> bytes:
    """Return a document as bytes.

    Accepting all changes leaves the text of what is not removed, rejecting them that of what is not
    added. Raises UnwritableText where a text holds a character that no XML may hold.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _parts(file).items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            # As on a system without rights of files: it shows nothing of the one that wrote it.
            entry.create_system = 0
            archive.writestr(entry, _HEAD + text)
    return target.getvalue()


def first_unwritable(text: str) -> tuple[int, str] | None:
    """Return where the first character stands that no Word document can hold, and its code."""
    found = _UNWRITABLE.search(text)
    return (found.start(), f"U+{ord(found[0]):04X}") if found else None


_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006"
_NAMES: Final = f'xmlns:w="{_WORD}" xmlns:r="{_OFFICE}/relationships"'
# Of a part: the name of its relation, and the end of its media type.
_KINDS: Final = {
    "document": ("officeDocument", "document.main"),
    "styles": ("styles", "styles"),
    "header": ("header", "header"),
    "comments": ("comments", "comments"),
}


def _parts(file: WordFile) -> dict[str, str]:
    names = ["styles", "header", *(["comments"] if file.comments else [])]
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="application/vnd.openxmlformats-'
        f'officedocument.wordprocessingml.{_KINDS[name][1]}+xml"/>'
        for name in ("document", *names)
    )
    relations = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/relationships/{_KINDS[name][0]}" '
        f'Target="{name}.xml"/>'
        for name in names
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{types}'
        '<Override PartName="/docProps/app.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.extended-properties+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="document" Type="{_OFFICE}/relationships/officeDocument" '
        'Target="word/document.xml"/>'
        f'<Relationship Id="app" Type="{_OFFICE}/relationships/extended-properties" '
        'Target="docProps/app.xml"/></Relationships>',
        "docProps/app.xml": f'<Properties xmlns="{_OFFICE}/extended-properties">'
        f"<Application>{PROGRAM}</Application></Properties>",
        "word/document.xml": _document(file),
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{relations}</Relationships>",
        "word/styles.xml": _STYLES,
        "word/header.xml": f"<w:hdr {_NAMES}>{_paragraph(file.notice, 'Header')}</w:hdr>",
    }
    if file.comments:
        parts["word/comments.xml"] = f"<w:comments {_NAMES}>{''.join(_comments(file))}</w:comments>"
    return parts


_STYLES: Final = (
    f'<w:styles {_NAMES}><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Liberation Serif" '
    'w:hAnsi="Liberation Serif" w:cs="Liberation Serif"/><w:sz w:val="22"/></w:rPr></w:rPrDefault>'
    '</w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name '
    'w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="Title"><w:name '
    'w:val="Title"/><w:basedOn w:val="Normal"/><w:rPr><w:b/><w:sz w:val="30"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn '
    'w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="240" w:after="120"/><w:outlineLvl '
    'w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="24"/></w:rPr></w:style><w:style '
    'w:type="paragraph" w:styleId="Header"><w:name w:val="header"/><w:basedOn w:val="Normal"/>'
    '<w:rPr><w:i/><w:sz w:val="18"/></w:rPr></w:style><w:style w:type="paragraph" '
    'w:styleId="CommentText"><w:name w:val="annotation text"/><w:basedOn w:val="Normal"/><w:rPr>'
    '<w:sz w:val="20"/></w:rPr></w:style><w:style w:type="paragraph" w:customStyle="1" '
    'w:styleId="TableHead"><w:name w:val="TableHead"/><w:basedOn w:val="Normal"/><w:rPr><w:b/>'
    '</w:rPr></w:style><w:style w:type="paragraph" w:customStyle="1" '
    f'w:styleId="{JOINED}"><w:name w:val="{JOINED}"/><w:basedOn w:val="Normal"/>'
    '<w:pPr><w:spacing w:before="120"/></w:pPr></w:style></w:styles>'
)
_PAGE: Final = (
    '<w:sectPr><w:headerReference w:type="default" r:id="header"/><w:pgSz w:w="11906" w:h="16838"/>'
    '<w:pgMar w:top="1417" w:right="1417" w:bottom="1134" w:left="1417" w:header="708" '
    'w:footer="708" w:gutter="0"/></w:sectPr>'
)


def _document(file: WordFile) -> str:
    claims = _Claims(file)
    paragraphs = [
        _paragraph(file.title, "Title", claims.unplaced),
        *map(_paragraph, file.lines),
        *((_paragraph("Claims", "Heading1"), *claims.paragraphs()) if file.claims else ()),
        *map(_table, file.tables),
    ]
    return f"<w:document {_NAMES}><w:body>{''.join(paragraphs)}{_PAGE}</w:body></w:document>"


def _table(table: WordTable) -> str:
    """Return a heading with its table; the names of the columns are repeated on each page."""
    sides = ("top", "left", "bottom", "right", "insideH", "insideV")
    borders = "".join(f'<w:{side} w:val="single" w:sz="4" w:color="808080"/>' for side in sides)
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in table.widths)
    head = _table_row(table.columns, table.widths, "<w:trPr><w:tblHeader/></w:trPr>", "TableHead")
    rows = "".join(_table_row(row, table.widths, "", "") for row in table.rows)
    return (
        f"{_paragraph(table.heading, 'Heading1')}<w:tbl><w:tblPr><w:tblBorders>{borders}"
        '</w:tblBorders><w:tblLayout w:type="fixed"/></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{head}{rows}</w:tbl>{_paragraph('')}"
    )


def _table_row(cells: Sequence[str], widths: Sequence[int], properties: str, style: str) -> str:
    written = "".join(
        f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>'
        f"{_paragraph(' '.join(cell.split()), style)}</w:tc>"
        for cell, width in zip(cells, widths, strict=True)
    )
    return f"<w:tr>{properties}{written}</w:tr>"


def _paragraph(text: str, style: str = "", comments: Sequence[int] = ()) -> str:
    """Return a paragraph outside of the claims; what cannot be written is marked in it."""
    text = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    before = "".join(map(_opening, comments))
    after = "".join(map(_closing, comments))
    return f"<w:p>{properties}{before}{_run(text)}{after}</w:p>"


def _run(text: str, name: str = "t") -> str:
    return f'<w:r><w:{name} xml:space="preserve">{_escaped(text)}</w:{name}></w:r>'


def _escaped(text: str) -> str:
    """Return a text as XML; a bare carriage return would be read as the end of a line."""
    if found := first_unwritable(text):
        raise UnwritableText(
            f"The text holds the character {found[1]}, which no Word document can hold. Take it "
            "in another format."
        )
    return escape(text, quote=False).replace("\r", "&#13;")


def _opening(comment: int) -> str:
    return f'<w:commentRangeStart w:id="{comment}"/>'


def _closing(comment: int) -> str:
    return f'<w:commentRangeEnd w:id="{comment}"/><w:r><w:commentReference w:id="{comment}"/></w:r>'


def _comments(file: WordFile) -> Iterator[str]:
    date = f' w:date="{file.date}"' if file.date else ""
    for number, one in enumerate(file.comments):
        lines = "".join(_paragraph(line, "CommentText") for line in one.text.splitlines())
        initials = "".join(word[0] for word in one.author.split())
        yield (
            f'<w:comment w:id="{number}" w:author="{escape(one.author)}"{date} '
            f'w:initials="{escape(initials)}">{lines}</w:comment>'
        )


class _Mark(NamedTuple):
    """The end of a paragraph, with what became of it; None where no text has an end of a line."""

    step: Step | None


class _Claims:
    """The paragraphs of the claims; each end of a line is the end of a paragraph."""

    def __init__(self, file: WordFile) -> None:
        self.file = file
        self._number = len(file.comments)
        self._openings: Mapping[Spot, list[int]] = defaultdict(list)
        self._closings: Mapping[Spot, list[int]] = defaultdict(list)
        # What is on the text as a whole, or on no place of it.
        self.unplaced: list[int] = []
        for number, one in enumerate(file.comments):
            found = spots_of(file.claims, one.side, one.start, one.end) if one.side else None
            if found is None:
                self.unplaced.append(number)
                continue
            self._openings[found[0]].append(number)
            self._closings[found[1]].append(number)

    def paragraphs(self) -> Iterator[str]:
        content = [f'<w:bookmarkStart w:id="0" w:name="{BOOKMARK}"/>']
        words, joins = "", False
        for piece in self._pieces():
            if isinstance(piece, _Piece):
                content.append(piece.xml)
                words = words or piece.words
            elif words or piece.step is not None:
                yield self._finished(content, words, self._tracked_mark(piece.step), joins)
                content, words, joins = [], "", piece.step is None
        content.append('<w:bookmarkEnd w:id="0"/>')
        yield self._finished(content, words, "", joins)

    def _finished(self, content: Sequence[str], words: str, mark: str, joins: bool) -> str:
        inner = f"<w:rPr>{mark}</w:rPr>" if mark else ""
        inner = ("<w:bidi/>" if _is_right_to_left(words) else "") + inner
        inner = (f'<w:pStyle w:val="{JOINED}"/>' if joins else "") + inner
        properties = f"<w:pPr>{inner}</w:pPr>" if inner else ""
        return f"<w:p>{properties}{''.join(content)}</w:p>"

    def _pieces(self) -> Iterator["_Mark | _Piece"]:
        for place, stretch in enumerate(self.file.claims):
            ends = {spot.offset for spot in (*self._openings, *self._closings) if spot[0] == place}
            cuts = sorted({0, len(stretch.text), *ends})
            if stretch.begins:
                yield _Mark(None)
            for start, end in zip(cuts, [*cuts[1:], cuts[-1]], strict=True):
                yield _Piece(self._ends_of_comments(Spot(place, start)))
                yield from self._lines(stretch.step, stretch.text[start:end])

    def _ends_of_comments(self, spot: Spot) -> str:
        """Return what ends here, what begins here, and what does both, in this order."""
        closed, opened = self._closings.get(spot, []), self._openings.get(spot, [])
        before = [number for number in closed if number not in opened]
        after = [number for number in closed if number in opened]
        ends = [*map(_closing, before), *map(_opening, opened), *map(_closing, after)]
        return "".join(ends)

    def _lines(self, step: Step, text: str) -> Iterator["_Mark | _Piece"]:
        for number, line in enumerate(text.split("\n")):
            if number:
                yield _Mark(step)
            if line:
                yield _Piece(self._stepped(step, line), line)

    def _stepped(self, step: Step, text: str) -> str:
        match step:
            case Step.SAME:
                return _run(text)
            case Step.ADDED:
                return f"<w:ins {self._by()}>{_run(text)}</w:ins>"
            case Step.REMOVED:
                return f"<w:del {self._by()}>{_run(text, 'delText')}</w:del>"

    def _tracked_mark(self, step: Step | None) -> str:
        names: dict[Step | None, str] = {Step.ADDED: "ins", Step.REMOVED: "del"}
        return f"<w:{names[step]} {self._by()}/>" if step in names else ""

    def _by(self) -> str:
        self._number += 1
        date = f' w:date="{self.file.date}"' if self.file.date else ""
        return f'w:id="{self._number}" w:author="{escape(self.file.author)}"{date}'


class _Piece(NamedTuple):
    """Some XML within a paragraph, and the text that it shows."""

    xml: str
    words: str = ""


def _is_right_to_left(text: str) -> bool:
    """Return whether a line begins in a script that is written from right to left."""
    strong = (unicodedata.bidirectional(sign) for sign in text)
    return next((kind for kind in strong if kind in ("L", "R", "AL")), "L") != "L"
