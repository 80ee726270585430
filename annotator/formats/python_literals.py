"""The strict reader of Python's way of writing lists and objects, where an export holds it as text.

Label Studio's tables come with `[{'selected': 'left'}]` in place of JSON. Nothing is evaluated:
only what `repr` writes of texts, whole and decimal numbers, True, False, None, lists and dicts is
let through to the parser, and nothing is deeper or longer than the limits.
"""

import ast
import re
from typing import Any, Final

MAX_CHARACTERS: Final = 1_000_000
MAX_DEPTH: Final = 8

_ESCAPE: Final = r"\\(?:[\\'\"nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_TOKEN: Final = re.compile(
    rf"""\s*+(?:
        '(?:[^'\\\n]|{_ESCAPE})*+' | "(?:[^"\\\n]|{_ESCAPE})*+"
        | -?[0-9]{{1,18}}(?:\.[0-9]{{1,18}})?(?![0-9A-Za-z_.])
        | (?:None|True|False)(?![0-9A-Za-z_])
        | (?P<open>[\[{{]) | (?P<close>[\]}}]) | [,:]
    )\s*+""",
    re.VERBOSE | re.ASCII,
)


class LiteralError(ValueError):
    """The text is no literal that is accepted; the message says why, without quoting it."""


def is_literal(text: str) -> bool:
    """Say whether a text is meant as a written list or object: it opens with a bracket."""
    return text.lstrip(" \t\r\n").startswith(("[", "{"))


def read_literal(text: str) -> Any:
    """Return the list or dict that a text writes in Python's way, or raise LiteralError.

    Input: any text. Output: list, dict, str, int, float, bool or None, at most MAX_DEPTH deep;
    keys are texts, none stands twice, and no text holds NUL or half a surrogate pair.
    """
    if len(text) > MAX_CHARACTERS:
        raise LiteralError(f"longer than {MAX_CHARACTERS:,} characters")
    _check_characters(text)
    _check_tokens(text)
    try:
        tree = ast.parse(text.strip(), mode="eval")
        for node in ast.walk(tree):
            _check_node(node)
        return ast.literal_eval(tree)
    except LiteralError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise LiteralError("the list or object that it writes is not well formed") from error


def _check_tokens(text: str) -> None:
    position = depth = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise LiteralError(
                f"character {position + 1} is not part of a list or object, or a text is not closed"
            )
        depth += (match["open"] is not None) - (match["close"] is not None)
        if depth > MAX_DEPTH:
            raise LiteralError(f"nested deeper than {MAX_DEPTH}")
        position = match.end()


def _check_node(node: ast.AST) -> None:
    if isinstance(node, ast.Set):
        raise LiteralError("an object without field names")
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if len(keys) < len(node.keys) or not all(isinstance(key, str) for key in keys):
            raise LiteralError("a field name is no text")
        if len(set(keys)) < len(keys):
            raise LiteralError("a field stands twice in one object")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        _check_characters(node.value)


def _check_characters(text: str) -> None:
    """Refuse what can be stored by neither database, written out or as an escape."""
    if "\0" in text:
        raise LiteralError("a text holds the NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise LiteralError("a text holds half of a surrogate pair")
