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
    """Return the digests of the files in a directory by their names below it."""
    found = {}
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            name = path.relative_to(directory).as_posix()
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def digest_of(tree: dict[str, str]) -> str:
    """Return the digest by which a directory is named: that of its listing."""
    return hashlib.sha256(_listing(tree)).hexdigest()


def _listing(tree: dict[str, str]) -> bytes:
    return json.dumps(tree, sort_keys=True).encode()


@contextmanager
def listing_of(tree: dict[str, str], folder: Path) -> Iterator[Path]:
    """Give a file in a folder that holds the listing; it is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=FETCHING_PREFIX) as aside:
        listing = Path(aside) / LISTING
        listing.write_bytes(_listing(tree))
        yield listing


def put_tree(kind: str, owner: str, directory: Path) -> dict[str, str]:
    """Have the store hold the files of a directory, and at last their listing; return that."""
    tree = tree_of(directory)
    for name, sha256 in tree.items():
        store.put(kind, owner, sha256, directory / name)
    with listing_of(tree, directory.parent) as listing:
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
            store.fetch(kind, owner, digest, _below(aside, name))


def _below(directory: Path, name: str) -> Path:
    """Return the place of a file; raise ValueError for a name that leads out of the directory."""
    path = directory / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError("a name that leads out of its directory")
    return path
