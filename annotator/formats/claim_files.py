"""Which format a file of claim sets has, and its reader."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from annotator.formats import claims_jsonl, label_studio, patent_ce_claims
from annotator.formats.json_streams import BOM, refuse_foreign
from annotator.formats.records import ByteSource, FormatError, ReadNotes
from annotator.formats.reference_records import ReferenceRecord

READERS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[ReferenceRecord]]]] = {
    "claims-jsonl": claims_jsonl.read,
    "patent-ce": patent_ce_claims.read,
}
# Brings preferences with the claims, so that it is read by `label_studio.read`.
PREFERENCES: Final = "label-studio"
HEAD_BYTES: Final = 4096
_FIRST_FIELD: Final = re.compile(rb'\[\s*\{\s*"([a-z0-9_]+)"')


def detect_format(head: bytes) -> str:
    """Return the format that a file's first bytes (up to 4,096) show.

    Output: PREFERENCES or a key in READERS. An object is taken for claims-jsonl; a JSON
    array for PatentEval's export where its first field is one of that layout, else for the
    published Patent-CE layout; the reader then checks every field. Raises FormatError for
    anything else.
    """
    refuse_foreign(head)
    body = head.removeprefix(BOM).lstrip(b" \t\r\n")
    if not body:
        raise FormatError("The file holds 0 records.")
    if body.startswith(b"["):
        first = _FIRST_FIELD.match(body)
        is_export = first is not None and first[1].decode() in label_studio.FIELDS
        return PREFERENCES if is_export else "patent-ce"
    if body.startswith(b"{"):
        return "claims-jsonl"
    raise FormatError(
        "The file is neither claims-jsonl nor a published Patent-CE or PatentEval file."
    )
