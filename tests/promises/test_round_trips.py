"""P13: what was exported, imported and exported again is the same bytes; texts never change."""

import csv
import io
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.spreadsheets import MARKED
from patclaimeval.text_io.streams import ByteSource, FormatError, ReadNotes, read_lines
from scoring.datasets.exports.services import export_version
from scoring.datasets.freezing.imports import import_dataset, import_files
from scoring.formats import patent_ce_json, patent_ce_jsonl
from scoring.models import DatasetVersion
from scoring.quadruplets import SPLIT_NAMES, DatasetRow, SplitPlan
from tests.promises.harness import SCALE

pytestmark = [
    pytest.mark.promise("P13"),
    pytest.mark.django_db,
    pytest.mark.embedded,
    pytest.mark.slow,
]
DATASETS: Final = 100 * SCALE
BY_FILE: Final = SplitPlan("file")

# What str.splitlines() breaks at, decomposed and composed letters, letters beyond 16 bits, marks
# that cannot be seen, what JSON and spreadsheets escape.
AWKWARD: Final = (
    "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\n\t\"'\\/=+-@ "
    "e\u0301\u00e9\u1100\u1161\uac00\U0001f375\U000e0041"
    "\u202e\u200b\ufeff\uff1d\x7f\x01"
)
characters = st.one_of(
    st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"], min_codepoint=1)
)
# A claim text must show something; everything around it stays as it is.
texts = st.builds(
    "{}{}{}".format,
    st.text(characters, max_size=20),
    st.sampled_from("1A\u8336"),
    st.text(characters, max_size=20),
)
short_texts = st.text(characters, max_size=12)
ids = st.text(st.sampled_from("abXY-_.: \u00e9\u2028=@\U0001f375"), max_size=8).map(
    lambda t: f"i{t}i"
)
shares = st.one_of(st.floats(0, 1), st.sampled_from([0, 1]))
provenances = st.fixed_dictionaries(
    {},
    optional={
        "policy": short_texts,
        "rubric_version": short_texts,
        "annotators": st.integers(0, 10**9),
        "ratings": st.lists(short_texts, max_size=3),
        "adjudications": st.lists(short_texts, max_size=2),
    },
)
extras = st.fixed_dictionaries(
    {},
    optional={
        "y_soft": st.dictionaries(st.sampled_from(ALL_CRITERIA), shares),
        "annotator": ids,
        "office": short_texts,
        "ipc": short_texts,
        "language": short_texts,
        "family": short_texts,
        "flags": st.lists(short_texts, max_size=2),
    },
)
labels = st.dictionaries(st.sampled_from(ALL_CRITERIA), st.sampled_from([1, 0, -1]), min_size=1)
rows = st.builds(
    DatasetRow,
    id=ids,
    reference_id=ids,
    reference=texts,
    b=texts,
    c=texts,
    b_id=ids,
    c_id=ids,
    y=labels,
    split=st.sampled_from(SPLIT_NAMES),
    provenance=provenances,
    extras=extras,
)
datasets = st.lists(rows, min_size=1, max_size=6, unique_by=lambda row: row.id)
names = (f"d{number}" for number in itertools.count())
many = settings(
    max_examples=DATASETS,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def data_directory(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


def exported(version: DatasetVersion, file_format: str = "patent-ce-jsonl") -> bytes:
    return b"".join(export_version(version=version, file_format=file_format).pieces)


def stored(given_rows: Sequence[DatasetRow]) -> DatasetVersion:
    return import_dataset(name=next(names), rows=given_rows, plan=BY_FILE).version


def taken_in(content: bytes, folder: Path, suffix: str, plan: SplitPlan) -> DatasetVersion:
    path = folder / f"file{suffix}"
    path.write_bytes(content)
    return import_files(name=next(names), paths=[path], plan=plan).version


@many
@given(datasets)
def test_jsonl_that_was_imported_again_is_the_same_bytes(tmp_path, tally, given_rows) -> None:
    tally.tried(datasets=1)
    first = stored(given_rows)
    content = exported(first)
    again = taken_in(content, tmp_path, ".jsonl", BY_FILE)
    assert exported(again) == content
    assert again.sha256 == first.sha256
    written = [json.loads(line) for line in content.split(b"\n")[:-1]]
    assert [(row["A"], row["B"], row["C"]) for row in written] == [
        (row.reference, row.b, row.c) for row in given_rows
    ]
    assert [row["provenance"] for row in written] == [row.provenance for row in given_rows]


@many
@given(st.lists(rows, min_size=1, max_size=6, unique_by=lambda row: (row.reference, row.b, row.c)))
def test_the_published_layout_that_was_imported_again_is_the_same_bytes(
    tmp_path, tally, given_rows
) -> None:
    tally.tried(datasets=1)
    content = b"".join(patent_ce_json.write(given_rows))
    nothing_to_split = SplitPlan("item", 0.0, 0.0)
    again = taken_in(content, tmp_path, ".json", nothing_to_split)
    assert exported(again, "patent-ce-json") == content


@settings(many, max_examples=50 * SCALE)
@given(datasets)
def test_csv_gives_every_text_back(given_rows) -> None:
    content = exported(stored(given_rows), "csv").decode()
    found = list(csv.DictReader(io.StringIO(content, newline=""), strict=True))
    for line in found:
        for column in line[MARKED].split():
            line[column] = line[column].removeprefix("'")
    assert [(line["A"], line["B"], line["C"]) for line in found] == [
        (row.reference, row.b, row.c) for row in given_rows
    ]


def lines_by_splitlines(file: ByteSource, notes: ReadNotes, **limits: Any) -> Iterator[Any]:
    """The fault: lines are what str.splitlines() makes of a text."""
    lines = "\n".join(file.read().decode().splitlines()) + "\n"
    yield from read_lines(io.BytesIO(lines.encode()), notes, **limits)


def test_a_reader_that_splits_at_other_line_ends_is_found_out(tmp_path, monkeypatch) -> None:
    row = DatasetRow(
        id="q",
        reference_id="r",
        reference="1. A cup\u2028with a lid.",
        b="B",
        c="C",
        b_id="b",
        c_id="c",
        y={"overall_quality": 1},
        split="test",
    )
    content = exported(stored([row]))
    monkeypatch.setattr(patent_ce_jsonl, "read_lines", lines_by_splitlines)
    with pytest.raises(FormatError, match="line 1"):
        taken_in(content, tmp_path, ".jsonl", BY_FILE)
