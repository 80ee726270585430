"""Which files under DATA_DIR belong to the rows; the other house names its own at start."""

import re
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
_kinds: list[tuple[str, re.Pattern[str]]] = []


def register_files(lister: Lister, **kinds: str) -> None:
    """Name what lists the files that the rows need, and what such files are called.

    `kinds` has a pattern for the names in each folder in which only such files lie. Where the
    pattern has a group `sha256`, a file is named by its own digest.
    """
    _listers.append(lister)
    _kinds.extend((folder, re.compile(f"{folder}/{names}")) for folder, names in kinds.items())


def kept_files() -> list[KeptFile]:
    """Return all files that the rows need, by name; each was found with its digest."""
    found = {file.name: file for lister in _listers for file in lister()}
    return [found[name] for name in sorted(found)]


def kept_folders() -> tuple[str, ...]:
    return tuple(folder for folder, _ in _kinds)


def is_of_a_kind(file: KeptFile) -> bool:
    """Tell whether a file is called as one that the rows may need, and no other."""
    for _, names in _kinds:
        if found := names.fullmatch(file.name):
            return found.groupdict().get("sha256") in (None, file.sha256)
    return False
