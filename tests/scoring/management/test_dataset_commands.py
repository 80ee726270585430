import json
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError

from scoring import files as scoring_files
from scoring.datasets.cards import withheld_text
from scoring.datasets.versions.queries import card_page
from scoring.models import Dataset, DatasetVersion
from tests.scoring.management.commands import document, refusal, refused, run
from tests.scoring.stored import quality_file, stored_bytes

pytestmark = pytest.mark.django_db
FOUR = "12 quadruplets of 4 references"


@pytest.fixture
def campaign(rated):
    """A campaign whose three references everybody has rated."""
    return rated(3).rate_all()


def quality(path: Path, references: int = 6, label: int | None = None) -> str:
    return str(quality_file(path, "Quality", references, label))


@pytest.fixture
def published(data_directory, tmp_path) -> str:
    """A file of 18 items of 6 references."""
    return quality(tmp_path / "quality.json")


def test_a_freeze_prints_one_document_or_words(campaign) -> None:
    found = document("freeze_dataset", "trial")
    assert list(found)[:4] == ["dataset", "version", "sha256", "items"]
    assert (found["dataset"], found["version"], found["items"]) == ("trial", 1, 9)
    assert found["splits"] == {"train": 3, "validation": 3, "test": 3}
    assert set(found["labels"]["overall_quality"]) == {"1", "0", "-1"}
    assert found["left_out"] == {}
    assert document("freeze_dataset", "trial") == found
    assert document("freeze_dataset", "trial", "--name", "again", "--seed", "9")["version"] == 1
    words = run("freeze_dataset", "trial")[0]
    assert "dataset: trial" in words
    assert "items: 9" in words


@pytest.mark.parametrize(
    ("test", "validation", "withheld"),
    [
        ("0", "0", "nothing"),
        ("0", "0.1", "3 quadruplets of 1 reference for validation when an encoder is fine-tuned"),
        ("0.1", "0", "3 quadruplets of 1 reference for test"),
        (
            *("0.4", "0.5"),
            f"{FOUR} for test and 9 quadruplets of 3 references for validation when an encoder is "
            "fine-tuned",
        ),
    ],
)
def test_a_share_of_0_withholds_nothing_and_what_is_withheld_is_named(
    data_directory, tmp_path, test, validation, withheld
) -> None:
    path = quality(tmp_path / "quality.json", references=10)
    shares = ("--test-share", test, "--validation-share", validation)
    assert document("import_dataset", path, "--name", "d", *shares)["withheld"] == withheld
    card = DatasetVersion.objects.get().card
    assert withheld_text(card) == withheld
    assert ("Withheld from training", withheld) in {
        (name, words) for name, words, _ in card_page(card)["checks"]
    }
    assert sum(card["split_references"].values()) == 10


def test_a_file_of_rows_that_stand_twice_is_the_same_dataset_and_says_so(
    published, tmp_path
) -> None:
    run("import_dataset", published, "--name", "first")
    once = stored_bytes(DatasetVersion.objects.get().sha256)
    path = tmp_path / "rows.jsonl"
    for name, content in {
        "again": once,
        "twice": once + once,
        "dressed": b"\xef\xbb\xbf" + once.rstrip(b"\n").replace(b"\n", b"\r\n", 3),
    }.items():
        path.write_bytes(content)
        _, err = run("import_dataset", str(path), "--name", name, "--split-by", "file")
        assert stored_bytes(DatasetVersion.objects.get(dataset__name=name).sha256) == once
        assert ("18 items repeat an earlier item" in err) is (name == "twice")
    path.write_bytes(once + once.replace(b"A mug", b"A jar", 1))
    assert "says something else" in refusal("import_dataset", str(path), "--name", "other")


def test_a_freeze_and_an_import_leave_the_index_for_the_pages(
    campaign, published, data_directory
) -> None:
    frozen = document("freeze_dataset", "trial")
    imported = document("import_dataset", published, "--name", "foreign")
    indexes = sorted(path.name for path in (data_directory / "cache").glob("rows-*.sqlite3"))
    assert indexes == sorted(f"rows-{found['sha256']}.sqlite3" for found in (frozen, imported))


def test_a_freeze_takes_shares_criteria_and_the_way_of_splitting(campaign) -> None:
    chosen = ("--criteria", "overall_quality", "logical_linkage", "--split-by", "time")
    found = document(
        *("freeze_dataset", "trial", "--test-share", "0", "--validation-share", "0", *chosen)
    )
    assert list(found["labels"]) == ["logical_linkage", "overall_quality"]
    assert found["splits"] == {"train": 9, "validation": 0, "test": 0}
    assert DatasetVersion.objects.get().card["split"]["by"] == "time"


def test_wrong_usage_is_distinguished_from_a_refusal_in_one_line(rated) -> None:
    rated(1)
    with pytest.raises(CommandError):
        run("freeze_dataset", "trial", "--split-by", "item")
    assert "There is no campaign 'nowhere'. Campaigns: trial." in refusal(
        "freeze_dataset", "nowhere"
    )
    assert "gives no quadruplet" in refusal("freeze_dataset", "trial")
    assert not Dataset.objects.exists()


def test_an_import_is_exported_with_the_values_of_its_file(published, tmp_path) -> None:
    found = document("import_dataset", published, "--name", "d")
    assert (found["version"], found["items"]) == (1, 18)
    assert all(count % 3 == 0 for count in found["splits"].values())  # whole references
    target = tmp_path / "back.json"
    run("export_dataset", "d", "--format", "patent-ce-json", "--output", str(target))
    assert json.loads(target.read_text()) == json.loads(Path(published).read_text())
    assert document("import_dataset", published, "--name", "d") == found
    assert DatasetVersion.objects.count() == 1


def test_our_own_export_to_a_file_or_stdout_is_imported_as_the_same_version(
    published, tmp_path, capfdbinary
) -> None:
    run("import_dataset", published, "--name", "d")
    target = tmp_path / "out.jsonl"
    run("export_dataset", "d@1", "--output", str(target))
    run("export_dataset", "d")
    sys.stdout.flush()
    version = DatasetVersion.objects.get()
    assert target.read_bytes() == capfdbinary.readouterr().out == stored_bytes(version.sha256)
    found = document("import_dataset", str(target), "--name", "copy", "--split-by", "file")
    assert found["sha256"] == version.sha256


def test_an_export_of_what_is_not_there_lists_what_is(version) -> None:
    for name in ("nothing", "nothing@2", "tiny@", "", "../tiny"):
        line = refusal("export_dataset", name)
        assert f"There is no dataset {name!r}. Datasets: tiny." in line
    for number in ("2", "x"):
        line = refusal("export_dataset", f"tiny@{number}")
        assert line == f"Dataset 'tiny' has no version {number}. Versions: 1."


def test_an_export_that_cannot_be_written_is_refused_in_one_line(version, tmp_path) -> None:
    for target in (tmp_path / "no/x", tmp_path):
        assert "Cannot write" in refusal("export_dataset", "tiny", "--output", str(target))
    assert list(tmp_path.parent.glob(".export-*")) == []
    assert "name a file" in refusal("export_dataset", "tiny", "--json")
    scoring_files.dataset_path(version.sha256).unlink()
    target = tmp_path / "there.jsonl"
    target.write_text("before")
    for more in ((), ("--output", str(target))):
        assert "is missing" in refusal("export_dataset", "tiny", *more)
    assert target.read_text() == "before"


def test_an_import_is_refused_with_every_bad_item_and_nothing_stored(
    data_directory, tmp_path
) -> None:
    one, bad = quality(tmp_path / "one.json", 1), quality(tmp_path / "bad.json", 1, label=2)
    wrong = "\n".join(refused("import_dataset", bad, "--name", "d"))
    assert all(f"item {n}" in wrong for n in (1, 2, 3))
    (tmp_path / "empty.json").touch()
    for path, expected in (("empty.json", "0 records"), ("no.json", "Cannot read")):
        assert expected in refusal("import_dataset", str(tmp_path / path), "--name", "d")
    assert "impossible" in refusal("import_dataset", one, "--name", "d")
    assert "cannot be a dataset's name" in refusal("import_dataset", one, "--name", "a b")
    assert "no campaign" in refusal("import_dataset", one, "--name", "d", "--campaign", "x")
    assert "name no split" in refusal("import_dataset", one, "--name", "d", "--split-by", "file")
    assert not Dataset.objects.exists()
    assert not (data_directory / "datasets").exists()


def test_nothing_is_printed_as_code_of_the_program(published) -> None:
    words = run("import_dataset", published, "--name", "quality")[0]
    assert not set("{}[]'") & set(words)
    assert "None" not in words
    assert max(map(len, words.splitlines())) <= 80


def test_a_language_is_recorded_where_the_rows_name_none(published, tmp_path) -> None:
    document("import_dataset", published, "--name", "german", "--language", "de")
    stored = stored_bytes(DatasetVersion.objects.get().sha256)
    rows = [json.loads(line) for line in stored.splitlines()]
    assert {row["language"] for row in rows} == {"de"}
    path = tmp_path / "rows.jsonl"
    path.write_bytes(stored)
    # What a file records is kept.
    document("import_dataset", str(path), "--name", "again", "--language", "fr")
    again = stored_bytes(DatasetVersion.objects.get(dataset__name="again").sha256)
    assert {json.loads(line)["language"] for line in again.splitlines()} == {"de"}
    line = refusal("import_dataset", published, "--name", "x", "--language", "Deutsch")
    assert line == "Give a code of two or three letters, such as en or de."
    assert not DatasetVersion.objects.filter(dataset__name="x").exists()
