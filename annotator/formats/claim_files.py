"""Which format a file of claim sets has, and its reader."""

from collections.abc import Callable, Iterator
from typing import Final

from annotator.formats import claims_jsonl, patent_ce_claims
from annotator.formats.json_streams import BOM, refuse_foreign
from annotator.formats.records import ByteSource, FormatError, ReadNotes
from annotator.formats.reference_records import ReferenceRecord

READERS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[ReferenceRecord]]]] = {
    "claims-jsonl": claims_jsonl.read,
    "patent-ce": patent_ce_claims.read,
}
HEAD_BYTES: Final = 4096


def detect_format(head: bytes) -> str:
    """Return the key in READERS of the format that a file's first bytes (up to 4,096) show.

    A JSON array is taken for the published Patent-CE layout, an object for claims-jsonl; the
    reader then checks every field. Raises FormatError for anything else.
    """
    refuse_foreign(head)
    body = head.removeprefix(BOM).lstrip(b" \t\r\n")
    if not body:
        raise FormatError("The file holds 0 records.")
    if body.startswith(b"["):
        return "patent-ce"
    if body.startswith(b"{"):
        return "claims-jsonl"
    raise FormatError("The file is neither claims-jsonl nor a published Patent-CE file.")
