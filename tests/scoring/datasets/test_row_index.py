import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scoring.datasets.row_index import RECORDS, digest, open_index, write_index


def row(**changes: Any) -> dict[str, Any]:
    """A quadruplet as its line says it."""
    values = {"id": "q1", "reference_id": "r1"}
    texts = {"A": "1. A cup.", "B": "1. A mug.", "C": "1. A jug."}
    labels = {"y": {"feature_completeness": 1, "overall_quality": -1}, "split": "train"}
    provenance = {"provenance": {"ratings": ["2", "1"], "adjudications": []}}
    return values | texts | labels | provenance | changes


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    """Write the rows and their index, and return where that is."""
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps(one).encode() + b"\n" for one in rows]
    file.write_bytes(b"".join(lines))
    offsets = [sum(map(len, lines[:n])) for n in range(len(lines))]
    write_index(tmp_path / "rows.index", zip(offsets, rows, strict=True), file.stat())
    return tmp_path / "rows.index"


def indexed(tmp_path: Path, *rows: dict[str, Any]) -> list[sqlite3.Row]:
    """Write the rows and their index, and return its records."""
    path = written(tmp_path, *rows)
    with closing(open_index(path, (tmp_path / "rows.jsonl").stat())) as index:
        return index.execute(RECORDS).fetchall()


def test_a_record_says_where_its_row_is_and_what_it_is_labelled(tmp_path) -> None:
    rows = row(), row(id="q2", A="1. A pot.", split="test", flags=["B is odd"])
    first, second = indexed(tmp_path, *rows)
    content = (tmp_path / "rows.jsonl").read_bytes()
    lines = [content[one["offset"] :].splitlines()[0] for one in (second, first)]
    assert [json.loads(line)["id"] for line in lines] == ["q2", "q1"]
    assert [first[key] for key in ("feature_completeness", "overall_quality")] == [1, -1]
    assert first["logical_linkage"] is None
    assert (first["split"], second["split"]) == ("train", "test")
    assert (first["is_flagged"], second["is_flagged"]) == (False, True)
    assert (first["id"], first["reference"]) == (digest("q1"), digest("r1"))
    assert first["rating_count"] == 2


def test_it_holds_no_text_and_no_id(tmp_path) -> None:
    content = written(tmp_path, row(A="1. A secretcup.", id="secretid")).read_bytes()
    assert content
    assert b"secret" not in content


def test_a_comparison_is_the_same_whichever_candidate_stands_as_b(tmp_path) -> None:
    (found,) = indexed(tmp_path, row())
    (turned,) = indexed(tmp_path, row(B="1. A jug.", C="1. A mug."))
    assert found["pair"] == turned["pair"]
    assert found["is_turned"] != turned["is_turned"]


def test_repeats_of_one_comparison_are_distinguished(tmp_path) -> None:
    records = indexed(tmp_path, row(), row(id="q1-2"), row(id="q1-3"))
    assert len({one["pair"] for one in records}) == 3


def test_comparisons_of_single_annotators_are_known_by_their_ratings(tmp_path) -> None:
    # A pseudonym changes when somebody joins; the ratings behind it do not.
    of_another = row(annotator="annotator-1", provenance={"ratings": ["7", "8"]})
    (one,) = indexed(tmp_path, row(annotator="annotator-1"))
    same, another = indexed(tmp_path, row(annotator="annotator-2"), of_another)
    assert one["pair"] == same["pair"] != another["pair"]


def test_the_order_of_ratings_does_not_matter_and_their_ids_do(tmp_path) -> None:
    turned = row(A="1. A pot.", provenance={"ratings": ["1", "2"]})
    more = row(A="1. A pan.", provenance={"ratings": ["1", "2", "3"]})
    one, same, another = indexed(tmp_path, row(), turned, more)
    assert one["ratings"] == same["ratings"] != another["ratings"]


def test_parts_of_a_digest_cannot_be_moved_into_one_another() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")


def of_another_layout(file: Path, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as index:
        index.execute("UPDATE file SET layout = layout - 1")


HARMS: dict[str, Callable[[Path, Path], object]] = {
    "touched": lambda file, path: os.utime(file, ns=(1, 1)),
    "grown": lambda file, path: file.write_bytes(file.read_bytes() + b"{}\n"),
    "cut": lambda file, path: path.write_bytes(path.read_bytes()[:-1]),
    "other": of_another_layout,
    "empty": lambda file, path: path.write_bytes(b""),
    "gone": lambda file, path: path.unlink(),
}


@pytest.mark.parametrize("harm", HARMS)
def test_an_index_of_a_file_that_is_another_now_is_not_believed(tmp_path, harm) -> None:
    path = written(tmp_path, row(), row(id="q2", A="1. A pot."))
    file = tmp_path / "rows.jsonl"
    HARMS[harm](file, path)
    with pytest.raises(sqlite3.DatabaseError):
        open_index(path, file.stat())
