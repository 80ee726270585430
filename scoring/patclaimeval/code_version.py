"""Which code trains: one digest over the sources and the libraries that decide weights."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent
# Everything counts unless it stands here: forgetting a file then costs a training, not the truth.
WITHOUT_EFFECT: Final = frozenset(
    {
        *("__main__.py", "results.py", "durable.py", "plain_export.py"),
        *("score.py", "pair_scores.py", "score_cache.py", "stream.py"),
    }
)
"""Sources that decide no weight: doors, scoring of finished models, words about a run."""


@cache
def code_version() -> str:
    """Return 'code DIGEST, torch VERSION, transformers VERSION', at most 80 characters."""
    libraries = f"torch {version('torch')}, transformers {version('transformers')}"
    return f"code {_digest(PACKAGE)[:12]}, {libraries}"


def _digest(package: Path) -> str:
    """Return the sha256 over the sources by name and content, in hex."""
    found = hashlib.sha256()
    for path in sorted(package.glob("**/*.py")):
        name = path.relative_to(package).as_posix()
        if name not in WITHOUT_EFFECT:
            found.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
    return found.hexdigest()
