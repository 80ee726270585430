"""freeze_dataset, import_dataset, export_dataset: one document, one line, the same bytes."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from scoring import files as scoring_files
from scoring.datasets.cards import withheld_text
from scoring.datasets.versions.queries import card_page
from scoring.formats import patent_ce_jsonl
from scoring.formats.rows import DatasetRow
from scoring.models import Dataset, DatasetVersion
from tests.scoring.stored import stored_bytes

pytestmark = pytest.mark.django_db

Rows = Callable[..., list[DatasetRow]]


def run(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    """The one JSON document that --json prints; anything else on stdout fails here."""
    return json.loads(run(*arguments, "--json")[0])


def refusal(*arguments: str) -> str:
    """The last line on stderr of a command that ends with 1 and prints nothing."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command(*arguments, stdout=out, stderr=err)
    assert caught.value.code == 1
    assert out.getvalue() == ""
    lines = err.getvalue().splitlines()
    assert lines
    assert "Traceback" not in err.getvalue()
    return lines[-1]


def quality(path: Path, references: int = 6, **changes: Any) -> str:
    items = [
        {
            "gold_claim": f"1. A cup {n}.",
            "A": f"1. A mug {n} {c}.",
            "B": f"1. A bowl {n} {c}.",
            "human_eval": {"Quality": (c % 3) - 1},
        }
        | changes
        for n in range(references)
        for c in range(3)
    ]
    path.write_text(json.dumps(items))
    return str(path)


def test_a_freeze_prints_one_document(rated: Callable[..., Any]) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    found = document("freeze_dataset", "room")
    assert list(found)[:4] == ["dataset", "version", "sha256", "items"]
    assert (found["dataset"], found["version"], found["items"]) == ("room", 1, 9)
    assert found["splits"] == {"train": 3, "validation": 3, "test": 3}
    assert set(found["labels"]["overall_quality"]) == {"1", "0", "-1"}
    assert found["left_out"] == {}
    assert document("freeze_dataset", "room") == found
    assert document("freeze_dataset", "room", "--name", "again", "--seed", "9")["version"] == 1


@pytest.mark.parametrize(
    ("test", "validation", "withheld"),
    [
        ("0", "0", "nothing"),
        ("0", "0.1", "3 quadruplets of 1 reference for validation"),
        ("0.1", "0", "3 quadruplets of 1 reference for test"),
        ("0.4", "0.5", "9 quadruplets of 3 references for validation and 12 quadruplets of "
         "4 references for test"),
    ],
)  # fmt: skip
def test_a_share_of_0_withholds_nothing_and_what_is_withheld_is_reported(
    data_directory: Path, tmp_path: Path, test: str, validation: str, withheld: str
) -> None:
    path = quality(tmp_path / "quality.json", references=10)
    shares = ("--test-share", test, "--validation-share", validation)
    found = document("import_dataset", path, "--name", "published", *shares)
    assert found["withheld"] == withheld
    card = DatasetVersion.objects.get().card
    assert withheld_text(card) == withheld
    assert ("Withheld from training", withheld) in {
        (check.name, check.words) for check in card_page(card).checks
    }
    assert sum(card["split_references"].values()) == 10


def test_a_file_of_rows_that_stand_twice_is_the_same_dataset_and_says_so(
    data_directory: Path, tmp_path: Path
) -> None:
    run("import_dataset", quality(tmp_path / "quality.json"), "--name", "first")
    once = stored_bytes(DatasetVersion.objects.get().sha256)
    paths = {}
    for name, content in {
        "again": once,
        "twice": once + once,
        "dressed": b"\xef\xbb\xbf" + once.rstrip(b"\n").replace(b"\n", b"\r\n", 3),
    }.items():
        paths[name] = tmp_path / f"{name}.jsonl"
        paths[name].write_bytes(content)
        _, err = run(
            *("import_dataset", str(paths[name]), "--name", name, "--split-by", "file", "--json")
        )
        assert stored_bytes(DatasetVersion.objects.get(dataset__name=name).sha256) == once
        assert ("18 items repeat an earlier item" in err) is (name == "twice")
    changed = once.replace(b"A mug", b"A jar", 1)
    paths["again"].write_bytes(once + changed)
    assert "says something else" in refusal(
        "import_dataset", str(paths["again"]), "--name", "other", "--split-by", "file"
    )


def test_a_freeze_with_shares_of_0_withholds_nothing(rated: Callable[..., Any]) -> None:
    # Of one reference nothing could be withheld, whatever the shares.
    scene = rated(3)
    scene.rate_all(range(3))
    found = document("freeze_dataset", "room", "--test-share", "0", "--validation-share", "0")
    assert found["splits"] == {"train": 9, "validation": 0, "test": 0}
    assert found["withheld"] == "nothing"


def test_a_freeze_and_an_import_leave_the_index_for_the_pages(
    rated: Callable[..., Any], data_directory: Path, tmp_path: Path
) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    frozen = document("freeze_dataset", "room")
    imported = document("import_dataset", quality(tmp_path / "items.json"), "--name", "foreign")
    indexes = sorted(path.name for path in (data_directory / "cache").glob("rows-*.sqlite3"))
    assert indexes == sorted(f"rows-{found['sha256']}.sqlite3" for found in (frozen, imported))


def test_a_freeze_takes_criteria_and_the_way_of_splitting(rated: Callable[..., Any]) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    chosen = ("--criteria", "overall_quality", "logical_linkage", "--split-by", "time")
    found = document("freeze_dataset", "room", *chosen)
    assert list(found["labels"]) == ["logical_linkage", "overall_quality"]
    assert DatasetVersion.objects.get().card["split"]["by"] == "time"
    for wrong in (("--criteria", "clarity"), ("--split-by", "item")):
        with pytest.raises(CommandError):
            run("freeze_dataset", "room", *wrong)


def test_a_freeze_without_json_prints_text(rated: Callable[..., Any]) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    out, _ = run("freeze_dataset", "room")
    assert "dataset: room" in out
    assert "items: 9" in out


def test_a_freeze_is_refused_in_one_line(rated: Callable[..., Any]) -> None:
    scene = rated(1)
    assert "There is no campaign 'nowhere'. Campaigns: room." in refusal(
        "freeze_dataset", "nowhere"
    )
    assert "gives no quadruplet" in refusal("freeze_dataset", "room")
    scene.rate_all([0])
    assert "1 independent references cannot fill 3 splits" in refusal("freeze_dataset", "room")
    assert "tie band" in refusal("freeze_dataset", "room", "--tie-band", "nan")
    assert "cannot be a dataset's name" in refusal("freeze_dataset", "room", "--name", "a b")
    assert not Dataset.objects.exists()


def test_wrong_usage_is_distinguished_from_a_refusal(data_directory: Path) -> None:
    with pytest.raises(CommandError):
        run("freeze_dataset", "room", "--policy", "mean")


def test_an_import_is_exported_with_the_values_of_its_file(
    data_directory: Path, tmp_path: Path
) -> None:
    path = quality(tmp_path / "quality.json")
    found = document("import_dataset", path, "--name", "published")
    assert (found["version"], found["items"]) == (1, 18)
    assert sum(found["splits"].values()) == 18
    assert all(count % 3 == 0 for count in found["splits"].values())  # whole references
    target = tmp_path / "back.json"
    document(
        *("export_dataset", "published", "--format", "patent-ce-json", "--output", str(target))
    )
    assert json.loads(target.read_text()) == json.loads(Path(path).read_text())
    assert document("import_dataset", path, "--name", "published") == found
    assert DatasetVersion.objects.count() == 1


def test_an_export_gives_the_same_bytes_each_time(
    data_directory: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run("import_dataset", quality(tmp_path / "quality.json"), "--name", "d")
    for name in ("one", "two"):
        run("export_dataset", "d@1", "--output", str(tmp_path / name))
    run("export_dataset", "d")
    sys.stdout.flush()
    one = (tmp_path / "one").read_bytes()
    assert one == (tmp_path / "two").read_bytes() == capfdbinary.readouterr().out
    assert one == stored_bytes(DatasetVersion.objects.get().sha256)
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".export")] == []


def test_our_own_export_is_imported_as_the_same_version(
    data_directory: Path, tmp_path: Path
) -> None:
    run("import_dataset", quality(tmp_path / "quality.json"), "--name", "d")
    target = str(tmp_path / "out.jsonl")
    run("export_dataset", "d", "--output", target)
    found = document("import_dataset", target, "--name", "copy", "--split-by", "file")
    assert found["sha256"] == DatasetVersion.objects.get(dataset__name="d").sha256


def test_an_export_of_one_split_holds_its_rows_only(
    version: DatasetVersion, tmp_path: Path
) -> None:
    target = tmp_path / "test.jsonl"
    arguments = ("export_dataset", "tiny", "--split", "test", "--output", str(target))
    assert document(*arguments)["items"] == 3
    with target.open("rb") as file:
        assert {row.split for row in patent_ce_jsonl.read(file)} == {"test"}


def test_an_exported_row_names_its_ratings(rated: Callable[..., Any], tmp_path: Path) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    run("freeze_dataset", "room")
    run("export_dataset", "room", "--output", str(tmp_path / "out.jsonl"))
    lines = (tmp_path / "out.jsonl").read_text().split("\n")[:-1]
    named = {pk for line in lines for pk in json.loads(line)["provenance"]["ratings"]}
    from annotator.models import Rating

    assert named == {str(pk) for pk in Rating.objects.values_list("pk", flat=True)}


@pytest.mark.parametrize("name", ["nothing", "tiny@2", "tiny@x", "tiny@", "", "../tiny"])
def test_an_export_of_what_is_not_there_lists_what_is(version: DatasetVersion, name: str) -> None:
    line = refusal("export_dataset", name)
    assert "There is no dataset" in line
    assert "tiny" in line


def test_an_export_that_cannot_be_written_is_refused_in_one_line(
    version: DatasetVersion, tmp_path: Path
) -> None:
    assert "Cannot write" in refusal("export_dataset", "tiny", "--output", str(tmp_path / "no/x"))
    assert "Cannot write" in refusal("export_dataset", "tiny", "--output", str(tmp_path))
    assert list(tmp_path.parent.glob(".export-*")) == []
    assert "name a file" in refusal("export_dataset", "tiny", "--json")
    scoring_files.dataset_path(version.sha256).unlink()
    assert "is missing" in refusal("export_dataset", "tiny")
    target = tmp_path / "kept.jsonl"
    target.write_text("before")
    refusal("export_dataset", "tiny", "--output", str(target))
    assert target.read_text() == "before"


def test_a_bad_file_is_refused_with_every_bad_item_and_nothing_stored(
    data_directory: Path, tmp_path: Path
) -> None:
    bad = quality(tmp_path / "bad.json", 1, human_eval={"Quality": 2})
    err = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("import_dataset", bad, "--name", "d", stdout=io.StringIO(), stderr=err)
    assert [f"item {n}" in err.getvalue() for n in (1, 2, 3)] == [True] * 3
    assert not Dataset.objects.exists()
    assert not (data_directory / "datasets").exists()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "0 records"),
        (b"\n\n", "0 records"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04zip", "ZIP"),
        (b"A,B,C\n1,2,3\n", "neither"),
        (b"[]", "0 records"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(
    data_directory: Path, tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert expected in refusal("import_dataset", str(path), "--name", "d")
    assert not Dataset.objects.exists()


def test_an_import_is_refused_in_one_line(data_directory: Path, tmp_path: Path) -> None:
    one = quality(tmp_path / "one.json", 1)
    assert "impossible" in refusal("import_dataset", one, "--name", "d")
    assert "Cannot read" in refusal("import_dataset", str(tmp_path / "no.json"), "--name", "d")
    assert "cannot be a dataset's name" in refusal("import_dataset", one, "--name", "a b")
    assert "no campaign" in refusal("import_dataset", one, "--name", "d", "--campaign", "x")
    assert "name no split" in refusal("import_dataset", one, "--name", "d", "--split-by", "file")
    assert not Dataset.objects.exists()
    assert not (data_directory / "datasets").exists()
