"""Keeps the counts of one process in a file that is written and never mapped into memory.

prometheus-client maps its files: a mapped page that finds no room on a full disk ends the process,
and every request in it, by SIGBUS. A write that finds none only fails. The form is the library's.
"""

import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

_USED: Final = struct.Struct("ii")
_LENGTH: Final = struct.Struct("i")
_VALUE: Final = struct.Struct("dd")


class CountFile:
    """What the library asks of its file; it calls under a lock, one thread at a time."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._file: int | None = None
        self._used = _USED.size
        self._positions: dict[str, int] = {}

    def read_value(self, key: str) -> tuple[float, float]:
        """Return what a count begins with, as no other process writes to this one's file."""
        return 0.0, 0.0

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        """Write a count; where there is no room, its next write brings the whole of it."""
        with suppress(OSError):
            if self._file is None:
                self._file = self._created()
            if key in self._positions:
                _put(self._file, _VALUE.pack(value, timestamp), self._positions[key])
            else:
                self._append(self._file, key, _VALUE.pack(value, timestamp))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _created(self) -> int:
        """Return the open file, which is seen only with its first number in it."""
        new = Path(f"{self._filename}.new")
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            _put(file, _USED.pack(self._used, 0), 0)
            new.rename(self._filename)
        except OSError:
            os.close(file)
            raise
        return file

    def _append(self, file: int, key: str, value: bytes) -> None:
        text = key.encode()
        padded = text + b" " * (8 - (len(text) + _LENGTH.size) % 8)
        entry = _LENGTH.pack(len(text)) + padded + value
        _put(file, entry, self._used)
        # A reader believes this number: what could not be written whole is not counted by it.
        _put(file, _USED.pack(self._used + len(entry), 0), 0)
        self._used += len(entry)
        self._positions[key] = self._used - len(value)


def _put(file: int, data: bytes, position: int) -> None:
    if os.pwrite(file, data, position) != len(data):
        raise OSError("only a part was written")
