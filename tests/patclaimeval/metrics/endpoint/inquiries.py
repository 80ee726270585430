"""An inquiry of a local endpoint, for tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.inquiry import Inquiry
from patclaimeval.metrics.endpoint.prompt import Prompt
from tests.patclaimeval.metrics.endpoint.fake_time import FakeTime
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    KEY,
    LocalEndpoint,
    Received,
    Reply,
    saying,
)

PROMPT = Prompt("marks", "Judge the candidate.", ("breadth", "depth"), 0, 100)
NUMBERS = {"breadth": 70, "depth": 80}
GOOD = saying(NUMBERS)
PAIR = Pair("1. A teapot.", "1. A samovar.")


def pairs(number: int) -> list[Pair]:
    return [Pair("1. A teapot.", f"1. A samovar of kind {n}.") for n in range(number)]


def inquiry(
    place: LocalEndpoint,
    directory: Path | None = None,
    time: FakeTime | None = None,
    **settings: Any,
) -> Inquiry:
    time = time or FakeTime()
    settings = {"requests_per_minute": 60_000, "timeout": 30} | settings
    endpoint = Endpoint(place.url, "m-1", KEY, cache_directory=directory, **settings)
    return Inquiry(PROMPT, endpoint, clock=time.clock, sleep=time.sleep)


def in_order(*replies: Reply) -> Callable[[Received, int], Reply]:
    """Answer the n-th request with the n-th reply, and with the last one ever after."""
    return lambda received, number: replies[min(number, len(replies) - 1)]
