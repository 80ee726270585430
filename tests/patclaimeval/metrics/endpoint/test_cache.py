"""What was paid for is kept under a digest, privately and without a word of any text."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.inquiry import AnswerCache
from patclaimeval.metrics.endpoint.prompt import Prompt
from tests.patclaimeval.metrics.endpoint.local_endpoint import KEY

PROMPT = Prompt("marks", "Mark.", ("breadth", "depth"), 0, 100)
NUMBERS = {"breadth": 70, "depth": 80}
PAIR = Pair("1. A teapot.", "1. A samovar.")


def endpoint(directory: Path | None) -> Endpoint:
    return Endpoint("https://api.example.org/v1", "m-1", KEY, cache_directory=directory)


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(endpoint(tmp_path), PROMPT)


def files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())


def test_what_is_put_is_found_by_another_process(cache, tmp_path) -> None:
    assert cache.get(cache.key(PAIR)) is None
    cache.put(cache.key(PAIR), NUMBERS)
    second = AnswerCache(endpoint(tmp_path), PROMPT)
    assert second.get(second.key(PAIR)) == NUMBERS


def test_a_file_holds_numbers_and_bears_a_digest_for_its_owner_alone(tmp_path) -> None:
    cache = AnswerCache(endpoint(tmp_path / "new" / "place"), PROMPT)
    cache.put(cache.key(PAIR), NUMBERS)
    (path,) = files(tmp_path)
    assert json.loads(path.read_text()) == NUMBERS
    assert path.stem == cache.key(PAIR)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for word in ("teapot", "samovar", "example", KEY):
        assert word not in path.read_text()
        assert word not in str(path.relative_to(tmp_path))


@pytest.mark.parametrize(
    ("is_other", "changes"),
    [
        (True, {"url": "https://api.example.com/v1"}),
        (True, {"url": "https://api.example.org/v2"}),
        (True, {"model": "m-2"}),
        (False, {"api_key": None, "requests_per_minute": 3, "price_in": 4.0}),
    ],
)
def test_another_place_or_model_has_other_answers_and_another_key_or_price_the_same(
    cache, tmp_path, is_other, changes
) -> None:
    there = AnswerCache(replace(endpoint(tmp_path), **changes), PROMPT)
    assert (there.key(PAIR) != cache.key(PAIR)) is is_other


def test_every_pair_and_prompt_has_its_own_answer(cache, tmp_path) -> None:
    other = AnswerCache(endpoint(tmp_path), replace(PROMPT, instructions="Judge well."))
    assert other.key(PAIR) != cache.key(PAIR)
    pairs = [Pair("a", "b"), Pair("b", "a"), Pair("ab", ""), Pair("", "ab"), Pair("\ud800", "b")]
    pairs += [Pair("a", "b", rival="c"), Pair("a", "c", rival="b"), Pair("a", "b", rival="")]
    assert len({cache.key(pair) for pair in pairs}) == len(pairs)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"null", b"[70, 80]", b'{"breadth": 70}', b'{"breadth":70,"depth":101}'],
)
def test_a_damaged_file_counts_as_none_and_is_written_anew(cache, tmp_path, content) -> None:
    key = cache.key(PAIR)
    cache.put(key, NUMBERS)
    files(tmp_path)[0].write_bytes(content)
    assert cache.get(key) is None
    cache.put(key, NUMBERS)
    assert cache.get(key) == NUMBERS


def test_without_a_place_nothing_is_kept() -> None:
    cache = AnswerCache(endpoint(None), PROMPT)
    cache.put(cache.key(PAIR), NUMBERS)
    assert cache.get(cache.key(PAIR)) is None


def test_a_place_that_takes_no_files_is_said_once_and_is_no_failure(tmp_path, caplog) -> None:
    (tmp_path / "file").write_text("not a directory")
    cache = AnswerCache(endpoint(tmp_path / "file"), PROMPT)
    with caplog.at_level(logging.WARNING):
        cache.put(cache.key(PAIR), NUMBERS)
        cache.put(cache.key(Pair("a", "b")), NUMBERS)
    assert cache.get(cache.key(PAIR)) is None
    (record,) = caplog.records
    assert "will cost again" in record.getMessage()
    assert "teapot" not in record.getMessage()


def test_nothing_half_written_is_left_behind(cache, tmp_path, monkeypatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.put(cache.key(PAIR), NUMBERS)
    assert files(tmp_path) == []
