import json
from dataclasses import replace
from hashlib import sha256

import pytest

from core.errors import Refused
from patclaimeval.text_io.streams import FormatError, ReadNotes
from scoring.access.scopes import labelled_rows, read_rows
from scoring.datasets.freezing.imports import import_files
from scoring.formats import patent_ce_jsonl
from scoring.quadruplets import SplitPlan
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.formats.test_label_studio_rows import annotation
from tests.scoring.stored import nothing_is_stored, quality_file, stored_bytes

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_an_import_keeps_order_sides_and_the_files_split(data_directory, rows) -> None:
    given = rows(4)
    version = imported("d", given)
    assert list(read_rows(version)) == given
    assert version.card["files"] == []
    assert stored_bytes(version.sha256) == b"".join(patent_ce_jsonl.write(given))
    assert [r.y for r in labelled_rows(version, "feature_completeness")] == [1, -1, 0] * 4
    assert labelled_rows(version, "overall_quality") == []


def test_an_import_splits_by_reference_and_by_item(data_directory, rows) -> None:
    by_reference = imported("d", rows(5), "reference")
    assert by_reference.card["counts"]["texts_in_several_splits"] == 0
    by_item = imported("d", rows(5), "item", 0.3, 0.3)
    assert by_item.card["counts"]["texts_in_several_splits"] > 0
    assert by_item.number == 2


@pytest.mark.parametrize(
    ("given", "by", "words"),
    [
        ([], "reference", "0 quadruplets"),
        (dataset_rows(1), "reference", "impossible"),
        ([replace(row, split="") for row in dataset_rows(1)], "file", "3 quadruplets name no"),
    ],
    ids=["no rows", "one reference", "no splits"],
)
def test_an_import_of_what_cannot_be_split_is_refused(data_directory, given, by, words) -> None:
    with pytest.raises(Refused, match=words):
        imported("d", given, by)
    assert nothing_is_stored(data_directory)


def test_a_version_has_as_many_quadruplets_as_the_limit_says(
    data_directory, rows, monkeypatch
) -> None:
    given = rows(4)
    monkeypatch.setattr("scoring.datasets.freezing.services.QUADRUPLETS", len(given) - 1)
    with pytest.raises(Refused, match=f"{len(given)} quadruplets; a dataset version has at most"):
        imported("d", given)
    assert nothing_is_stored(data_directory)
    monkeypatch.setattr("scoring.datasets.freezing.services.QUADRUPLETS", len(given))
    assert imported("d", given).items == len(given)


LEFT, RIGHT = [{"selected": "left"}], [{"selected": "right"}]


def test_files_are_joined_and_the_card_names_each_with_its_digest(data_directory, tmp_path) -> None:
    one = quality_file(tmp_path / "quality.json")
    two = quality_file(tmp_path / "clarity.json", "Clarity", label=0)
    notes = ReadNotes()
    version = import_files(name="d", paths=[one, two], plan=SplitPlan(), notes=notes).version
    assert [dict(row.y) for row in read_rows(version)] == [
        {"conceptual_clarity": 0, "overall_quality": 1}
    ] * 12
    assert notes.joined == 12
    assert version.card["files"] == [
        {"name": path.name, "sha256": sha256(data).hexdigest(), "bytes": len(data)}
        for path, data in ((path, path.read_bytes()) for path in (one, two))
    ]
    assert version.card["counts"]["texts_in_several_splits"] == 0
    assert "agreement" not in version.card


def test_labels_that_contradict_each_other_leave_nothing(data_directory, tmp_path) -> None:
    paths = [quality_file(tmp_path / f"{n}.json", label=n) for n in (0, 1)]
    with pytest.raises(FormatError, match=r"1\.json, item 1, field overall_quality"):
        import_files(name="d", paths=paths, plan=SplitPlan())
    with pytest.raises(Refused, match=r"Cannot read .*absent\.json"):
        import_files(name="d", paths=[tmp_path / "absent.json"], plan=SplitPlan())
    assert nothing_is_stored(data_directory)


def test_the_same_rows_in_one_file_or_in_two_are_one_version(data_directory, tmp_path) -> None:
    whole, *halves = (tmp_path / f"{name}.json" for name in ("whole", "a", "b"))
    items = json.loads(quality_file(whole).read_text())
    halves[0].write_text(json.dumps(items[:7]))
    halves[1].write_text(json.dumps(items[5:]))
    one = import_files(name="d", paths=[whole], plan=SplitPlan())
    two = import_files(name="d", paths=halves, plan=SplitPlan())
    assert (two.version, two.is_new) == (one.version, False)


def test_preferences_are_rows_of_their_annotators(data_directory, tmp_path) -> None:
    path = tmp_path / "export.json"
    other = {"input_claim": "1. A mug.", "output1": "2. The mug.", "output2": "2. That mug."}
    given = [
        annotation(comparison=LEFT),
        annotation(annotation_id=2, annotator=4, comparison=RIGHT),
        annotation(annotation_id=3, **other),
        annotation(annotation_id=4, annotator=4, comparison=[], domain="A47G", **other),
    ]
    path.write_text(json.dumps(given))
    version = import_files(name="d", paths=[path], plan=SplitPlan("item", 0, 0)).version
    rows = list(read_rows(version))
    assert [(row.annotator, dict(row.y)) for row in rows] == [
        ("label-studio-3", {"overall_quality": 1}),
        ("label-studio-4", {"overall_quality": -1}),
        ("label-studio-3", {"overall_quality": 0}),
        ("label-studio-4", {"overall_quality": 0}),
    ]
    assert (rows[0].reference, rows[0].b) == (given[0]["input_claim"], given[0]["output1"])
    assert len({row.id for row in rows}) == 4
    assert rows[3].extras["ipc"] == "A47G"
    assert version.card["people"] == {"annotators": 2, "adjudicators": 0}
    assert version.card["tie_share"] == {"overall_quality": 0.5}


def test_rows_that_repeat_an_id_are_joined_and_contradictions_refused(data_directory, rows) -> None:
    given = rows(3)
    assert imported("d", [*given, given[0]], "reference").items == len(given)
    other = replace(given[0], y={"feature_completeness": 0})
    with pytest.raises(FormatError, match="contradicts"):
        imported("d", [*given, other], "reference")
