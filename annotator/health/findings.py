"""What a look at one part of an installation found, and which looks there are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is; only MISSING makes `doctor` end with 1."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about one part; `mend` says what to do, and is empty where nothing is."""

    part: str
    level: Level
    found: str
    mend: str = ""


Look = Callable[[], Iterator[Finding]]
_looks: list[Look] = []


def ok(part: str, found: str) -> Finding:
    return Finding(part, Level.OK, found)


def warning(part: str, found: str, mend: str) -> Finding:
    return Finding(part, Level.WARNING, found, mend)


def missing(part: str, found: str, mend: str) -> Finding:
    return Finding(part, Level.MISSING, found, mend)


def register_look(look: Look) -> None:
    """Name what looks at a part that this house does not know; houses do so at their start."""
    _looks.append(look)


def registered_looks() -> tuple[Look, ...]:
    """Return what the houses have named. Each needs the database to be reached and migrated."""
    return tuple(_looks)
