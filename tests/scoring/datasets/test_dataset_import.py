"""Quadruplets that were made elsewhere as versions."""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from core.text_io.streams import FormatError, ReadNotes
from scoring.access.scopes import labelled_rows, read_rows
from scoring.datasets.freezing.imports import import_dataset, import_files
from scoring.formats import patent_ce_jsonl
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import SplitPlan
from tests.scoring.stored import nothing_is_stored, stored_bytes

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

NO_SPLIT = {"test_share": 0.0, "validation_share": 0.0}
Make = Callable[..., Any]


def test_an_import_keeps_order_sides_and_the_files_split(
    data_directory: Path, rows: Callable[..., list[DatasetRow]]
) -> None:
    given = rows(4)
    version = import_dataset(name="d", rows=given, plan=SplitPlan("file")).version
    assert list(read_rows(version)) == given
    assert version.card["files"] == []
    assert stored_bytes(version.sha256) == b"".join(patent_ce_jsonl.write(given))
    assert [r.y for r in labelled_rows(version, "feature_completeness")] == [1, -1, 0] * 4
    assert labelled_rows(version, "overall_quality") == []


def test_an_import_splits_by_reference_and_by_item(
    data_directory: Path, rows: Callable[..., list[DatasetRow]]
) -> None:
    by_reference = import_dataset(name="d", rows=rows(5), plan=SplitPlan("reference")).version
    assert by_reference.card["counts"]["texts_in_several_splits"] == 0
    by_item = import_dataset(name="d", rows=rows(5), plan=SplitPlan("item", 0.3, 0.3)).version
    assert by_item.card["counts"]["texts_in_several_splits"] > 0
    assert by_item.number == 2


def test_an_import_without_rows_or_without_splits_is_refused(
    data_directory: Path, rows: Callable[..., list[DatasetRow]]
) -> None:
    with pytest.raises(Refused, match="0 quadruplets"):
        import_dataset(name="d", rows=[], plan=SplitPlan())
    unsplit = [DatasetRow(f"q{n}", "r", "A", "B", "C", "b", "c", {}) for n in range(2)]
    with pytest.raises(Refused, match="2 quadruplets name no split"):
        import_dataset(name="d", rows=unsplit, plan=SplitPlan("file"))
    with pytest.raises(Refused, match="impossible"):
        import_dataset(name="d", rows=rows(1), plan=SplitPlan())
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


def test_files_are_joined_and_the_card_names_each_with_its_digest(
    data_directory: Path, db: None, tmp_path: Path
) -> None:
    one = quality(tmp_path / "quality.json")
    two = quality(tmp_path / "clarity.json", "Clarity", label=0)
    notes = ReadNotes()
    version = import_files(name="d", paths=[one, two], plan=SplitPlan(), notes=notes).version
    assert [dict(row.y) for row in read_rows(version)] == [
        {"conceptual_clarity": 0, "overall_quality": 1}
    ] * 12
    assert notes.joined == 12
    assert version.card["files"] == [
        {
            "name": path.name,
            "sha256": sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in (one, two)
    ]
    assert version.card["counts"]["texts_in_several_splits"] == 0
    assert "agreement" not in version.card


def test_labels_that_contradict_each_other_leave_nothing(
    data_directory: Path, db: None, tmp_path: Path
) -> None:
    paths = [quality(tmp_path / f"{n}.json", label=n) for n in (0, 1)]
    with pytest.raises(FormatError, match=r"1\.json, item 1, field overall_quality"):
        import_files(name="d", paths=paths, plan=SplitPlan())
    with pytest.raises(Refused, match=r"Cannot read .*absent\.json"):
        import_files(name="d", paths=[tmp_path / "absent.json"], plan=SplitPlan())
    assert nothing_is_stored(data_directory)


def test_the_same_rows_in_one_file_or_in_two_are_one_version(
    data_directory: Path, db: None, tmp_path: Path
) -> None:
    whole = quality(tmp_path / "whole.json")
    items = json.loads(whole.read_text())
    halves = [tmp_path / "a.json", tmp_path / "b.json"]
    halves[0].write_text(json.dumps(items[:7]))
    halves[1].write_text(json.dumps(items[5:]))
    one = import_files(name="d", paths=[whole], plan=SplitPlan())
    two = import_files(name="d", paths=halves, plan=SplitPlan())
    assert (two.version, two.is_new) == (one.version, False)


def test_preferences_are_rows_of_their_annotators(
    data_directory: Path, db: None, tmp_path: Path
) -> None:
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


def test_progress_stops_an_import_that_it_is_to_stop(
    data_directory: Path, db: None, tmp_path: Path
) -> None:
    path = quality(tmp_path / "quality.json")
    said: list[float] = []

    def stop_at(words: str) -> Callable[[float, str], None]:
        def on_step(share: float, now: str) -> None:
            if now == words:
                raise KeyboardInterrupt

        return on_step

    for words in ("Reading the files.", "Writing the file."):
        with pytest.raises(KeyboardInterrupt):
            import_files(name="d", paths=[path], plan=SplitPlan(), progress=stop_at(words))
        assert nothing_is_stored(data_directory)
    import_files(
        name="d", paths=[path], plan=SplitPlan(), progress=lambda share, _: said.append(share)
    )
    assert said == sorted(said)
    assert 0 < said[0] <= said[-1] <= 1


def test_rows_that_repeat_an_id_are_joined_and_contradictions_refused(
    data_directory: Path, rows: Callable[..., list[DatasetRow]]
) -> None:
    given = rows(3)
    version = import_dataset(name="d", rows=[*given, given[0]], plan=SplitPlan()).version
    assert version.items == len(given)
    other = replace(given[0], y={"feature_completeness": 0})
    with pytest.raises(FormatError, match="contradicts"):
        import_dataset(name="d", rows=[*given, other], plan=SplitPlan())
