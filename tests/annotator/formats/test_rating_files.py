import csv
import io
import json
from pathlib import Path
from typing import Any

import pandas
from hypothesis import given

from annotator.formats import ratings_jsonl
from annotator.formats.ratings_csv import COLUMNS, write
from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.spreadsheets import MARKED
from tests.annotator.formats.rating_lines import FEW, LINES

GOLDEN = Path(__file__).with_name("golden")
FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
TEXTS = {"candidate_id": "left_id", "system": "left_system"}


def read_back(content: bytes) -> list[dict[str, str]]:
    """Read as a program would: by the csv module, and with the apostrophes dropped."""
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))
    for row in rows:
        for name in row.pop(MARKED).split():
            assert row[name].startswith("'")
            row[name] = row[name][1:]
    return rows


def expected(line: dict[str, Any], name: str) -> Any:
    key = TEXTS.get(name, name) if line["kind"] == "preference" else name
    return line.get(key)


def test_the_golden_files_are_written_to_the_byte() -> None:
    assert b"".join(write(FEW)) == (GOLDEN / "ratings.csv").read_bytes()
    assert b"".join(ratings_jsonl.write(FEW)) == (GOLDEN / "ratings.jsonl").read_bytes()


@given(LINES)
def test_any_text_comes_back_by_the_csv_module_and_is_no_formula_to_a_spreadsheet(lines) -> None:
    rows = read_back(b"".join(write(lines)))
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines, strict=True):
        for name in ("kind", "comment", "annotator", "candidate_id", "system", "revised_at"):
            assert row[name] == (expected(line, name) or "")
        for name in ("revisions", "error_tags"):
            assert json.loads(row[name]) == line[name]
        for name, value in line.get("scores", line.get("judgements")).items():
            assert int(row[name]) == value
    text = b"".join(write(lines)).decode()
    numbers = {*ALL_CRITERIA, "overall_numerator", "active_seconds", "round", "version"}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        for name, cell in row.items():
            assert name in numbers or not cell.lstrip(" ").startswith(FORMULA), (name, cell)


@given(LINES)
def test_any_text_comes_back_by_pandas(lines) -> None:
    content = io.BytesIO(b"".join(write(lines)))
    frame = pandas.read_csv(content, keep_default_na=False, dtype=str)
    assert list(frame.columns) == [*COLUMNS, MARKED]
    for row, line in zip(frame.to_dict("records"), lines, strict=True):
        marked = "comment" in row[MARKED].split()
        assert row["comment"][marked:] == line["comment"]
        assert row["reference_id"] == line["reference_id"]


def test_numbers_are_read_as_numbers() -> None:
    frame = pandas.read_csv(io.BytesIO(b"".join(write(FEW))))
    assert frame["overall_quality"].tolist() == [7.64, 0.0, -1.0]
    assert frame["is_blind"].tolist()[:2] == [True, True]


@given(LINES)
def test_any_line_comes_back_with_its_keys_in_order(lines) -> None:
    pieces = list(ratings_jsonl.write(lines))
    assert all(piece.endswith(b"\n") and piece.count(b"\n") == 1 for piece in pieces)
    found = [json.loads(piece) for piece in pieces]
    assert found == lines
    assert [list(line) for line in found] == [list(line) for line in lines]


def test_pandas_reads_it_as_it_is() -> None:
    frame = pandas.read_json(io.BytesIO(b"".join(ratings_jsonl.write(FEW))), lines=True)
    assert frame["kind"].tolist() == ["rating", "rating", "preference"]
    assert frame["comment"].tolist() == [line["comment"] for line in FEW]
    assert frame["scores"][0] == FEW[0]["scores"]
