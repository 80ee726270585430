"""The formats in which a dataset leaves, and how their files are named."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from scoring.formats import patent_ce_csv, patent_ce_json, patent_ce_jsonl
from scoring.quadruplets import DatasetRow

CANONICAL: Final = "patent-ce-jsonl"
ALL: Final = "all"
GZIP_TYPE: Final = "application/gzip"


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """How a file of one format ends, what type it has, and who writes it."""

    suffix: str
    media_type: str
    write: Callable[[Iterable[DatasetRow]], Iterator[bytes]]


EXPORT_FORMATS: Final = {
    CANONICAL: ExportFormat("jsonl", "application/jsonl; charset=utf-8", patent_ce_jsonl.write),
    "patent-ce-json": ExportFormat("json", "application/json", patent_ce_json.write),
    "csv": ExportFormat("csv", "text/csv; charset=utf-8; header=present", patent_ce_csv.write),
}


def data_file_name(base: str, file_format: str, split: str = ALL, *, is_gzipped: bool) -> str:
    """Return the name of an exported file, such as `cups-2-test.jsonl.gz`.

    Input: how the names of all files of the version begin; a key of EXPORT_FORMATS; a split or
    "all".
    """
    part = "" if split == ALL else f"-{split}"
    return f"{base}{part}.{EXPORT_FORMATS[file_format].suffix}{'.gz' if is_gzipped else ''}"
