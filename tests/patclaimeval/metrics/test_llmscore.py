"""LLMScore is the mean of five numbers from 1 to 10."""

import pytest

from patclaimeval.metrics.base import Missing, Pair, Places
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.g_eval import PROMPT as G_EVAL
from patclaimeval.metrics.llmscore import DIMENSIONS, PROMPT, LLMScore
from patclaimeval.metrics.registry import get_metric
from tests.patclaimeval.metrics.endpoint.local_endpoint import KEY, local_endpoint, saying

PAIR = Pair("1. A cup.", "1. A mug.")


def endpoint(url: str = "https://api.example.org/v1") -> Endpoint:
    return Endpoint(url, "m-1", KEY, requests_per_minute=60_000)


def scored(numbers: object) -> object:
    with local_endpoint(lambda received, number: saying(numbers)) as place:
        (score,) = LLMScore(endpoint(place.url)).score([PAIR])
    return score


def of(*numbers: int) -> dict[str, int]:
    return dict(zip(DIMENSIONS, numbers, strict=True))


@pytest.mark.parametrize(
    ("numbers", "mean"),
    [((7, 8, 6, 9, 4), 6.8), ((1, 1, 1, 1, 1), 1.0), ((10, 10, 10, 10, 10), 10.0)],
)
def test_it_is_the_mean_of_the_five(numbers, mean) -> None:
    assert scored(of(*numbers)) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("wrong", [0, 11, 7.5, "7"])
def test_a_number_off_the_scale_makes_the_pair_missing(wrong) -> None:
    assert isinstance(scored(of(7, 8, 6, 9, 4) | {"accuracy": wrong}), Missing)


def test_it_has_the_five_dimensions_and_the_scale_of_its_source() -> None:
    assert PROMPT.keys == (
        *("accuracy", "relevance", "completeness", "consistency", "language_style"),
    )
    metric = LLMScore(endpoint())
    assert (PROMPT.low, PROMPT.high) == (metric.low, metric.high) == (1, 10)
    # Its answers are not those of another prompt.
    assert PROMPT.digest != G_EVAL.digest


def test_the_registry_loads_it() -> None:
    metric = get_metric("llmscore", places=Places(endpoint=endpoint()))
    assert metric.name == "llmscore"
    assert "m-1 at api.example.org" in metric.version
    assert KEY not in repr(metric) + metric.version
