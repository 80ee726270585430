import json
import os
from threading import Thread

import pytest

from patclaimeval.models.data import (
    Quadruplet,
    batches,
    distinct_pairs,
    read_pairs,
    read_quadruplets,
    read_rows,
)
from patclaimeval.models.errors import DataError


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


PUBLISHED = {"gold_claim": "ref", "A": "b", "B": "c", "human_eval": {"Quality": -1, "Clarity": 0}}


@pytest.mark.parametrize("head", [b"", b"\xef\xbb\xbf", b" \n\t"], ids=["plain", "BOM", "blanks"])
def test_the_published_array_is_read_with_its_a_and_b_as_our_b_and_c(tmp_path, head) -> None:
    path = tmp_path / "published.json"
    path.write_bytes(head + json.dumps([PUBLISHED, PUBLISHED], indent=1).encode())
    assert read_quadruplets(path, "overall_quality") == [Quadruplet("ref", "ref", "b", "c", -1)] * 2
    assert read_quadruplets(path, "conceptual_clarity", [None])[0].y == 0


def test_both_layouts_are_read_as_lines_and_as_an_array(tmp_path) -> None:
    ours = {"reference_id": "r1", "A": "ref", "B": "b", "C": "c", "y": {"overall_quality": 1}}
    path = tmp_path / "rows"
    for row, label in ((ours, 1), (PUBLISHED, -1)):
        for text in (json.dumps(row), json.dumps([row])):
            path.write_text(text, encoding="utf-8")
            assert [item.y for item in read_quadruplets(path, "overall_quality")] == [label]


def test_rows_are_read_from_a_pipe(tmp_path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = Thread(target=path.write_text, args=(json.dumps([PUBLISHED]),))
    writer.start()
    assert len(read_quadruplets(path, "overall_quality")) == 1
    writer.join()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (PUBLISHED | {"human_eval": {"Beauty": 1}}, "item 2 .*human_eval must hold labels of"),
        (PUBLISHED | {"gold_claim": " "}, "item 2 .*is empty"),
        ({"gold_claim": "ref"}, "item 2 .*'human_eval' is missing"),
        ({"A": "ref", "B": "b", "C": "c"}, "item 2 .*'y' is missing"),
        ({"reference_id": "", "A": "a", "B": "b", "C": "c", "y": 1}, "item 2 .*reference_id is"),
        ([], "item 2 .*JSON object was expected"),
    ],
)
def test_a_bad_item_of_an_array_is_named_by_its_number(tmp_path, row, reason) -> None:
    path = tmp_path / "published.json"
    path.write_text(json.dumps([PUBLISHED, row]), encoding="utf-8")
    with pytest.raises(DataError, match=reason):
        read_quadruplets(path, "overall_quality")


def test_a_criterion_without_any_label_is_refused_with_those_that_have_some(tmp_path) -> None:
    path = tmp_path / "published.json"
    path.write_text(json.dumps([PUBLISHED]), encoding="utf-8")
    with pytest.raises(DataError, match="'quality'. It has labels of conceptual_clarity, overall_"):
        read_quadruplets(path, "quality")


def test_each_of_several_candidates_is_a_pair(tmp_path) -> None:
    path = tmp_path / "pairs.jsonl"
    row = {"id": 7, "reference": "a", "candidates": ["b", "c"]}
    for text in (json.dumps(row), json.dumps([row])):
        path.write_text(text, encoding="utf-8")
        assert read_pairs(path) == [
            {"id": 7, "reference": "a", "candidate": "b"},
            {"id": 7, "reference": "a", "candidate": "c"},
        ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"reference": " ", "candidate": "c"}, "reference must be a text that is not empty"),
        ({"reference": "a", "candidate": ""}, "candidate must be a text that is not empty"),
        ({"reference": "a", "candidates": []}, "candidates must be a list of texts"),
        ({"reference": "a", "candidates": ["b", " "]}, "candidates must be a list of texts"),
        ({"reference": "a", "candidates": "b"}, "candidates must be a list of texts"),
        ({"reference": "a"}, "give either candidate or candidates"),
        ({"reference": "a", "candidate": "b", "candidates": ["c"]}, "give either"),
    ],
)
def test_a_pair_with_a_bad_text_is_refused_with_the_reason(tmp_path, row, reason) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(DataError, match=f"line 1 of pairs.jsonl: {reason}"):
        read_pairs(path)


def test_a_pair_without_its_texts_is_named_by_its_line(tmp_path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"reference": "a\u2028b", "candidate": "c", "n": 1}\n[1]\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 2 .* object with reference and candidate"):
        read_pairs(path)
    path.write_text('{"reference": "a\u2028b", "candidate": "c", "n": 1}\n', encoding="utf-8")
    assert read_pairs(path) == [{"reference": "a\u2028b", "candidate": "c", "n": 1}]
