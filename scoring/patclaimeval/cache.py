"""The feature cache on disk: one small file per key, safe against torn writes and tampering."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class FeatureCache:
    """Vectors under a directory, by key; with no directory it keeps nothing.

    A key is the sha256 of everything that decides a vector, so an entry never goes stale.
    """

    def __init__(self, directory: Path | None) -> None:
        """Use ``directory`` (made when first written), or nothing if None."""
        self.directory = directory

    @staticmethod
    def key(*parts: str) -> str:
        """Return the sha256 of the parts, each with its length in front, in hex."""
        found = hashlib.sha256()
        for part in parts:
            data = part.encode()
            found.update(len(data).to_bytes(8, "big") + data)
        return found.hexdigest()

    def get(self, key: str, size: int) -> Vector | None:
        """Return the vector of ``size`` numbers under ``key``; None if absent or unreadable."""
        if self.directory is None:
            return None
        try:
            with np.load(self._path(key), allow_pickle=False) as stored:
                vector = np.asarray(stored["vector"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        good = vector.shape == (size,) and vector.dtype == np.float32 and np.isfinite(vector).all()
        return vector if good else None

    def put(self, key: str, vector: Vector) -> None:
        """Store ``vector`` under ``key``, whole or not at all."""
        if self.directory is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                np.savez(stream, vector=vector)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        assert self.directory is not None
        return self.directory / key[:2] / f"{key}.npz"
