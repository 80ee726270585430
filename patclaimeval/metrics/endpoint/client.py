"""Send requests to an endpoint, again after a fault, and never faster than the site allows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from typing import Any, Final

from patclaimeval.exchange import NoAnswerError, UntrustedError, exchange
from patclaimeval.metrics.base import MetricError
from patclaimeval.metrics.endpoint.address import Endpoint
from patclaimeval.metrics.endpoint.prompt import Completion, NoCompletionError, completion


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
# Of a request, not of the whole: the text is too long, or a field is not known there.
_THIS_REQUEST: Final = frozenset({400, 413, 415, 422})


# What sends one request: `post`, or a test's; it gets address, body, key and timeout.
Post = Callable[[str, bytes, str | None, float], Answer]


class UnansweredError(Exception):
    """One request got no usable answer after all attempts; the message is why."""


class RefusedError(Exception):
    """The endpoint refuses this very request and would again; others may pass."""


class Client:
    """Sends requests to one endpoint, one at a time, at the rate that the site allows."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
        send: Post = post,
    ) -> None:
        """Store the endpoint; clock, sleep and transport are handed in for tests."""
        self._endpoint = endpoint
        self._clock = clock
        self._sleep = sleep
        self._send = send
        self._next = clock()

    def ask(self, conversation: Mapping[str, Any]) -> Completion:
        """Return the answer to `conversation`, the body to be sent.

        Raises RefusedError or UnansweredError for this request, and MetricError, whose message
        is for a person, where every other would fail alike: a key, address or model that is not
        taken, a redirect, a certificate that does not hold.
        """
        body = json.dumps(conversation).encode()
        reason, wait = "", 0.0
        for attempt in range(ATTEMPTS):
            self._begin(wait)
            wait = FIRST_WAIT * 2**attempt
            try:
                answer = self._post(body)
            except NoAnswerError as error:
                reason = str(error)
                continue
            if answer.status == 200:
                try:
                    return completion(answer.body)
                except NoCompletionError:
                    reason = "what it sent is no chat completion"
            else:
                reason = self._look(answer)
            if answer.retry_after is not None:
                wait = min(max(wait, answer.retry_after), LONGEST_WAIT)
        raise UnansweredError(reason)

    def _begin(self, wait: float) -> None:
        """Wait so many seconds, and longer where the rate asks for it."""
        left = max(wait, self._next - self._clock())
        if left > 0:
            self._sleep(left)
        self._next = self._clock() + 60 / self._endpoint.requests_per_minute

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
