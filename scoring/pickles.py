"""Names of files that run code when a library opens them. Standard library only."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Final

SUFFIXES: Final = frozenset(
    {".bin", ".ckpt", ".dill", ".joblib", ".npy", ".npz", ".pickle", ".pkl", ".pt", ".pth", ".py"}
)


def found_among(names: Iterable[str]) -> list[str]:
    """Return those of the file names that may not lie in a model directory, in order."""
    return sorted(name for name in names if PurePath(name).suffix.lower() in SUFFIXES)
