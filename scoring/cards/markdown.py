"""Markdown out of plain values: texts that mean nothing else, numbers, tables."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

NOTHING: Final = "\u2013"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!&~$])")


def escaped(value: object) -> str:
    """Return a text on one line in which no character is markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(value).split()))


def number(value: Any) -> str:
    """Write a number: whole ones with thousands apart, others with at most three decimals.

    Input: an int or a float; anything else, None included, gives a dash.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NOTHING
    rounded = round(value, 3)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.3f}".rstrip("0")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the first column holds words, the others numbers."""
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
