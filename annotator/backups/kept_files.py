"""Which files under DATA_DIR belong to the rows; the other house names its own at start."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that never changes: its path below DATA_DIR, its digest and its length."""

    name: str
    sha256: str
    size: int


Lister = Callable[[], Iterable[KeptFile]]
_listers: list[Lister] = []
_folders: list[str] = []


def register_files(lister: Lister, *folders: str) -> None:
    """Name what lists the files that the rows need, and the folders in which only such lie."""
    _listers.append(lister)
    _folders.extend(folders)


def kept_files() -> list[KeptFile]:
    """Return all files that the rows need, by name; each was found with its digest."""
    found = {file.name: file for lister in _listers for file in lister()}
    return [found[name] for name in sorted(found)]


def kept_folders() -> tuple[str, ...]:
    return tuple(_folders)
