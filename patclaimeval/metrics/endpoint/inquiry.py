"""Pairs to numbers: answers that were paid for are stored, the rest is asked one by one."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from patclaimeval.files import atomic_write
from patclaimeval.metrics.base import MetricError, Missing, Pair
from patclaimeval.metrics.endpoint.address import Endpoint
from patclaimeval.metrics.endpoint.client import Client, RefusedError, UnansweredError
from patclaimeval.metrics.endpoint.prompt import (
    SEED,
    TEMPERATURE,
    Completion,
    Numbers,
    Prompt,
    UnreadableError,
    are_numbers,
    numbers_in,
)
from patclaimeval.text_io.strict_json import StrictJsonError, loads

FORMAT: Final = 1
logger = logging.getLogger(__name__)


class AnswerCache:
    """Numbers by (address, model, prompt, texts of the pair), one small file each, mode 0600.

    A file that is damaged or has other numbers than the prompt asks for counts as none. A disk
    that takes no files is logged once; the answers are then not stored.
    """

    def __init__(self, endpoint: Endpoint, prompt: Prompt) -> None:
        self._directory = endpoint.cache_directory
        self._prompt = prompt
        self._asked = (FORMAT, endpoint.url, endpoint.model, prompt.digest)
        self._is_writable = self._directory is not None

    def key(self, pair: Pair) -> str:
        """Return the 64 hex digits under which a pair's answer lies."""
        texts = [pair.reference, pair.candidate, *([] if pair.rival is None else [pair.rival])]
        return sha256(json.dumps([*self._asked, *map(_digest, texts)]).encode()).hexdigest()

    def get(self, key: str) -> Numbers | None:
        """Return the numbers that are known, or None."""
        if self._directory is None:
            return None
        try:
            value = loads(self._path(self._directory, key).read_bytes())
        except (OSError, StrictJsonError):
            return None
        return value if are_numbers(value, self._prompt) else None

    def put(self, key: str, numbers: Numbers) -> None:
        """Store numbers, whole or not at all."""
        if self._directory is None or not self._is_writable:
            return
        path = self._path(self._directory, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_write(path, [json.dumps(numbers).encode()])
        except OSError as error:
            self._is_writable = False
            logger.warning(
                "answers of the endpoint cannot be kept (%s); asking again will cost again",
                type(error).__name__,
            )

    @staticmethod
    def _path(directory: Path, key: str) -> Path:
        return directory / key[:2] / f"{key}.json"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


MOST_UNANSWERED: Final = 3
"""Pairs in a row without any answer, after which the endpoint is taken to be down."""
MOST_UNREAD: Final = 10
"""Pairs in a row that gave no number while none ever did, after which the model is given up."""


class Inquiry:
    """Asks one endpoint one prompt about many pairs."""

    def __init__(
        self,
        prompt: Prompt,
        endpoint: Endpoint,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Store prompt and endpoint; tests hand in a clock and a sleep."""
        self._prompt = prompt
        self._endpoint = endpoint
        self._cache = AnswerCache(endpoint, prompt)
        self._client = Client(endpoint, clock=clock, sleep=sleep)
        # No schema holds reasons and a last line.
        self._holds_to_schema = not prompt.is_reasoned
        self._failures: list[type[Exception]] = []
        self._has_read_one = False

    @property
    def version(self) -> str:
        """All that moves a number: the prompt, the model and its address, the settings."""
        place = self._endpoint
        return (
            f"prompt {self._prompt.digest[:12]}, {place.model} at {place.address}, "
            f"temperature {TEMPERATURE}, seed {SEED}"
        )

    def numbers(self, pairs: Sequence[Pair]) -> list[Numbers | Missing]:
        """Return for each pair its numbers, or why it has none, in the order of the pairs.

        Equal pairs are asked once. Each answer is stored as soon as it is read, so that a run that
        is killed goes on where it was. Raises MetricError where asking on is of no use.
        """
        keys = [self._cache.key(pair) for pair in pairs]
        found: dict[str, Numbers | Missing] = {}
        for key, pair in zip(keys, pairs, strict=True):
            if key not in found:
                known = self._cache.get(key)
                found[key] = self._ask(key, pair) if known is None else known
        return [found[key] for key in keys]

    def _ask(self, key: str, pair: Pair) -> Numbers | Missing:
        """Return the pair's numbers, or why there are none."""
        try:
            numbers = self._answer(pair)
        except tuple(_REASONS) as error:
            self._count_failure(error)
            return Missing(_REASONS[type(error)].format(fault=error))
        self._failures.clear()
        self._has_read_one = True
        self._cache.put(key, numbers)
        return numbers

    def _answer(self, pair: Pair) -> Numbers:
        """Ask once, and once more when the answer cannot be read."""
        conversation = {"model": self._endpoint.model, **self._prompt.conversation(pair)}
        first = self._completion(conversation)
        try:
            return numbers_in(first, self._prompt)
        except UnreadableError as error:
            conversation["messages"] += self._prompt.repair(first.text, str(error))
        return numbers_in(self._completion(conversation), self._prompt)

    def _completion(self, conversation: dict[str, Any]) -> Completion:
        """Return the model's completion, held to the schema where the endpoint knows how."""
        if not self._holds_to_schema:
            return self._client.ask(conversation)
        formatted = conversation | {"response_format": self._prompt.response_format()}
        try:
            return self._client.ask(formatted)
        except RefusedError:
            # It may not know that field: so it is, if it takes the same without it.
            answer = self._client.ask(conversation)
            self._holds_to_schema = False
            return answer

    def _count_failure(self, error: Exception) -> None:
        self._failures.append(type(error))
        is_down = self._failures[-MOST_UNANSWERED:] == [UnansweredError] * MOST_UNANSWERED
        is_hopeless = not self._has_read_one and len(self._failures) >= MOST_UNREAD
        if is_down or is_hopeless:
            raise MetricError(
                f"{self._prompt.name} was given up: {len(self._failures)} {self._prompt.subjects} "
                f"in a row got no score from the endpoint at {self._endpoint.host} (the last: "
                f"{error}). "
                "What was answered before is kept; ask for the report again to go on."
            )


_REASONS: Final[dict[type[Exception], str]] = {
    UnansweredError: "The endpoint gave no answer: {fault}.",
    RefusedError: "The endpoint refused the request: {fault}. The texts may be too long for it.",
    UnreadableError: "The answer could not be read: {fault}.",
}
