import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.spreadsheets import MARKED
from scoring.formats.patent_ce_csv import COLUMNS, write
from scoring.quadruplets import DatasetRow
from tests.scoring.formats.golden_rows import FORMULA, LID, MUG, ROWS, golden


def row(**changes: object) -> DatasetRow:
    base = {"id": "q", "reference_id": "r", "reference": "A", "b": "B", "c": "C"}
    return DatasetRow(**base | {"b_id": "b", "c_id": "c", "y": {}} | changes)


def read_back(content: bytes) -> list[dict[str, str]]:
    """Read as a spreadsheet does, then drop each apostrophe that the last column speaks of."""
    found = list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))
    for line in found:
        for column in line[MARKED].split():
            assert line[column].startswith("'")
            line[column] = line[column][1:]
    return found


def test_the_bytes_are_fixed() -> None:
    assert b"".join(write(ROWS)) == golden("patent-ce.csv")


def test_texts_come_back_byte_for_byte() -> None:
    first, second = read_back(b"".join(write(ROWS)))
    assert (first["A"], first["B"], first["C"]) == (LID, MUG, FORMULA)
    assert (first["b_id"], first["family"]) == ("-b", "+F1")
    assert (first["y_feature_completeness"], first["y_overall_quality"]) == ("1", "-1")
    assert (first["ratings"], first["adjudications"]) == ('["r-1", "r-2"]', "[]")
    assert (second["A"], second["B"]) == ("\t1. A dish.", "\uff1dA1")
    assert second["y_feature_completeness"] == second["policy"] == ""


@pytest.mark.parametrize(
    "start", [*"=+-@\t\r\n\uff1d\uff0b\uff0d\uff20", " =", "\ufeff=", "\u200b+", "\xa0@", "\n ="]
)
def test_no_spreadsheet_sees_a_formula(start) -> None:
    content = b"".join(write([row(reference=f"{start}1+1")])).decode()
    assert f'"\'{start}1+1"' in content
    assert content.rstrip("\r\n").endswith('"A"')


@pytest.mark.parametrize("text", ["1. A cup", "'", "'=1", "a=b", "(-1)", "A\t=", ""])
def test_other_cells_stay_as_they_are(text) -> None:
    (found,) = csv.DictReader(
        io.StringIO(b"".join(write([row(reference=text)])).decode(), newline="")
    )
    assert (found["A"], found[MARKED]) == (text, "")


def test_the_header_names_every_column_once() -> None:
    header = next(write([])).decode()
    assert header == ",".join(f'"{name}"' for name in (*COLUMNS, MARKED)) + "\r\n"
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert {f"y_{key}" for key in ALL_CRITERIA} <= set(COLUMNS)


awkward = st.text(
    st.one_of(
        st.sampled_from("=+-@'\"\t\r\n, \u2028\u2029\x0b\x0c\x85\uff1d\ufeff"),
        st.characters(exclude_categories=["Cs"], min_codepoint=1),
    )
)


@given(awkward, awkward, awkward)
def test_any_text_comes_back(a, b, c) -> None:
    (found,) = read_back(b"".join(write([row(reference=a, b=b, c=c)])))
    assert (found["A"], found["B"], found["C"]) == (a, b, c)
