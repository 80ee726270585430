"""Directories that somebody installed on one host, such as encoders: shared, and fetched by others.

No row names them. What `share_files` found last under a name is what a host without it fetches.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from core.artefacts.store import is_shared, listed, put, retain
from core.artefacts.trees import digest_of, fetch_tree, listing_of, put_tree

LISTINGS: Final = "listings"
_folders: Final[dict[str, Callable[[], Path]]] = {}


def register_installed(kind: str, folder: Callable[[], Path]) -> None:
    """Register a folder whose directories are installed by hand; packages do so at start."""
    _folders[kind] = folder


def share_installed() -> int:
    """Have the store hold the directories that are installed here; return how many."""
    count = 0
    for kind, path in _installed():
        tree = put_tree(kind, path.name, path)
        owner, digest = f"{kind}.{path.name}", digest_of(tree)
        with listing_of(tree, path.parent) as listing:
            put(LISTINGS, owner, digest, listing)
        retain(LISTINGS, owner, {digest})
        retain(kind, path.name, {digest, *tree.values()})
        count += 1
    return count


def _installed() -> Iterator[tuple[str, Path]]:
    for kind, folder in _folders.items():
        if folder().is_dir():
            for path in sorted(folder().iterdir()):
                if path.is_dir() and not path.name.startswith("."):
                    yield kind, path


def fetch_installed() -> int:
    """Fetch the directories that this host lacks; return how many.

    One that is here under the same name stays as it is: whoever renews it takes it away first.
    """
    count = 0
    for one in listed(LISTINGS) if is_shared() else ():
        kind, _, name = one.owner.partition(".")
        path = _folders[kind]() / name if kind in _folders else None
        if path is not None and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fetch_tree(kind, name, one.sha256, path)
            count += 1
    return count
