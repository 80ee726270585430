"""Texts laid aside while a file is read, so that not all of them are held at once."""

import tempfile
from typing import NamedTuple


class Place(NamedTuple):
    """Where a text lies on its shelf."""

    offset: int
    length: int


class TextShelf:
    """Texts in a file without a name: nobody else can open it, and it ends with this process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the shelf
        self._end = 0
        self._is_at_end = True

    def put(self, text: str) -> Place:
        """Lay a text aside."""
        data = text.encode()
        if not self._is_at_end:
            # Each seek writes out what is buffered.
            self._file.seek(self._end)
            self._is_at_end = True
        self._file.write(data)
        place = Place(self._end, len(data))
        self._end += len(data)
        return place

    def get(self, place: Place) -> str:
        """Return a text as it was laid aside."""
        self._is_at_end = False
        self._file.seek(place.offset)
        return self._file.read(place.length).decode()

    def close(self) -> None:
        """Drop all texts."""
        self._file.close()
