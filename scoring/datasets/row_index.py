"""An SQLite index of a dataset file, so that pages and comparisons read no texts.

It holds where each row begins, what labels and split the row has, and, by digests of eight bytes,
which comparison it is and what it was made from. It holds no text and may be deleted at any time.
"""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from patclaimeval.files import flush_file, rename_and_flush, temporary_file
from patclaimeval.rubric import ALL_CRITERIA

# Raised with the layout, so that an index of another layout is made anew.
LAYOUT: Final = 2
# `pair` is the digest of the three texts, the same whichever candidate stands as B; `is_turned`
# holds that the texts' order turns the labels. `ratings` and `adjudications` are digests of the ids
# that the labels follow from, `rating_count` their number. A label is 1, 0, -1 or NULL.
_COLUMNS: Final = (
    *("offset", "id", "reference", "pair", "ratings", "adjudications", "rating_count"),
    *("split", "is_flagged", "is_turned", *ALL_CRITERIA),
)
_TABLES: Final = f"""PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE file (layout, size, changed_at);
CREATE TABLE row ({", ".join(_COLUMNS)});
BEGIN;"""
_INSERT: Final = f"INSERT INTO row VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - only ?
_HEAD: Final = """SELECT file.*, page_count * page_size
FROM file, pragma_page_count, pragma_page_size"""
RECORDS: Final = "SELECT * FROM row ORDER BY rowid"


def digest(*parts: str) -> int:
    """Return eight bytes of the BLAKE2b digest of some texts, as a signed whole number."""
    found = blake2b(digest_size=8)
    for part in parts:
        content = part.encode()
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return int.from_bytes(found.digest(), "little", signed=True)


def write_index(
    path: Path, rows: Iterable[tuple[int, Mapping[str, Any]]], stat: os.stat_result
) -> None:
    """Write the index of a dataset file atomically.

    Input: each row's offset and its JSON object, in file order; what the system knows of the file.
    """
    times: Counter[int] = Counter()
    with temporary_file(path.parent) as (file, temporary):
        with closing(sqlite3.connect(temporary, isolation_level=None)) as index:
            index.executescript(_TABLES)
            index.executemany(_INSERT, (_record(offset, row, times) for offset, row in rows))
            index.execute("INSERT INTO file VALUES (?, ?, ?)", _signature(stat))
            index.execute("COMMIT")
        flush_file(file)
        rename_and_flush(temporary, path)


def open_index(path: Path, stat: os.stat_result) -> sqlite3.Connection:
    """Open the index of a dataset file for reading; the caller closes it.

    Raises sqlite3.DatabaseError where there is none, or one of a file that was another then, and
    when it turns out to be damaged while it is read.
    """
    # Never changed once it has its name: no locks, no journal.
    index = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        if index.execute(_HEAD).fetchall() != [(*_signature(stat), path.stat().st_size)]:
            raise sqlite3.DatabaseError("the index is of another file")
    except BaseException:
        index.close()
        raise
    index.row_factory = sqlite3.Row
    return index


def _signature(stat: os.stat_result) -> tuple[int, int, int]:
    return LAYOUT, stat.st_size, stat.st_mtime_ns


def _record(offset: int, row: Mapping[str, Any], times: Counter[int]) -> tuple[Any, ...]:
    made = row.get("provenance") or {}
    ratings, adjudications = made.get("ratings") or [], made.get("adjudications") or []
    b, c = sorted((row["B"], row["C"]))
    # Whose comparison it is: pseudonyms change when people join, their ratings do not.
    whose = sorted(ratings) if row.get("annotator") else []
    pair = digest(row["A"], b, c, *whose)
    times[pair] += 1
    if times[pair] > 1:
        pair = digest(str(pair), str(times[pair]))
    return (
        *(offset, digest(row["id"]), digest(row["reference_id"]), pair),
        *(digest(*sorted(ratings)), digest(*sorted(adjudications)), len(ratings)),
        *(row.get("split", ""), bool(row.get("flags")), row["B"] > row["C"]),
        *map(row["y"].get, ALL_CRITERIA),
    )
