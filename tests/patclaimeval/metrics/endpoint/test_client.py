"""A request is repeated after a fault, later each time, and given up where that is of no use."""

import logging
from collections.abc import Sequence

import pytest

from patclaimeval.exchange import NoAnswerError, UntrustedError
from patclaimeval.metrics.base import MetricError
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.client import (
    ATTEMPTS,
    Answer,
    Client,
    RefusedError,
    UnansweredError,
)
from patclaimeval.metrics.endpoint.prompt import Completion
from tests.patclaimeval.metrics.endpoint.fake_time import FakeTime
from tests.patclaimeval.metrics.endpoint.local_endpoint import KEY, saying

ENDPOINT = Endpoint("https://api.example.org/v1", "m-1", KEY, requests_per_minute=60_000)
GOOD = Answer(200, None, saying("fine").body)


class Sender:
    """Gives the answers in order, the last one for ever; notes what was sent, and when."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers: Sequence[Answer | Exception] = answers
        self.sent: list[tuple[str, bytes, str | None, float]] = []
        self.time = FakeTime()
        self.began: list[float] = []

    def __call__(self, url: str, body: bytes, api_key: str | None, timeout: float) -> Answer:
        self.began.append(self.time.now)
        self.sent.append((url, body, api_key, timeout))
        answer = self.answers[min(len(self.sent), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def client(sender: Sender, time: FakeTime, endpoint: Endpoint = ENDPOINT) -> Client:
    sender.time = time
    return Client(endpoint, clock=time.clock, sleep=time.sleep, send=sender)


def ask(sender: Sender, time: FakeTime | None = None) -> Completion:
    return client(sender, time or FakeTime()).ask({"messages": []})


def test_a_question_goes_to_the_address_with_the_key_and_the_timeout() -> None:
    sender = Sender(GOOD)
    assert ask(sender) == Completion("fine", is_cut=False)
    assert sender.sent == [
        ("https://api.example.org/v1/chat/completions", b'{"messages": []}', KEY, 60.0)
    ]


@pytest.mark.parametrize(
    "fault",
    [
        *(Answer(status, None, b"") for status in (408, 429, 500, 502, 503, 504, 529)),
        Answer(200, None, b"<html>busy</html>"),
        Answer(200, None, b'{"choices": ['),
        NoAnswerError("no answer within 60 seconds"),
    ],
)
def test_after_two_faults_the_third_answer_counts(fault) -> None:
    sender = Sender(fault, fault, GOOD)
    assert ask(sender).text == "fine"
    assert len(sender.sent) == 3
    assert len({body for _, body, _, _ in sender.sent}) == 1


def test_waits_double() -> None:
    time = FakeTime()
    ask(Sender(*[Answer(500, None, b"")] * 4, GOOD), time)
    assert time.slept == [1, 2, 4, 8]


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize(("asked", "waited"), [(30.0, 30.0), (0.0, 1.0), (86_400.0, 120.0)])
def test_the_wait_that_is_asked_for_is_kept_up_to_a_limit(status, asked, waited) -> None:
    time = FakeTime()
    ask(Sender(Answer(status, asked, b""), GOOD), time)
    assert sum(time.slept) == pytest.approx(waited)


def test_attempts_have_an_end_that_says_why() -> None:
    sender = Sender(Answer(500, None, b"sesame teapot"))
    with pytest.raises(UnansweredError, match=r"^it answered 500$"):
        ask(sender)
    assert len(sender.sent) == ATTEMPTS


def test_the_last_fault_is_the_one_that_is_said_and_nobody_waits_after_it() -> None:
    time = FakeTime()
    sender = Sender(*[Answer(500, None, b"")] * (ATTEMPTS - 1), NoAnswerError("no answer"))
    with pytest.raises(UnansweredError, match=r"^no answer$"):
        ask(sender, time)
    assert len(time.slept) == ATTEMPTS - 1


@pytest.mark.parametrize("status", [400, 413, 415, 422])
def test_a_request_that_is_refused_is_not_repeated(status) -> None:
    sender = Sender(Answer(status, None, b"sesame teapot"))
    with pytest.raises(RefusedError, match=f"^it answered {status}$"):
        ask(sender)
    assert len(sender.sent) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (401, r"refused the key \(401\). Set METRIC_ENDPOINT_KEY"),
        (403, r"refused the key \(403\)"),
        (402, r"paid first \(402\)"),
        (404, r"no model 'm-1' or no such address \(404\)"),
        (301, r"redirect \(301\), which is not followed"),
        (307, r"redirect \(307\)"),
        (405, r"answered 405"),
        (204, r"answered 204"),
        (UntrustedError(), "no certificate that this machine trusts, so nothing was sent"),
    ],
)
def test_what_fails_for_all_is_said_to_a_person_at_once(answer, words) -> None:
    sender = Sender(Answer(answer, None, b"sesame") if isinstance(answer, int) else answer)
    with pytest.raises(MetricError, match=words) as refusal:
        ask(sender)
    assert "The endpoint at api.example.org " in str(refusal.value)
    assert len(sender.sent) == 1
    assert KEY not in str(refusal.value)
    assert "sesame" not in str(refusal.value)


def test_requests_keep_the_rate_with_their_repeats() -> None:
    sender = Sender(Answer(500, None, b""), GOOD)
    slow = Endpoint("https://api.example.org/v1", "m-1", requests_per_minute=6)
    time = FakeTime()
    asking = client(sender, time, slow)
    for _ in range(3):
        asking.ask({})
    # Time that passes meanwhile is no credit for a burst.
    time.now += 100
    for _ in range(2):
        asking.ask({})
    assert sender.began == [1000, 1010, 1020, 1030, 1130, 1140]


def test_nothing_is_logged_of_what_is_asked(caplog) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(UnansweredError):
        client(Sender(Answer(500, None, b"teapot")), FakeTime()).ask({"messages": ["teapot"]})
    assert caplog.records == []
