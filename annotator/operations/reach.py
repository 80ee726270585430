"""What jobs may need, and a program cannot reach from where it runs."""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from django.conf import settings

from core.artefacts.bucket import probe, store
from core.errors import Unreachable
from core.files import atomic_write

NAME_OF_ID: Final = "directory_id"

Look = Callable[[Collection[str]], Iterator[str]]
_looks: list[Look] = []


def register_reach(look: Look) -> None:
    """Register a function that gets kinds of work, and yields what they cannot reach from here.

    A worker calls it at its start and each minute: it is to be quick.
    """
    _looks.append(look)


def out_of_reach(works: Collection[str]) -> list[str]:
    """Return in sentences what these kinds of work may need and cannot reach."""
    return [sentence for look in _looks for sentence in look(works)]


def store_out_of_reach(works: Collection[str]) -> Iterator[str]:
    """Say that the artefact store does not answer."""
    if of := store():
        try:
            probe(of)
        except Unreachable as error:
            yield error.sentence


def own_directory() -> str:
    """Return what programs that share this data directory know it by; "" where none can be told."""
    path = Path(settings.DATA_DIR) / NAME_OF_ID
    with suppress(OSError):
        if not path.exists():
            # Of two at once the last one counts; who read the other reads again.
            atomic_write(path, [uuid4().hex.encode()])
        return path.read_text()
    return ""
