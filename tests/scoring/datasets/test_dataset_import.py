"""Quadruplets that were made elsewhere as versions."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from core.text_io.streams import FormatError, ReadNotes
from scoring.access.scopes import labelled_rows, read_rows
from scoring.datasets.freezing.imports import import_files
from scoring.formats import patent_ce_jsonl
from scoring.quadruplets import SplitPlan
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.stored import nothing_is_stored, stopping_at, stored_bytes

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


def quality(path: Path, criterion: str = "Quality", references: int = 4, label: int = 1) -> Path:
    items = [
        {
            "gold_claim": f"1. A cup {n}.",
            "A": f"1. A mug {n} {c}.",
            "B": f"1. A bowl {n} {c}.",
            "human_eval": {criterion: label},
        }
        for n in range(references)
        for c in range(3)
    ]
    path.write_text(json.dumps(items))
    return path


def annotation(number: int, annotator: int, comparison: Any = None, claims: int = 1) -> Any:
    """One annotation as PatentEval's export writes it."""
    return {
        "input_claim": f"1. A cup {claims}.",
        "output1": f"2. The cup of claim 1, wherein it is red {claims}.",
        "output2": f"2. The cup of claim 1, wherein it is blue {claims}.",
        "annotator": annotator,
        "annotation_id": number,
        "created_at": "2024-03-22T16:32:50Z",
        "updated_at": "2024-03-22T16:33:50Z",
    } | ({} if comparison is None else {"comparison": comparison})


LEFT, RIGHT = [{"selected": "left"}], [{"selected": "right"}]


def test_files_are_joined_and_the_card_names_each_with_its_digest(data_directory, tmp_path) -> None:
    one = quality(tmp_path / "quality.json")
    two = quality(tmp_path / "clarity.json", "Clarity", label=0)
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
    paths = [quality(tmp_path / f"{n}.json", label=n) for n in (0, 1)]
    with pytest.raises(FormatError, match=r"1\.json, item 1, field overall_quality"):
        import_files(name="d", paths=paths, plan=SplitPlan())
    with pytest.raises(Refused, match=r"Cannot read .*absent\.json"):
        import_files(name="d", paths=[tmp_path / "absent.json"], plan=SplitPlan())
    assert nothing_is_stored(data_directory)


def test_the_same_rows_in_one_file_or_in_two_are_one_version(data_directory, tmp_path) -> None:
    whole, *halves = (tmp_path / f"{name}.json" for name in ("whole", "a", "b"))
    items = json.loads(quality(whole).read_text())
    halves[0].write_text(json.dumps(items[:7]))
    halves[1].write_text(json.dumps(items[5:]))
    one = import_files(name="d", paths=[whole], plan=SplitPlan())
    two = import_files(name="d", paths=halves, plan=SplitPlan())
    assert (two.version, two.is_new) == (one.version, False)


def test_preferences_are_rows_of_their_annotators(data_directory, tmp_path) -> None:
    path = tmp_path / "export.json"
    said = [
        annotation(1, 3, LEFT),
        annotation(2, 4, RIGHT),
        annotation(3, 3, None, claims=2),
        annotation(4, 4, [], claims=2) | {"domain": "A47G"},
    ]
    path.write_text(json.dumps(said))
    version = import_files(name="d", paths=[path], plan=SplitPlan("item", 0, 0)).version
    rows = list(read_rows(version))
    assert [(row.annotator, dict(row.y)) for row in rows] == [
        ("label-studio-3", {"overall_quality": 1}),
        ("label-studio-4", {"overall_quality": -1}),
        ("label-studio-3", {"overall_quality": 0}),
        ("label-studio-4", {"overall_quality": 0}),
    ]
    assert (rows[0].reference, rows[0].b) == (said[0]["input_claim"], said[0]["output1"])
    assert len({row.id for row in rows}) == 4
    assert rows[3].extras["ipc"] == "A47G"
    assert version.card["people"] == {"annotators": 2, "adjudicators": 0}
    assert version.card["tie_share"] == {"overall_quality": 0.5}


def test_progress_stops_an_import_that_it_is_to_stop(data_directory, tmp_path) -> None:
    asked = {"name": "d", "paths": [quality(tmp_path / "quality.json")], "plan": SplitPlan()}
    for words in ("Reading the files.", "Writing the file."):
        with pytest.raises(KeyboardInterrupt):
            import_files(**asked, progress=stopping_at(words))
        assert nothing_is_stored(data_directory)
    said: list[float] = []
    import_files(**asked, progress=lambda share, _: said.append(share))
    assert said == sorted(said)
    assert 0 < said[0] <= said[-1] <= 1


def test_rows_that_repeat_an_id_are_joined_and_contradictions_refused(data_directory, rows) -> None:
    given = rows(3)
    assert imported("d", [*given, given[0]], "reference").items == len(given)
    other = replace(given[0], y={"feature_completeness": 0})
    with pytest.raises(FormatError, match="contradicts"):
        imported("d", [*given, other], "reference")
