"""Lines of the inbox, and the registry through which the packages above add theirs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from annotator.models import User


@dataclass(frozen=True, slots=True)
class Line:
    """One thing with its count in a sentence, and where it is dealt with."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Who looks, in which roles, and the two times from which on endings count."""

    user: User
    roles: frozenset[str]
    week_ago: datetime
    last_visit_at: datetime


@dataclass(frozen=True, slots=True)
class Lines:
    """What one package knows: what waits for the person, and what has finished for them."""

    waiting: tuple[Line, ...] = ()
    finished: tuple[Line, ...] = ()


Source = Callable[[Asked], Lines]
_sources: list[Source] = []


def register_inbox(source: Source) -> None:
    """Register a function that asks a fixed number of queries; a package does so at its start."""
    _sources.append(source)


def registered_lines(asked: Asked) -> Lines:
    """Return what all registered sources know."""
    found = [source(asked) for source in _sources]
    return Lines(
        tuple(line for lines in found for line in lines.waiting),
        tuple(line for lines in found for line in lines.finished),
    )
