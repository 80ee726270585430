"""What would be sent is counted and said before anything is sent."""

import json
from pathlib import Path

import pytest

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.costs import ASKING, estimate_cost
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.prompt import MOST_REASONED_TOKENS
from patclaimeval.metrics.g_eval import PROMPT, GEval
from patclaimeval.metrics.pairwise_judge import PROMPT as JUDGE
from patclaimeval.metrics.pairwise_judge import PairwiseJudge
from patclaimeval.metrics.registry import METRIC_NAMES, needs_of
from tests.patclaimeval.metrics.endpoint.local_endpoint import KEY, local_endpoint, saying

PAIRS = [Pair("r" * 400, "b" * 300), Pair("r" * 400, "c" * 900)]
ORDERS = [Pair("r" * 400, "b" * 300, rival="c" * 900), Pair("r" * 400, "c" * 900, rival="b" * 300)]


def endpoint(directory: Path | None = None, **more: float) -> Endpoint:
    return Endpoint("https://api.example.org/v1", "m-1", KEY, cache_directory=directory, **more)


def test_every_metric_that_needs_an_endpoint_is_counted() -> None:
    asking = {name for name in METRIC_NAMES if needs_of(name).endpoint}
    assert set(ASKING) == asking, "ASKING of patclaimeval/metrics/costs.py lists the prompt of each"
    for name, prompt in ASKING.items():
        assert prompt.compares is needs_of(name).rival


def test_tokens_are_a_quarter_of_the_characters_that_would_be_sent() -> None:
    empty = sum(len(m["content"]) for m in PROMPT.conversation(Pair("", ""))["messages"])
    cost = estimate_cost(["g-eval"], PAIRS, endpoint())
    assert cost.requests == 2
    assert cost.tokens_in == pytest.approx((2 * empty + 700 + 1300) / 4, abs=1)
    answer = json.dumps(dict.fromkeys(PROMPT.keys, 100))
    assert cost.tokens_out == pytest.approx(2 * len(answer) / 4, abs=1)


def test_a_character_of_a_script_without_blanks_is_a_token() -> None:
    empty = estimate_cost(["g-eval"], [Pair("", "")], endpoint()).tokens_in
    chinese = estimate_cost(
        ["g-eval"], [Pair("\u6cf5" * 400, "\u9600" * 300)], endpoint()
    ).tokens_in
    assert chinese == pytest.approx(empty + 700, abs=1)


def test_money_is_tokens_times_the_price_of_a_million() -> None:
    cost = estimate_cost(["g-eval"], PAIRS, endpoint(price_in=2.0, price_out=8.0))
    expected = (cost.tokens_in * 2.0 + cost.tokens_out * 8.0) / 1_000_000
    assert cost.money == pytest.approx(expected, rel=1e-12)
    assert f"about {expected:,.2f} in the unit of METRIC_ENDPOINT_PRICE_IN" in cost.sentence


def test_without_a_price_no_money_is_named() -> None:
    cost = estimate_cost(["g-eval"], PAIRS, endpoint())
    assert cost.money is None
    assert "no price is set" in cost.sentence


def test_equal_pairs_and_names_count_once() -> None:
    once = estimate_cost(["g-eval"], PAIRS, endpoint())
    assert estimate_cost(["g-eval", "g-eval"], [*PAIRS, *PAIRS], endpoint()) == once


def test_two_metrics_cost_the_sum_of_both() -> None:
    both = estimate_cost(["g-eval", "bleu-1", "llmscore", "model:7"], PAIRS, endpoint())
    one, other = (estimate_cost([name], PAIRS, endpoint()) for name in ("g-eval", "llmscore"))
    assert both.requests == one.requests + other.requests == 4
    assert both.tokens_in == pytest.approx(one.tokens_in + other.tokens_in, abs=1)


def test_a_judge_costs_a_request_for_each_order_and_nothing_for_single_candidates() -> None:
    both = estimate_cost(["pairwise-judge"], [*PAIRS, *ORDERS, *ORDERS], endpoint())
    assert both.requests == 2
    empty = sum(len(m["content"]) for m in JUDGE.conversation(Pair("", "", rival=""))["messages"])
    assert both.tokens_in == pytest.approx((2 * empty + 2 * 1600) / 4, abs=1)
    beside = estimate_cost(["g-eval", "pairwise-judge"], [*PAIRS, *ORDERS], endpoint())
    assert beside.requests == 4
    assert estimate_cost(["g-eval"], ORDERS, endpoint()).sentence == ""


def test_reasons_are_counted_as_long_as_they_may_be() -> None:
    plain, reasoned = (
        estimate_cost([name], ORDERS, endpoint(price_out=1.0))
        for name in ("pairwise-judge", "pairwise-judge-reasoned")
    )
    assert reasoned.tokens_out == 2 * MOST_REASONED_TOKENS
    assert plain.money is not None and reasoned.money is not None
    assert reasoned.money > 10 * plain.money


def test_an_order_that_was_asked_before_costs_nothing(tmp_path) -> None:
    with local_endpoint(lambda received, number: saying(dict.fromkeys(JUDGE.keys, 1))) as place:
        here = Endpoint(place.url, "m-1", requests_per_minute=60_000, cache_directory=tmp_path)
        PairwiseJudge(here).score(ORDERS[:1])
        cost = estimate_cost(["pairwise-judge"], ORDERS, here)
    assert (cost.requests, cost.cached) == (1, 1)
    assert "1 request (1 more are kept from before)" in cost.sentence


@pytest.mark.parametrize(("names", "pairs"), [(["bleu-1", "model:7"], PAIRS), (["g-eval"], [])])
def test_where_nothing_is_sent_nothing_is_shown(names, pairs) -> None:
    cost = estimate_cost(names, pairs, endpoint(price_in=2.0))
    assert (cost.requests, cost.tokens_in, cost.tokens_out, cost.minutes) == (0, 0, 0, 0)
    assert cost.sentence == ""


def test_what_is_stored_from_before_costs_nothing(tmp_path) -> None:
    numbers = dict.fromkeys(PROMPT.keys, 50)
    with local_endpoint(lambda received, number: saying(numbers)) as place:
        here = Endpoint(place.url, "m-1", requests_per_minute=60_000, cache_directory=tmp_path)
        GEval(here).score(PAIRS[:1])
        cost = estimate_cost(["g-eval"], PAIRS, here)
        assert len(place.received) == 1
        assert (cost.requests, cost.cached) == (1, 1)
        GEval(here).score(PAIRS)
        assert estimate_cost(["g-eval"], PAIRS, here).sentence == ""


def test_the_sentence_names_the_host_first_and_never_the_key() -> None:
    sentence = estimate_cost(["g-eval"], PAIRS, endpoint()).sentence
    assert sentence.startswith("Claims are sent to api.example.org: 2 requests, roughly ")
    assert "characters / 4" in sentence
    assert KEY not in sentence


@pytest.mark.parametrize(
    ("pace", "number", "minutes", "words"),
    [(60, 2, 1, "a minute or more"), (1, 2, 2, "2 minutes or more"), (1, 1, 1, "a minute or more")],
)
def test_the_limit_of_requests_gives_the_least_time(pace, number, minutes, words) -> None:
    cost = estimate_cost(["g-eval"], PAIRS[:number], endpoint(requests_per_minute=pace))
    assert cost.minutes == minutes
    assert words in cost.sentence
