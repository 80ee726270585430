import json

import pytest

from scoring.patclaimeval.data import (
    Quadruplet,
    batches,
    distinct_pairs,
    read_pairs,
    read_quadruplets,
    read_rows,
)
from scoring.patclaimeval.errors import DataError


@pytest.mark.parametrize("label", [2, True, None, "1"])
def test_unknown_label_is_refused(label) -> None:
    with pytest.raises(DataError):
        Quadruplet("r", "text", "b", "c", label)


def test_empty_text_is_refused() -> None:
    with pytest.raises(DataError, match="empty"):
        Quadruplet("r", "text", " \n", "c", 1)


def test_batches_by_reference_hold_one_reference_each(quadruplets) -> None:
    parts = list(batches(quadruplets, 2, "by-reference", seed=0, epoch=0))
    assert all(len({item.reference_id for item in part}) == 1 for part in parts)
    assert sum(map(len, parts)) == len(quadruplets)


def test_batch_order_depends_on_seed_and_epoch_alone(quadruplets) -> None:
    first = list(batches(quadruplets, 4, "paper", seed=0, epoch=0))
    assert first == list(batches(quadruplets, 4, "paper", seed=0, epoch=0))
    assert first != list(batches(quadruplets, 4, "paper", seed=0, epoch=1))
    assert first != list(batches(quadruplets, 4, "paper", seed=1, epoch=0))


def test_pairs_met_twice_are_listed_once(quadruplets) -> None:
    assert len(distinct_pairs(quadruplets)) == 15


def test_rows_of_one_criterion_are_read_and_others_left_out(tmp_path) -> None:
    row = {"reference_id": "r1", "A": "ref", "B": "b", "C": "c"}
    rows = [{**row, "y": {"logical_linkage": -1}}, {**row, "y": {"overall_quality": 1}}]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    assert read_quadruplets(path, "logical_linkage") == [Quadruplet("r1", "ref", "b", "c", -1)]


def test_broken_row_is_named_by_its_line(tmp_path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"A": "ref", "B": "b", "C": "c", "y": 1}\n{"A": "ref"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_quadruplets(path, "overall_quality")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"A": "ref", "A": "b"}', "stands twice"),
        (b'{"A": NaN}', "NaN"),
        (b'{"A": "caf\xe9"}', "0xE9 is not UTF-8"),
        (b'{"A": "\\u0000"}', "NUL"),
    ],
)
def test_rows_are_read_by_the_strict_reader(tmp_path, line, reason) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"A": "ref", "B": "b", "C": "c", "y": 1}\n' + line + b"\n")
    for read in (lambda: read_quadruplets(path, "overall_quality"), lambda: read_pairs(path)):
        with pytest.raises(DataError, match="line [12]"):
            read()
    with pytest.raises(DataError, match=f"line 2 of rows.jsonl: .*{reason}"):
        list(read_rows(path))


def test_a_pair_without_its_texts_is_named_by_its_line(tmp_path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"reference": "a\u2028b", "candidate": "c", "n": 1}\n[1]\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 2 .* must be texts"):
        read_pairs(path)
    path.write_text('{"reference": "a\u2028b", "candidate": "c", "n": 1}\n', encoding="utf-8")
    assert read_pairs(path) == [{"reference": "a\u2028b", "candidate": "c", "n": 1}]
