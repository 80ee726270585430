"""What the process that reads a document answers, as JSON of declared types.

The process that asked decodes it strictly: what a document may have made of its reader is refused
unless every field has its type.
"""

import re
from dataclasses import dataclass
from typing import Final

import msgspec

from patclaimeval.documents.context import Sheet
from patclaimeval.documents.matters import ReadMatters
from patclaimeval.documents.records import ReadDocument
from patclaimeval.text_io.streams import BadRecord, FormatError

_UNSTORABLE: Final = "The file holds text that cannot be stored, such as NUL."
# NUL as JSON writes it; an even number of backslashes before it makes it six plain signs.
_NUL: Final = b"\\u0000"
_ESCAPED_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


@dataclass(frozen=True, slots=True)
class Answer:
    """A document, an archive or drawings; or why they are refused; or where the reader failed.

    `failed_at` has the kind of the exception and the lines of code that it passed, never its
    text, which may quote a claim.
    """

    document: ReadDocument | None = None
    matters: ReadMatters | None = None
    sheets: tuple[Sheet, ...] = ()
    refused: str = ""
    bad: tuple[BadRecord, ...] = ()
    failed_at: tuple[str, ...] = ()


def encode_answer(answer: Answer) -> bytes:
    """Return an answer as JSON; raise FormatError where a text is no Unicode."""
    try:
        return msgspec.json.encode(answer)
    except UnicodeEncodeError:
        raise FormatError(_UNSTORABLE) from None


def decode_answer(data: bytes) -> Answer:
    """Return the answer that this JSON writes.

    Raises FormatError for text that no database stores, and msgspec.DecodeError for what is no
    JSON or has a value of another type than declared.
    """
    if _NUL in data and _ESCAPED_NUL.search(data):
        raise FormatError(_UNSTORABLE)
    return msgspec.json.decode(data, type=Answer)
