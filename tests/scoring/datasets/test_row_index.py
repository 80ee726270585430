"""The index of a dataset file: what it says of each row, and when it is no longer believed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scoring.datasets.row_index import RowIndex, digest, open_index, read_lines, write_index


def row(**changes: Any) -> dict[str, Any]:
    """A quadruplet as its line says it."""
    said = {
        "id": "q1",
        "reference_id": "r1",
        "A": "1. A cup.",
        "B": "1. A mug.",
        "C": "1. A jug.",
        "y": {"feature_completeness": 1, "overall_quality": -1},
        "split": "train",
        "provenance": {"ratings": ["2", "1"], "adjudications": []},
    }
    return said | changes


def indexed(tmp_path: Path, *rows: dict[str, Any]) -> RowIndex:
    """Write the rows and their index, and open it."""
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps(one).encode() + b"\n" for one in rows]
    file.write_bytes(b"".join(lines))
    offsets = [sum(map(len, lines[:n])) for n in range(len(lines))]
    pieces = write_index(zip(offsets, rows, strict=True), file.stat())
    (tmp_path / "rows.index").write_bytes(b"".join(pieces))
    found = open_index(tmp_path / "rows.index", file.stat())
    assert found is not None
    return found


def test_a_record_says_where_its_row_is_and_what_it_is_labelled(tmp_path: Path) -> None:
    index = indexed(tmp_path, row(), row(id="q2", A="1. A pot.", split="test", flags=["B is odd"]))
    first, second = index.records()
    with (tmp_path / "rows.jsonl").open("rb") as file:
        lines = list(read_lines(file, [second.offset, first.offset]))
    assert [json.loads(line)["id"] for line in lines] == ["q2", "q1"]
    assert [first.label(key) for key in ("feature_completeness", "overall_quality")] == [1, -1]
    assert first.label("logical_linkage") is None
    assert (first.split_name, second.split_name) == ("train", "test")
    assert (first.is_flagged, second.is_flagged) == (False, True)
    assert (first.id, first.reference) == (digest("q1"), digest("r1"))
    assert first.rating_count == 2


def test_some_records_are_read_without_the_others(tmp_path: Path) -> None:
    index = indexed(tmp_path, *(row(id=f"q{n}", A=f"1. Cup {n}.") for n in range(9)))
    assert index.rows == 9
    assert [one.id for one in index.records(4, 2)] == [digest("q4"), digest("q5")]
    assert [one.id for one in index.records(8)] == [digest("q8")]
    assert list(index.records(9, 5)) == []


def test_a_comparison_is_the_same_whichever_candidate_stands_as_b(tmp_path: Path) -> None:
    one, other = row(), row(B="1. A jug.", C="1. A mug.")
    first, second = indexed(tmp_path, one), None
    (found,) = first.records()
    second = indexed(tmp_path, other)
    (turned,) = second.records()
    assert found.pair == turned.pair
    assert found.is_turned != turned.is_turned


def test_repeats_of_one_comparison_are_told_apart(tmp_path: Path) -> None:
    index = indexed(tmp_path, row(), row(id="q1-2"), row(id="q1-3"))
    assert len({one.pair for one in index.records()}) == 3


def test_comparisons_of_single_annotators_are_known_by_their_ratings(tmp_path: Path) -> None:
    """A pseudonym changes when somebody joins; the ratings behind it do not."""
    before = row(annotator="annotator-1")
    after = row(annotator="annotator-2")
    of_another = row(annotator="annotator-1", provenance={"ratings": ["7", "8"]})
    index = indexed(tmp_path, before)
    (one,) = index.records()
    same, another = indexed(tmp_path, after, of_another).records()
    assert one.pair == same.pair
    assert one.pair != another.pair


def test_the_order_of_ratings_does_not_matter_and_their_ids_do(tmp_path: Path) -> None:
    turned = row(A="1. A pot.", provenance={"ratings": ["1", "2"]})
    more = row(A="1. A pan.", provenance={"ratings": ["1", "2", "3"]})
    one, same, another = indexed(tmp_path, row(), turned, more).records()
    assert one.ratings == same.ratings != another.ratings


def test_parts_of_a_digest_cannot_be_moved_into_one_another() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")


@pytest.mark.parametrize("harm", ["touched", "grown", "cut", "other", "empty", "gone"])
def test_an_index_of_a_file_that_is_another_now_is_not_believed(tmp_path: Path, harm: str) -> None:
    indexed(tmp_path, row(), row(id="q2", A="1. A pot."))
    file, path = tmp_path / "rows.jsonl", tmp_path / "rows.index"
    content = path.read_bytes()
    match harm:
        case "touched":
            os.utime(file, ns=(1, 1))
        case "grown":
            file.write_bytes(file.read_bytes() + b"{}\n")
        case "cut":
            path.write_bytes(content[:-1])
        case "other":
            path.write_bytes(b"rows-0\n\0" + content[8:])
        case "empty":
            path.write_bytes(b"")
        case "gone":
            path.unlink()
    assert open_index(path, file.stat()) is None
