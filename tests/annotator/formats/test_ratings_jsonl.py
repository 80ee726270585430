"""Ratings as JSON Lines: the golden file, and any line comes back, also through pandas."""

import io
import json
from pathlib import Path

import pandas
from hypothesis import given

from annotator.formats.ratings_jsonl import write
from tests.annotator.formats.rating_lines import FEW, LINES

GOLDEN = Path(__file__).with_name("golden") / "ratings.jsonl"


def test_the_golden_file_is_written_to_the_byte() -> None:
    assert b"".join(write(FEW)) == GOLDEN.read_bytes()


@given(LINES)
def test_any_line_comes_back_with_its_keys_in_order(lines) -> None:
    pieces = list(write(lines))
    assert all(piece.endswith(b"\n") and piece.count(b"\n") == 1 for piece in pieces)
    found = [json.loads(piece) for piece in pieces]
    assert found == lines
    assert [list(line) for line in found] == [list(line) for line in lines]


def test_pandas_reads_it_as_it_is() -> None:
    frame = pandas.read_json(io.BytesIO(b"".join(write(FEW))), lines=True)
    assert frame["kind"].tolist() == ["rating", "rating", "preference"]
    assert frame["comment"].tolist() == [line["comment"] for line in FEW]
    assert frame["scores"][0] == FEW[0]["scores"]
