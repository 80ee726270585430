"""Directories whose files are shared: in their place once all of them have been fetched."""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from core.artefacts import store
from core.files import atomic_directory
from core.text_io.strict_json import loads

# Directories that are being fetched; one that a killed process left is deleted when it is old.
FETCHING_PREFIX: Final = ".fetching-"
LISTING: Final = "listing"


@contextmanager
def fetched_aside(path: Path) -> Iterator[Path]:
    """Give a directory to fetch into, which then gets its name, unless another was faster."""
    aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=FETCHING_PREFIX))
    try:
        with atomic_directory(path, aside):
            yield aside
    except OSError:
        if not path.is_dir():
            raise


def tree_of(directory: Path) -> dict[str, str]:
    """Return the digests of the files in a directory by their names."""
    found = {}
    for path in sorted(directory.iterdir()):
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def digest_of(tree: dict[str, str]) -> str:
    """Return the digest by which a row names a directory: that of its listing."""
    return hashlib.sha256(_listing(tree)).hexdigest()


def _listing(tree: dict[str, str]) -> bytes:
    return json.dumps(tree, sort_keys=True).encode()


def put_tree(kind: str, owner: str, directory: Path) -> dict[str, str]:
    """Have the store hold the files of a directory, and at last their listing; return that."""
    tree = tree_of(directory)
    for name, sha256 in tree.items():
        store.put(kind, owner, sha256, directory / name)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=FETCHING_PREFIX) as aside:
        listing = Path(aside) / LISTING
        listing.write_bytes(_listing(tree))
        store.put(kind, owner, digest_of(tree), listing)
    return tree


def fetch_tree(kind: str, owner: str, sha256: str, directory: Path) -> None:
    """Fetch a directory whose listing has this digest; raise FileNotFoundError, DamagedObject."""
    with fetched_aside(directory) as aside:
        listing = aside / LISTING
        store.fetch(kind, owner, sha256, listing)
        tree = loads(listing.read_bytes())
        listing.unlink()
        for name, digest in tree.items():
            store.fetch(kind, owner, digest, aside / Path(name).name)
