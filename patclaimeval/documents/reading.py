"""Which kind of document bytes are, and its reader; libraries are loaded with the one in use."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from patclaimeval.documents.bounds import with_bounds
from patclaimeval.documents.docx.package import refuse_ole
from patclaimeval.documents.records import ReadDocument, ReadOptions
from patclaimeval.documents.zip_files import ZipSource
from patclaimeval.text_io.streams import BOM, FormatError

AUTO: Final = "auto"
# What holds one document; an archive of several is read by `matters.py`.
DOCUMENTS: Final = ("docx", "xml", "pdf", "html", "text")
ARCHIVE: Final = "zip"
# A ZIP of images and nothing else: what claims-jsonl states of a reference's drawings.
DRAWINGS: Final = "drawings"
MOST_BYTES: Final = 64 * 1024 * 1024
_HEAD: Final = 4096
_HTML: Final = re.compile(rb"<!doctype html|<html[\s>]", re.IGNORECASE)


def _docx(data: bytes, options: ReadOptions) -> ReadDocument:
    from patclaimeval.documents.docx.reader import read_docx

    return read_docx(data, options)


def _xml(data: bytes, options: ReadOptions) -> ReadDocument:
    from patclaimeval.documents.office_xml.reader import read_office_xml

    return read_office_xml(data, options)


def _pdf(data: bytes, options: ReadOptions) -> ReadDocument:
    from patclaimeval.documents.pdf.reader import read_pdf

    return read_pdf(data, options)


def _html(data: bytes, options: ReadOptions) -> ReadDocument:
    from patclaimeval.documents.google_page import read_google_page

    return read_google_page(data, options)


def _text(data: bytes, options: ReadOptions) -> ReadDocument:
    from patclaimeval.documents.plain_text import read_text

    return read_text(data, options)


_READERS: Final[dict[str, Callable[[bytes, ReadOptions], ReadDocument]]] = {
    "docx": _docx,
    "xml": _xml,
    "pdf": _pdf,
    "html": _html,
    "text": _text,
}


def kind_of(data: bytes) -> str:
    """Return one of DOCUMENTS, or ARCHIVE, as the bytes show; the name of a file says nothing.

    Raises FormatError for an empty file, and for an old or encrypted Office document.
    """
    refuse_ole(data, "The file")
    head = data[:_HEAD].removeprefix(BOM).lstrip()
    if not head:
        raise FormatError("The file is empty.")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "docx" if "[Content_Types].xml" in ZipSource(data, "The file").names else ARCHIVE
    if b"%PDF-" in data[:1024]:
        return "pdf"
    # UTF-16 has a NUL beside each of these signs.
    plain = head.replace(b"\0", b"").lstrip(b"\xff\xfe")
    if plain.startswith(b"<"):
        return "html" if _HTML.search(plain) else "xml"
    return "text"


def read_document(data: bytes, kind: str, options: ReadOptions) -> ReadDocument:
    """Return what was read of one document.

    Inputs: the bytes, one of DOCUMENTS or AUTO, and what the person chose. Raises FormatError with
    a sentence that says what is wrong and where, never quoting a claim.
    """
    if len(data) > MOST_BYTES:
        raise FormatError(f"The file has {len(data):,} bytes; at most {MOST_BYTES:,} are read.")
    found = kind_of(data)
    if kind not in (AUTO, found, "text") or found == ARCHIVE:
        raise FormatError(f"The file is {_NAMES[found]}, not {_NAMES.get(kind, 'one document')}.")
    try:
        document = _READERS[found if kind == AUTO else kind](data, options)
    except RecursionError:
        raise FormatError("The file is nested deeper than any document is.") from None
    except MemoryError:
        raise FormatError("The file needs more memory than a document may.") from None
    return replace(with_bounds(document), sha256=hashlib.sha256(data).hexdigest())


_NAMES: Final = {
    "docx": "a Word document",
    "xml": "XML",
    "pdf": "a PDF",
    "html": "a web page",
    "text": "plain text",
    "zip": "a ZIP archive",
}
