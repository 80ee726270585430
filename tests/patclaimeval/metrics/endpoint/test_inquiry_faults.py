"""Faults of an endpoint pass, cost their own pairs, or end the inquiry in words."""

import re

import pytest

from patclaimeval.metrics.base import MetricError, Missing
from patclaimeval.metrics.endpoint.client import ATTEMPTS
from patclaimeval.metrics.endpoint.inquiry import MOST_UNANSWERED, MOST_UNREAD
from tests.patclaimeval.metrics.endpoint.fake_time import FakeTime
from tests.patclaimeval.metrics.endpoint.inquiries import (
    GOOD,
    NUMBERS,
    PAIR,
    in_order,
    inquiry,
    pairs,
)
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    Received,
    Reply,
    local_endpoint,
    saying,
)


def test_faults_that_pass_leave_no_trace_but_the_wait_that_was_asked_for() -> None:
    time = FakeTime()
    busy = Reply(status=429, headers={"Retry-After": "20"})
    faults = [Reply(GOOD.body, fault="close"), Reply(b"<html>"), busy]
    with local_endpoint(in_order(*faults, GOOD)) as place:
        assert inquiry(place, time=time).numbers([PAIR]) == [NUMBERS]
        assert len(place.received) == len(faults) + 1
    assert 20 <= time.now - 1000 < 30


@pytest.mark.parametrize(
    "nonsense",
    [
        *(saying(said) for said in ("I would say 70 and 80.", None, {"breadth": 70, "depth": 101})),
        saying(NUMBERS, finish_reason="length"),
    ],
    ids=["words", "nothing", "off the scale", "cut off"],
)
def test_nonsense_is_asked_about_once_more_and_then_missing(nonsense) -> None:
    with local_endpoint(in_order(nonsense, GOOD)) as place:
        assert inquiry(place).numbers([PAIR]) == [NUMBERS]
        first, second = place.received
    assert [m["role"] for m in second.body["messages"]] == ["system", "user", "assistant", "user"]
    assert second.body["messages"][:2] == first.body["messages"]
    with local_endpoint(in_order(nonsense)) as place:
        (missing,) = inquiry(place).numbers([PAIR])
        assert len(place.received) == 2
    assert isinstance(missing, Missing)
    assert missing.reason.startswith("The answer could not be read: ")


def test_an_endpoint_that_knows_no_schema_is_asked_without_one_from_then_on() -> None:
    def answer(received: Received, number: int) -> Reply:
        return Reply(status=400) if "response_format" in received.body else GOOD

    with local_endpoint(answer) as place:
        assert inquiry(place).numbers(pairs(3)) == [NUMBERS] * 3
        has_schema = ["response_format" in received.body for received in place.received]
    assert has_schema == [True, False, False, False]


def test_one_text_that_is_too_long_takes_the_schema_from_no_other() -> None:
    def answer(received: Received, number: int) -> Reply:
        return Reply(status=400) if "of kind 1" in received.texts[1] else GOOD

    with local_endpoint(answer) as place:
        found = inquiry(place).numbers(pairs(3))
        assert "response_format" in place.received[-1].body
    assert found[0] == found[2] == NUMBERS
    assert isinstance(found[1], Missing)
    assert "refused the request: it answered 400" in found[1].reason


@pytest.mark.parametrize("status", [401, 404, 308])
def test_an_endpoint_that_takes_no_question_is_asked_one_only(good, status) -> None:
    with local_endpoint(in_order(Reply(status=status, headers={"Location": good.url}))) as place:
        with pytest.raises(MetricError, match=f"{status}"):
            inquiry(place).numbers(pairs(50))
        assert len(place.received) == 1
    # A redirect takes no claims elsewhere.
    assert good.received == []


def test_an_endpoint_that_never_answers_ends_the_run_after_a_few() -> None:
    with local_endpoint(in_order(Reply(fault="hang"))) as place:
        with pytest.raises(MetricError, match=r"given up: 3 claim sets .* no answer within 0\.05"):
            inquiry(place, timeout=0.05).numbers(pairs(50))
        assert len(place.received) <= MOST_UNANSWERED * ATTEMPTS


def test_an_endpoint_that_is_down_now_and_then_loses_those_pairs_alone() -> None:
    def answer(received: Received, number: int) -> Reply:
        is_down = re.search(r"of kind (1|2|4|5|7|8)\.", received.texts[1])
        return Reply(status=500) if is_down else GOOD

    with local_endpoint(answer) as place:
        found = inquiry(place).numbers(pairs(10))
    missing = {n: numbers for n, numbers in enumerate(found) if isinstance(numbers, Missing)}
    assert list(missing) == [1, 2, 4, 5, 7, 8]
    assert set(missing.values()) == {Missing("The endpoint gave no answer: it answered 500.")}


@pytest.mark.parametrize("reply", [saying("I cannot judge claims."), Reply(status=422)])
def test_a_model_that_never_gives_numbers_is_given_up(reply) -> None:
    with local_endpoint(in_order(reply)) as place:
        with pytest.raises(MetricError, match=f"{MOST_UNREAD} claim sets in a row"):
            inquiry(place).numbers(pairs(50))
        assert len(place.received) == 2 * MOST_UNREAD


def test_a_model_that_gave_numbers_once_is_not_given_up_for_nonsense() -> None:
    with local_endpoint(in_order(GOOD, saying("no idea"))) as place:
        found = inquiry(place).numbers(pairs(30))
    assert found[0] == NUMBERS
    assert sum(isinstance(numbers, Missing) for numbers in found) == 29


def test_what_was_answered_before_it_was_given_up_is_kept(tmp_path) -> None:
    with local_endpoint(in_order(GOOD, GOOD, Reply(status=401), GOOD)) as place:
        with pytest.raises(MetricError):
            inquiry(place, tmp_path).numbers(pairs(5))
        inquiry(place, tmp_path).numbers(pairs(5))
        assert len(place.received) == 2 + 1 + 3
