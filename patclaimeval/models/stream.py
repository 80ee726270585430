"""Scores JSON Lines of any length: windows of lines in, one line per pair out, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from patclaimeval.models.data import Pair, wrong_pair
from patclaimeval.models.pair_scores import CachedScorer
from patclaimeval.text_io.streams import BadRecord, ByteSource, ReadNotes, Record, read_lines
from patclaimeval.text_io.strict_json import short

PAIRS_A_WINDOW: Final = 4096
CHARACTERS_A_WINDOW: Final = 32 * 1024 * 1024
FIELDS: Final = frozenset({"id", "reference", "candidate", "candidates"})


@dataclass(frozen=True, slots=True)
class ModelDetails:
    """What stands beside each score: the model, its criterion and its tie threshold."""

    model: str
    criterion: str
    tie_threshold: float


@dataclass(slots=True)
class Tally:
    """What a stream has come to so far.

    ``read`` pairs were read, ``pairs`` of them are scored; ``refused`` counts pairs and lines
    without a score, and ``first`` says what the first of them was.
    """

    read: int = 0
    pairs: int = 0
    refused: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the output in the making: a pair, or the reason why there is none."""

    place: dict[str, Any]
    pair: Pair | None
    reason: str = ""


def score_lines(
    file: ByteSource,
    scorer: CachedScorer,
    words: ModelDetails,
    tally: Tally,
    on_scored: Callable[[int], None] = lambda count: None,
) -> Iterator[dict[str, Any]]:
    """Yield one object per pair of a JSON Lines file, in the order of the file.

    Input: lines ``{"reference", "candidate"}`` or ``{"reference", "candidates": [...]}``, with
    an ``id`` (text or whole number) if wished. Output: ``line`` and ``candidate`` (places from
    1), ``id``, and ``score`` in (0, 1), ``model``, ``criterion``, ``tie_threshold``; or
    ``error`` in their place, where a line cannot be read or a pair is over the model's limit.
    Memory is bounded by a window of pairs, whatever the file's length. ``tally`` counts along.
    Raises FormatError when the file is no JSON Lines, and what loading the model raises.
    """
    for window in _windows(file):
        pairs = [entry.pair for entry in window if entry.pair is not None]
        tally.read += len(pairs)
        scores = iter(scorer.score(pairs, on_scored))
        for entry in window:
            reason, value = entry.reason, None
            if entry.pair is not None:
                scored = next(scores)
                reason, value = scored.reason, scored.value
            tally.pairs += value is not None
            if value is None:
                tally.refused += 1
                tally.first = tally.first or f"line {entry.place['line']}: {reason}"
                yield entry.place | {"error": reason}
            else:
                yield entry.place | {
                    "score": value,
                    "model": words.model,
                    "criterion": words.criterion,
                    "tie_threshold": words.tie_threshold,
                }


def _windows(file: ByteSource) -> Iterator[list[_Entry]]:
    window: list[_Entry] = []
    characters = 0
    for record in read_lines(file, ReadNotes()):
        for entry in _entries(record):
            window.append(entry)
            characters += sum(map(len, entry.pair or ()))
            if len(window) >= PAIRS_A_WINDOW or characters >= CHARACTERS_A_WINDOW:
                yield window
                window, characters = [], 0
    if window:
        yield window


def _entries(record: Record | BadRecord) -> Iterator[_Entry]:
    place: dict[str, Any] = {"line": record.line}
    if isinstance(record, BadRecord):
        yield _Entry(place, None, record.reason)
        return
    reason = _wrong(record.value)
    if reason:
        yield _Entry(place, None, reason)
        return
    value = record.value
    if "id" in value:
        place["id"] = value["id"]
    candidates = value["candidates"] if "candidates" in value else [value["candidate"]]
    for number, candidate in enumerate(candidates, start=1):
        yield _Entry(place | {"candidate": number}, (value["reference"], candidate))


def _wrong(value: Any) -> str:
    """Return why a line cannot be scored; texts are not quoted, as claims are confidential."""
    if isinstance(value, dict):
        if unknown := sorted(set(value) - FIELDS):
            return f"the field {short(unknown[0])} is not known here"
        if isinstance(value.get("id", ""), bool) or not isinstance(value.get("id", ""), str | int):
            return "field id: a text or a whole number was expected"
    return wrong_pair(value)
