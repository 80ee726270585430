"""G-Eval gives the criterion's number, or the weighted mean of the four, from one answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from patclaimeval.metrics.base import Missing, Pair, Places
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.g_eval import PROMPT, GEval
from patclaimeval.metrics.registry import get_metric
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, RUBRIC
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    KEY,
    LocalEndpoint,
    Reply,
    local_endpoint,
    saying,
)

NUMBERS = {
    "feature_completeness": 90,
    "conceptual_clarity": 71,
    "terminology_consistency": 55,
    "logical_linkage": 38,
}
PAIRS = [Pair("1. A cup.", "1. A mug."), Pair("1. A cup.", "1. A bowl.")]


def endpoint(url: str = "https://api.example.org/v1", directory: Path | None = None) -> Endpoint:
    return Endpoint(url, "m-1", KEY, requests_per_minute=60_000, cache_directory=directory)


@pytest.fixture
def good() -> Iterator[LocalEndpoint]:
    with local_endpoint(lambda received, number: saying(NUMBERS)) as place:
        yield place


@pytest.mark.parametrize(
    ("criterion", "score"),
    [
        *NUMBERS.items(),
        # (4 * 90 + 2 * 71 + 2 * 55 + 3 * 38) / 11 = 726 / 11, by hand.
        ("overall_quality", 66.0),
    ],
)
def test_the_criterion_decides_which_number_counts(good, criterion, score) -> None:
    found = GEval(endpoint(good.url), criterion).score(PAIRS)
    assert found == [score, score]
    assert all(type(number) is float for number in found)


def test_one_answer_serves_every_criterion(good, tmp_path) -> None:
    for criterion in ALL_CRITERIA:
        GEval(endpoint(good.url, tmp_path), criterion).score(PAIRS)
    assert len(good.received) == len(PAIRS)


@pytest.mark.parametrize(("number", "overall"), [(0, 0.0), (100, 100.0)])
def test_the_ends_of_the_scale_are_reached(number, overall) -> None:
    same = dict.fromkeys(CRITERIA, number)
    with local_endpoint(lambda received, _: saying(same)) as place:
        metric = GEval(endpoint(place.url))
        assert metric.score(PAIRS[:1]) == [overall]
    assert (metric.low, metric.high) == (0.0, 100.0)


def test_a_pair_without_a_usable_answer_is_missing_beside_the_others() -> None:
    def answer(received: object, number: int) -> Reply:
        return saying(NUMBERS) if number == 0 else saying(NUMBERS | {"logical_linkage": 101})

    with local_endpoint(answer) as place:
        one = Endpoint(place.url, "m-1", requests_per_minute=60_000)
        first, second = GEval(one).score(PAIRS)
    assert first == 66.0
    assert second == Missing("The answer could not be read: a number is not from 0 to 100.")


def test_an_empty_candidate_and_equal_texts_are_asked_about_like_any_other(good) -> None:
    pairs = [Pair("1. A cup.", ""), Pair("1. A cup.", "1. A cup.")]
    assert GEval(endpoint(good.url)).score(pairs) == [66.0, 66.0]
    assert len(good.received) == 2


def test_the_prompt_holds_every_criterion_with_its_five_bands() -> None:
    for criterion in RUBRIC:
        assert criterion.question in PROMPT.instructions
        for band in criterion.bands:
            assert PROMPT.instructions.count(f": {band.sentence}") >= 1
    for scores in ("0 to 20", "21 to 40", "41 to 60", "61 to 80", "81 to 100"):
        assert PROMPT.instructions.count(f"- {scores}: ") == len(RUBRIC)
    assert "would have 100 in each" in PROMPT.instructions
    assert PROMPT.keys == CRITERIA


def test_a_criterion_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="knows no criterion 'style'"):
        GEval(endpoint(), "style")


def test_each_criterion_has_a_version_of_its_own() -> None:
    versions = {GEval(endpoint(), criterion).version for criterion in ALL_CRITERIA}
    assert len(versions) == len(ALL_CRITERIA)
    assert all("m-1 at api.example.org" in version for version in versions)


def test_the_registry_hands_on_the_criterion_and_asks_for_the_overall_without_one() -> None:
    places = Places(endpoint=endpoint())
    metric = get_metric("g-eval", places=places)
    assert (metric.name, metric.needs.endpoint) == ("g-eval", True)
    assert KEY not in repr(metric)
    assert metric.version.endswith("overall_quality")
    other = get_metric("g-eval", places=places, criterion="logical_linkage")
    assert other.version.endswith("logical_linkage")
