"""Documents and tables of commands as text for a reader, at most 80 columns wide."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

WIDTH: Final = 80
GAP: Final = "  "


def document_lines(document: Mapping[str, Any], indent: str = "") -> list[str]:
    """Return a document as lines "name: value"; nested documents are indented, lists are tables."""
    lines: list[str] = []
    for key, value in document.items():
        label = str(key).replace("_", " ")
        rows = _rows_of(value)
        if rows:
            deeper = indent + GAP
            lines += [f"{indent}{label}:", *table_lines(rows, deeper)]
        elif isinstance(value, Mapping) and value:
            lines += [f"{indent}{label}:", *document_lines(value, indent + GAP)]
        elif _are_sentences(value):
            lines.append(f"{indent}{label}:")
            lines += [line for one in value for line in wrapped(str(one), indent + GAP)]
        else:
            lines += wrapped(f"{label}: {plain(value)}", indent)
    return lines


def _are_sentences(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(str(one).endswith(".") for one in value)


def _rows_of(value: Any) -> list[list[str]]:
    """Return the cells of what is best shown as a table, its head first; [] of anything else."""
    if isinstance(value, Mapping):
        named = {str(key).replace("_", " "): row for key, row in value.items()}
    elif isinstance(value, list | tuple):
        named = {str(number): row for number, row in enumerate(value, start=1)}
    else:
        return []
    rows = list(named.values())
    if not rows or not all(isinstance(row, Mapping) and not _is_nested(row) for row in rows):
        return []
    columns = list(dict.fromkeys(key for row in rows for key in row))
    head = ["", *(str(column).replace("_", " ") for column in columns)]
    cells = [
        [name, *(plain(row[column]) if column in row else "" for column in columns)]
        for name, row in named.items()
    ]
    return [head, *cells]


def _is_nested(row: Mapping[str, Any]) -> bool:
    return any(isinstance(value, Mapping | list | tuple) and value for value in row.values())


def plain(value: Any) -> str:
    """Return one value in words: no quotes, brackets or names of the programming language."""
    if value is None or value in ("", (), [], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{str(key).replace('_', ' ')} {plain(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value))
    return str(value)


def wrapped(text: str, indent: str = "") -> list[str]:
    """Return a text as lines of at most 80 columns, the later ones indented; words stay whole."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + GAP,
        break_long_words=False,
        break_on_hyphens=False,
    )


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines in which each column has its width."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def table_lines(table: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Return a table as lines of at most 80 columns.

    Columns that do not fit go below, behind the first column once more. A cell that is wider than
    a line stays whole.
    """
    lines: list[str] = []
    for columns in _columns_that_fit(table, WIDTH - len(indent)):
        part = [[row[0], *(row[column] for column in columns)] for row in table]
        lines += [*([""] if lines else []), *(f"{indent}{line}" for line in aligned(part))]
    return lines


def _columns_that_fit(table: Sequence[Sequence[str]], width: int) -> Iterator[list[int]]:
    """Yield the places of the columns, without the first, that stand side by side."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    chosen: list[int] = []
    used = widths[0]
    for place in range(1, len(widths)):
        needed = len(GAP) + widths[place]
        if chosen and used + needed > width:
            yield chosen
            chosen, used = [], widths[0]
        chosen.append(place)
        used += needed
    if chosen or len(widths) == 1:
        yield chosen
