"""The numbers in what a language model answered, or why there are none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from annotator.formats.strict_json import StrictJsonError, loads
from scoring.metrics.endpoint.prompt import Prompt

Numbers = dict[str, int]
_FENCED: Final = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


class NoCompletionError(Exception):
    """The body is not an answer of the chat completions interface at all."""


class UnreadableError(Exception):
    """The answer holds no numbers as asked for; the message says why, in words of ours."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said ("" where it said nothing), and whether it was cut off for its length."""

    text: str
    is_cut: bool


def completion(body: bytes) -> Completion:
    """Return what stands in the body of a chat completion, or raise NoCompletionError."""
    try:
        value = loads(body)
    except StrictJsonError:
        raise NoCompletionError from None
    choice = _first(_field(value, "choices"))
    message = _field(choice, "message")
    if not isinstance(message, dict):
        raise NoCompletionError
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    return Completion(text, _field(choice, "finish_reason") == "length")


def numbers_in(answer: Completion, prompt: Prompt) -> Numbers:
    """Return the numbers of an answer: one JSON object with exactly the keys, each in range.

    A code fence around the object is passed over. Raises UnreadableError.
    """
    if answer.is_cut:
        raise UnreadableError("it was cut off for its length")
    if not answer.text.strip():
        raise UnreadableError("it holds no text")
    fenced = _FENCED.fullmatch(answer.text.strip())
    try:
        value = loads((fenced[1] if fenced else answer.text).encode())
    except (StrictJsonError, UnicodeEncodeError):
        raise UnreadableError("it is not one JSON object") from None
    fault = _fault(value, prompt)
    if fault:
        raise UnreadableError(fault)
    return {key: value[key] for key in prompt.keys}


def are_numbers(value: Any, prompt: Prompt) -> bool:
    """Say whether a value is what `numbers_in` would return."""
    return not _fault(value, prompt)


def _fault(value: Any, prompt: Prompt) -> str:
    if not isinstance(value, dict):
        return "it is not one JSON object"
    if set(value) != set(prompt.keys):
        return "its fields are not the ones asked for"
    # A bool is an int in Python, and 85.0 or "85" is no whole number as it was asked for.
    if any(type(value[key]) is not int for key in prompt.keys):
        return "a number is not a whole number"
    if any(not prompt.low <= value[key] <= prompt.high for key in prompt.keys):
        return f"a number is not from {prompt.low} to {prompt.high}"
    return ""


def _field(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None
