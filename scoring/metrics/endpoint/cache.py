"""Answers that were paid for, kept on disk: numbers under a digest, no text."""

from __future__ import annotations

import json
import logging
from hashlib import sha256
from pathlib import Path
from typing import Final

from annotator.files.whole import write_whole
from annotator.formats.strict_json import StrictJsonError, loads
from scoring.metrics.base import Pair
from scoring.metrics.endpoint.address import Endpoint
from scoring.metrics.endpoint.answers import Numbers, are_numbers
from scoring.metrics.endpoint.prompt import Prompt

FORMAT: Final = 1
logger = logging.getLogger(__name__)


class AnswerCache:
    """Numbers by (address, model, prompt, reference, candidate), one small file each, mode 0600.

    A file that is damaged or has other numbers than the prompt asks for counts as none. A disk
    that takes no files is said in the log, once; the answers are then not kept.
    """

    def __init__(self, endpoint: Endpoint, prompt: Prompt) -> None:
        self._directory = endpoint.cache_directory
        self._prompt = prompt
        self._asked = (FORMAT, endpoint.url, endpoint.model, prompt.digest)
        self._is_writable = self._directory is not None

    def key(self, pair: Pair) -> str:
        """Return the 64 hex digits under which a pair's answer lies."""
        texts = (_digest(pair.reference), _digest(pair.candidate))
        return sha256(json.dumps([*self._asked, *texts]).encode()).hexdigest()

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
        """Keep numbers, whole or not at all."""
        if self._directory is None or not self._is_writable:
            return
        path = self._path(self._directory, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(path, [json.dumps(numbers).encode()])
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
