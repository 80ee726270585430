"""A request to an endpoint until it is answered: again after a fault, never too often."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, Protocol

from scoring.metrics.base import MetricError
from scoring.metrics.endpoint.address import Endpoint
from scoring.metrics.endpoint.answers import Completion, NoCompletionError, completion
from scoring.metrics.endpoint.pace import Pace
from scoring.metrics.endpoint.transport import Answer, NoAnswerError, UntrustedError, post

ATTEMPTS: Final = 5
FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 120.0
"""Seconds; an endpoint that asks for a longer pause is asked again after these."""

_AGAIN: Final = frozenset({408, 409, 425, 429})
_SLOW_DOWN: Final = frozenset({429, 503})
# Of a request, not of the whole: the text is too long, or a field is not known there.
_THIS_REQUEST: Final = frozenset({400, 413, 415, 422})


class Post(Protocol):
    """What sends one request: `transport.post`, or a test's."""

    def __call__(self, url: str, body: bytes, api_key: str | None, timeout: float) -> Answer: ...


class UnansweredError(Exception):
    """One request got no usable answer after all attempts; the message says why."""


class RefusedError(Exception):
    """The endpoint refuses this very request and would again; others may pass."""


class Client:
    """Sends requests to one endpoint from several threads at one pace."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
        random: Random,
        send: Post = post,
    ) -> None:
        """Keep the endpoint; clock, sleep, chance and transport are handed in for tests."""
        self._endpoint = endpoint
        self._pace = Pace(endpoint.requests_per_minute, clock, sleep)
        self._sleep = sleep
        self._random = random
        self._send = send

    def ask(self, conversation: Mapping[str, Any]) -> Completion:
        """Return what is said to `conversation`, the body to be sent.

        Raises RefusedError or UnansweredError for this request, and MetricError, whose message
        is for a person, where every other would fail alike: a key, address or model that is not
        taken, a redirect, a certificate that does not hold.
        """
        body = json.dumps(conversation).encode()
        reason = ""
        for attempt in range(ATTEMPTS):
            self._pace.wait()
            try:
                answer = self._post(body)
            except NoAnswerError as error:
                reason = str(error)
                self._wait(attempt, None)
                continue
            if answer.status == 200:
                try:
                    return completion(answer.body)
                except NoCompletionError:
                    reason = "what it sent is no chat completion"
            else:
                reason = self._look(answer)
            self._wait(attempt, answer)
        raise UnansweredError(reason)

    def _post(self, body: bytes) -> Answer:
        place = self._endpoint
        try:
            return self._send(f"{place.url}/chat/completions", body, place.api_key, place.timeout)
        except UntrustedError:
            raise MetricError(
                f"The endpoint at {place.host} has no certificate that this machine trusts, so "
                "nothing was sent. Look at METRIC_ENDPOINT_URL, or install its authority."
            ) from None

    def _look(self, answer: Answer) -> str:
        """Return why to ask again, or raise where that would not help."""
        status = answer.status
        if status in _AGAIN or status >= 500:
            return f"it answered {status}"
        if status in _THIS_REQUEST:
            raise RefusedError(f"it answered {status}")
        raise MetricError(f"The endpoint at {self._endpoint.host} {self._refusal(status)}")

    def _refusal(self, status: int) -> str:
        if 300 <= status < 400:
            return (
                f"answered with a redirect ({status}), which is not followed, as claims would go "
                "to another place. Set METRIC_ENDPOINT_URL to the place itself."
            )
        if status in (401, 403):
            return f"refused the key ({status}). Set METRIC_ENDPOINT_KEY to one that it takes."
        if status == 402:
            return "wants to be paid first (402)."
        if status == 404:
            return (
                f"knows no model {self._endpoint.model!r} or no such address (404). Look at "
                "METRIC_ENDPOINT_MODEL, and let METRIC_ENDPOINT_URL end before "
                "/chat/completions."
            )
        return f"answered {status}, which is no answer to a question. Look at METRIC_ENDPOINT_URL."

    def _wait(self, attempt: int, answer: Answer | None) -> None:
        if attempt == ATTEMPTS - 1:
            return
        # Twice as long each time, by chance shorter or longer, so that callers spread out.
        seconds = FIRST_WAIT * 2**attempt * self._random.uniform(0.5, 1.5)
        if answer is not None and answer.retry_after is not None:
            seconds = min(max(seconds, answer.retry_after), LONGEST_WAIT)
        if answer is not None and answer.status in _SLOW_DOWN:
            self._pace.pause(seconds)
        else:
            self._sleep(seconds)
