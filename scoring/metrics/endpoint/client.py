"""A request to an endpoint until it is answered: again after a fault, never too often."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from random import Random
from threading import Lock
from typing import Any, Final

from core.exchange import NoAnswerError, UntrustedError, exchange
from scoring.metrics.base import MetricError
from scoring.metrics.endpoint.address import Endpoint
from scoring.metrics.endpoint.prompt import Completion, NoCompletionError, completion


class RequestSpacing:
    """Requests begin at least 60 / `requests_per_minute` seconds apart, or after a pause.

    clock gives seconds that never go back; sleep waits for so many of them.
    """

    def __init__(
        self, requests_per_minute: int, clock: Callable[[], float], sleep: Callable[[float], object]
    ) -> None:
        self._gap = 60 / requests_per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._next = clock()

    def wait(self) -> None:
        """Return when the caller may begin a request; nobody else may in the gap after it."""
        while (left := self._take()) > 0:
            self._sleep(left)

    def pause(self, seconds: float) -> None:
        """Let nobody begin a request for so many seconds from now."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)

    def _take(self) -> float:
        """Take the turn and return 0, or return the seconds until there may be one."""
        with self._lock:
            now = self._clock()
            if now >= self._next:
                self._next = now + self._gap
                return 0.0
            return self._next - now


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the seconds that it asks to wait (None: not given), the body."""

    status: int
    retry_after: float | None
    body: bytes


def post(url: str, body: bytes, api_key: str | None, timeout: float) -> Answer:
    """Send one JSON body and return whatever is answered, redirects included: none is followed.

    Input: an address that was checked, the body, a bearer token or None, and the seconds after
    which the connection is cut. Raises NoAnswerError or UntrustedError.
    """
    reply = exchange("POST", url, body, _headers(api_key), timeout)
    return Answer(reply.status, _retry_after(reply.headers), reply.body)


def _headers(api_key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if api_key is not None:
        headers["Authorization"] = f"Bearer {api_key}"
    return headers


def _retry_after(headers: HTTPMessage) -> float | None:
    """Return Retry-After as seconds; a date counts from the answer's own, whatever our clock."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until, now = (parsedate_to_datetime(text) for text in (value, headers.get("Date", "")))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


ATTEMPTS: Final = 5
FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 120.0
"""Seconds; an endpoint that asks for a longer pause is asked again after these."""

_AGAIN: Final = frozenset({408, 409, 425, 429})
_SLOW_DOWN: Final = frozenset({429, 503})
# Of a request, not of the whole: the text is too long, or a field is not known there.
_THIS_REQUEST: Final = frozenset({400, 413, 415, 422})


# What sends one request: `post`, or a test's; it gets address, body, key and timeout.
Post = Callable[[str, bytes, str | None, float], Answer]


class UnansweredError(Exception):
    """One request got no usable answer after all attempts; the message is why."""


class RefusedError(Exception):
    """The endpoint refuses this very request and would again; others may pass."""


class Client:
    """Sends requests to one endpoint from several threads at one rate."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
        random: Random,
        send: Post = post,
    ) -> None:
        """Store the endpoint; clock, sleep, chance and transport are handed in for tests."""
        self._endpoint = endpoint
        self._spacing = RequestSpacing(endpoint.requests_per_minute, clock, sleep)
        self._sleep = sleep
        self._random = random
        self._send = send

    def ask(self, conversation: Mapping[str, Any]) -> Completion:
        """Return the answer to `conversation`, the body to be sent.

        Raises RefusedError or UnansweredError for this request, and MetricError, whose message
        is for a person, where every other would fail alike: a key, address or model that is not
        taken, a redirect, a certificate that does not hold.
        """
        body = json.dumps(conversation).encode()
        reason = ""
        for attempt in range(ATTEMPTS):
            self._spacing.wait()
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
            self._spacing.pause(seconds)
        else:
            self._sleep(seconds)
