import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.context.services import store_context
from annotator.models import Reference
from patclaimeval.documents.context import Context, Paragraph
from scoring.datasets.cards import FIELDS
from scoring.datasets.exports.context import ContextFile
from scoring.datasets.exports.services import export_to_file, write_release
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion
from scoring.quadruplets import DatasetRow, SplitPlan

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SPLITS = ("train", "validation", "test")
# The library takes types from so many bytes of the first file.
FIRST_LOOK = 10 << 20
AWKWARD = '1. A cup\u2028with\x0b e\u0301 \U0001f375\r\n2. The "cup" of claim 1,\x85 =1.'


def rows(length: int = 0) -> Iterator[DatasetRow]:
    """Rows as a freeze makes them; only the last of each split has a ruling, a flag, an office."""
    for n, split in enumerate(SPLITS * 6):
        is_last = n >= 15
        texts = f"{n}. {AWKWARD}" + "x" * length, f"B{AWKWARD}{n}", f"{n}. C"
        made = {"policy": "settled", "rubric_version": "1", "annotators": 2}
        rulings = [f"ruling-{n}"] if is_last else []
        soft = {"y_soft": {"overall_quality": 0.5 if n % 2 else 1}}
        yield DatasetRow(
            *(f"q{n}", f"r{n}", *texts, "b", "c"),
            y={"overall_quality": n % 3 - 1} | ({"logical_linkage": 0} if is_last else {}),
            split=split,
            provenance=made | {"ratings": [f"rating-{n}"], "adjudications": rulings},
            extras=soft | ({"office": "EPO", "flags": ["B equals C"]} if is_last else {}),
        )


def stored(given: Iterator[DatasetRow]) -> DatasetVersion:
    return import_dataset(name="cups", rows=given, plan=SplitPlan("file")).version


def by_split(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """What the files hold, read by nothing but Python."""
    found = {}
    for split in SPLITS:
        lines = (directory / f"cups-1-{split}.jsonl").read_bytes().split(b"\n")
        assert lines.pop() == b""
        found[split] = [json.loads(line) for line in lines]
        assert len(found[split]) == 6
    return found


def full(value: Any, shape: Any = FIELDS) -> Any:
    """Return a value with None for each field that it lacks, as a table of columns has it."""
    if not isinstance(shape, dict):
        return value
    return {key: full((value or {}).get(key), shape[key]) for key in shape} if value else None


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The library without a network, its cache in the test's own folder."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_DATASETS_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    return pytest.importorskip("datasets")


def test_pandas_reads_a_release(data_directory, tmp_path) -> None:
    pandas = pytest.importorskip("pandas")
    write_release(version=stored(rows()), directory=tmp_path / "release")
    for split, expected in by_split(tmp_path / "release").items():
        frame = pandas.read_json(tmp_path / "release" / f"cups-1-{split}.jsonl", lines=True)
        assert len(frame) == len(expected)
        for found, row in zip(frame.to_dict("records"), expected, strict=True):
            assert {key: found[key] for key in row} == row


def test_pandas_reads_packed_lines_and_csv(data_directory, tmp_path) -> None:
    pandas = pytest.importorskip("pandas")
    version = stored(rows())
    export_to_file(version=version, target=tmp_path / "all.jsonl.gz", is_gzipped=True)
    export_to_file(version=version, target=tmp_path / "all.csv", file_format="csv")
    given = list(rows())
    frame = pandas.read_json(tmp_path / "all.jsonl.gz", lines=True)
    assert list(frame["A"]) == [row.reference for row in given]
    table = pandas.read_csv(tmp_path / "all.csv")
    assert list(table["A"]) == [row.reference for row in given]
    assert list(table["B"]) == [row.b for row in given]
    assert list(table["y_overall_quality"]) == [row.y["overall_quality"] for row in given]
    assert [json.loads(cell) for cell in table["ratings"]] == [
        row.provenance["ratings"] for row in given
    ]


def test_datasets_reads_the_files_of_a_release_by_name(data_directory, tmp_path, offline) -> None:
    uniform = (row for row in rows() if int(row.id[1:]) < 15)
    write_release(version=stored(uniform), directory=tmp_path / "release")
    files = {split: str(tmp_path / "release" / f"cups-1-{split}.jsonl") for split in SPLITS}
    found = offline.load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    for split, path in files.items():
        lines = Path(path).read_bytes().split(b"\n")[:-1]
        assert list(found[split]) == [json.loads(line) for line in lines]
        assert len(lines) == 5


def test_datasets_reads_a_release_with_context_as_one_without(rated, tmp_path, offline) -> None:
    version = rated(3).rate_all().freeze(test_share=0.4, validation_share=0.0)
    context = Context((Paragraph("abstract", "A cup."),))
    store_context([(Reference.objects.get(reference_id="r0").pk, context)])
    found = []
    for name, asked in (("plain", None), ("full", ContextFile(version))):
        write_release(version=version, directory=tmp_path / name, context=asked)
        cache = str(tmp_path / "cache" / name)
        splits = offline.load_dataset(str(tmp_path / name), cache_dir=cache)
        found.append({split: list(rows) for split, rows in splits.items()})
    assert (tmp_path / "full" / "trial-1.context.jsonl").is_file()
    assert found[0] == found[1] and found[0].keys() == {"train", "test"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("length", [0, FIRST_LOOK // 3])
def test_datasets_reads_a_whole_release_wherever_a_field_first_stands(
    data_directory, tmp_path, offline, length
) -> None:
    write_release(version=stored(rows(length)), directory=tmp_path / "release")
    found = offline.load_dataset(str(tmp_path / "release"), cache_dir=str(tmp_path / "cache"))
    assert list(found) == list(SPLITS)
    for split, expected in by_split(tmp_path / "release").items():
        assert list(found[split]) == [full(row) for row in expected]
