import sqlite3
from pathlib import Path

import pytest

from patclaimeval.models.pair_scores import PairKey, PairScore, ScoreCache, pair_key

MODEL, OTHER = "a" * 64, "b" * 64
KEY = pair_key(("1. A pump.", "1. A valve."))
HALF = PairScore(0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "scores.sqlite3"


def keys(count: int, word: str = "pump") -> list[PairKey]:
    return [pair_key((f"1. A {word}.", f"{n}")) for n in range(count)]


def test_a_score_is_found_again_bit_for_bit_by_another_object(path) -> None:
    score = PairScore(0.1 + 0.2)
    ScoreCache(path).put(MODEL, {KEY: score})
    assert ScoreCache(path).get(MODEL, [KEY, *keys(900)]) == {KEY: score}


def test_parts_are_found_again_to_the_bit_where_they_are_asked_for(path) -> None:
    parts = {"rouge_1": [0.1 + 0.2, 0.5, -0.7]}
    ScoreCache(path).put(MODEL, {KEY: HALF})
    assert ScoreCache(path).get(MODEL, [KEY], with_parts=True) == {}
    ScoreCache(path).put(MODEL, {KEY: PairScore(0.5, parts=parts)})
    found = ScoreCache(path).get(MODEL, [KEY], with_parts=True)
    assert found == {KEY: PairScore(0.5, parts=parts)}
    assert ScoreCache(path).get(MODEL, [KEY]) == {KEY: HALF}


@pytest.mark.parametrize("parts", ["x", "[1]", '{"rouge_1": [', b"\x00"])
def test_what_is_no_parts_is_as_if_it_were_not_there(path, parts) -> None:
    ScoreCache(path).put(MODEL, {KEY: HALF})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE score SET parts = ?", (parts,))
    assert ScoreCache(path).get(MODEL, [KEY], with_parts=True) == {}


def test_scores_of_many_pairs_are_found_over_several_queries(path) -> None:
    many = {key: PairScore(n / 1000) for n, key in enumerate(keys(1000))}
    ScoreCache(path).put(MODEL, many)
    assert ScoreCache(path).get(MODEL, [*many]) == many


def test_another_model_and_swapped_texts_have_no_score(path) -> None:
    cache = ScoreCache(path)
    cache.put(MODEL, {KEY: HALF})
    assert cache.get(OTHER, [KEY]) == {}
    assert cache.get(MODEL, [(KEY[1], KEY[0])]) == {}


def test_no_text_lies_in_the_file(path) -> None:
    ScoreCache(path).put(MODEL, {KEY: HALF})
    assert b"valve" not in path.read_bytes()


def test_without_a_path_nothing_is_stored() -> None:
    cache = ScoreCache(None)
    cache.put(MODEL, {KEY: HALF})
    assert cache.get(MODEL, [KEY]) == {}


def test_asking_makes_no_file(path) -> None:
    assert ScoreCache(path).get(MODEL, [KEY]) == {}
    assert not path.exists()


def overwrite(path: Path) -> None:
    path.write_bytes(b"1. A pump. " * 2000)


def tear(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3 :] = b"\x7f" * (len(data) - len(data) // 3)
    path.write_bytes(data)


def of_the_future(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("damage", [overwrite, tear, of_the_future])
def test_a_damaged_file_is_deleted_noted_and_begun_anew(path, damage) -> None:
    ScoreCache(path).put(MODEL, dict.fromkeys(keys(500), HALF))
    damage(path)
    notes: list[str] = []
    cache = ScoreCache(path, notes.append)
    assert set(cache.get(MODEL, keys(500)).values()) <= {HALF}
    assert len(notes) == 1
    assert "was damaged" in notes[0]
    assert list(path.parent.iterdir()) == []
    cache.put(MODEL, {KEY: PairScore(0.25)})
    assert cache.get(MODEL, [KEY]) == {KEY: PairScore(0.25)}
    assert len(notes) == 1


def test_a_file_that_cannot_be_used_is_done_without_and_noted_once(tmp_path) -> None:
    notes: list[str] = []
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = ScoreCache(blocked / "scores.sqlite3", notes.append)
    cache.put(MODEL, {KEY: HALF})
    cache.put(MODEL, {KEY: HALF})
    assert cache.get(MODEL, [KEY]) == {}
    assert [note.startswith("The score cache cannot be used") for note in notes] == [True]
