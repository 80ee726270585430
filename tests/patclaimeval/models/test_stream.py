import io
import json
from typing import Any

import pytest

from patclaimeval.models import stream
from patclaimeval.models.stream import ModelDetails, Tally, score_lines
from patclaimeval.text_io.streams import FormatError
from tests.patclaimeval.models.test_pair_scores import WordModel, scorer

WORDS = ModelDetails("m1", "overall_quality", 0.25)
BESIDE = {"model": "m1", "criterion": "overall_quality", "tie_threshold": 0.25}


def scored(*lines: Any, tally: Tally | None = None) -> list[dict[str, Any]]:
    data = "".join(
        (line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines
    ).encode()
    return list(score_lines(io.BytesIO(data), scorer(WordModel()), WORDS, tally or Tally()))


def test_each_pair_is_one_line_in_the_order_of_the_file_with_model_and_threshold() -> None:
    rows = scored(
        {"reference": "p", "candidate": "q"},
        {"id": "x7", "reference": "p p", "candidates": ["q q q", "q"]},
        {"id": 8, "reference": "p", "candidates": ["q q q"]},
    )
    assert rows == [
        {"line": 1, "candidate": 1, "score": 0.5} | BESIDE,
        {"line": 2, "id": "x7", "candidate": 1, "score": 0.6} | BESIDE,
        {"line": 2, "id": "x7", "candidate": 2, "score": 1 / 3} | BESIDE,
        {"line": 3, "id": 8, "candidate": 1, "score": 0.75} | BESIDE,
    ]


def test_a_bad_line_is_reported_in_its_place_and_the_others_are_scored() -> None:
    tally = Tally()
    good = {"reference": "p", "candidate": "q"}
    rows = scored(good, "{", "", "[1]", good, tally=tally)
    assert [row["line"] for row in rows] == [1, 2, 4, 5]
    assert [("score" in row, "error" in row) for row in rows] == [
        *((True, False), (False, True), (False, True), (True, False))
    ]
    assert (tally.read, tally.pairs, tally.refused) == (2, 2, 2)
    assert tally.first.startswith("line 2: ")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"reference": " ", "candidate": "secret"}, "reference must be a text"),
        ({"reference": "secret", "candidates": ["q", None]}, "candidates must be a list"),
        (7, "a JSON object with reference and candidate"),
        ({"reference": "secret", "candidate": "q", "id": True}, "field id"),
        ({"reference": "secret", "candidate": "q", "id": 0.5}, "field id"),
        ({"reference": "secret", "candidate": "q", "text": 1}, "'text' is not known"),
    ],
)
def test_what_is_wrong_is_named_by_field_without_quoting_a_text(line, reason) -> None:
    (row,) = scored(line)
    assert row["line"] == 1
    assert reason in row["error"]
    assert "secret" not in row["error"]


def test_a_pair_over_the_limit_is_named_by_line_and_candidate() -> None:
    tally = Tally()
    rows = scored({"reference": "p", "candidates": ["q", "q " * 20]}, tally=tally)
    assert rows[0]["score"] == 0.5
    assert rows[1]["candidate"] == 2
    assert "21 tokens" in rows[1]["error"]
    assert (tally.read, tally.pairs, tally.refused) == (2, 1, 1)


def test_no_more_than_a_window_is_read_ahead(monkeypatch) -> None:
    monkeypatch.setattr(stream, "PAIRS_A_WINDOW", 3)
    line = json.dumps({"reference": "p", "candidates": ["q", "q q"]}).encode() + b"\n"
    file = io.BytesIO(line * 9)
    rows = score_lines(file, scorer(WordModel()), WORDS, Tally())
    next(rows)
    assert file.tell() == 2 * len(line)
    assert len(list(rows)) == 17


def test_a_window_ends_by_characters_too(monkeypatch) -> None:
    monkeypatch.setattr(stream, "CHARACTERS_A_WINDOW", 4)
    line = json.dumps({"reference": "p", "candidate": "q"}).encode() + b"\n"
    file = io.BytesIO(line * 9)
    next(score_lines(file, scorer(WordModel()), WORDS, Tally()))
    assert file.tell() == 2 * len(line)


def test_a_file_of_another_kind_is_refused_whole() -> None:
    with pytest.raises(FormatError, match="JSON array"):
        scored("[", "]")
