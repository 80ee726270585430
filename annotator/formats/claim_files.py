"""Which format a file of claim sets has, and its reader."""

from collections.abc import Callable, Iterator
from typing import Final

from annotator.formats import claims_csv, claims_jsonl, patent_ce_claims
from annotator.formats.label_studio import HEAD_BYTES, beginning_of, json_format
from patclaimeval.documents.csv_streams import SeekableSource, names_a_column, unpacked
from patclaimeval.documents.references import ReferenceRecord
from patclaimeval.text_io.streams import ByteSource, FormatError, ReadNotes

READERS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[ReferenceRecord]]]] = {
    "claims-jsonl": claims_jsonl.read,
    "csv": claims_csv.read,
    "patent-ce": patent_ce_claims.read,
}
# Brings preferences with the claims, so that it is read by `label_studio.read`.
PREFERENCES: Final = "label-studio"


def format_of(file: SeekableSource) -> str:
    """Return the format that a file's beginning shows, also where gzip packed it.

    Input: a file open for bytes. Output: as of detect_format; the file stands at its beginning.
    """
    head = unpacked(file).read(HEAD_BYTES)
    file.seek(0)
    return detect_format(head)


def read_claims(
    file: SeekableSource, name: str, notes: ReadNotes | None = None
) -> Iterator[ReferenceRecord]:
    """Yield the references of a file from its beginning, also where gzip packed it.

    Input: a file open for bytes, and a key in READERS. Output and errors: as of that reader.
    """
    return READERS[name](unpacked(file), notes)


def detect_format(head: bytes) -> str:
    """Return the format that a file's first bytes (up to 4,096) show.

    Output: PREFERENCES or a key in READERS. An object is taken for claims-jsonl; a JSON
    array for PatentEval's export where its first field is one of that layout, else for the
    published Patent-CE layout; a first line that names a column of ours for csv; the reader then
    checks everything. Raises FormatError for anything else.
    """
    body = beginning_of(head)
    if found := json_format(body, PREFERENCES, array="patent-ce", lines="claims-jsonl"):
        return found
    if names_a_column(body, claims_csv.COLUMNS):
        return "csv"
    raise FormatError(
        "The file is neither claims-jsonl nor CSV with our columns nor a published Patent-CE or "
        "PatentEval file."
    )
