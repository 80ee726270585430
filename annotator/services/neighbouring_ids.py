"""Keys for rows that are written together: beside each other in every index, in no order."""

import os
import time
from typing import Final
from uuid import UUID

VERSION_7: Final = 7 << 76
VARIANT: Final = 2 << 62
FREE_BITS: Final = ~((0xF << 76) | (3 << 62))


class NeighbouringIds:
    """Makes keys of the time in milliseconds and 74 random bits after it.

    Wholly random keys touch another page of each index with every row, and a file of a million rows
    then writes each page many times. The time is read once a batch: within it the keys stay in
    random order, so that none tells which of two candidates stood first in its file, where one
    system may always come before another. Layout: RFC 9562, version 7.
    """

    def __init__(self) -> None:
        self.begin_batch()

    def begin_batch(self) -> None:
        """Place the keys that follow after all earlier ones."""
        self._time = (time.time_ns() // 1_000_000) << 80

    def new(self) -> UUID:
        """Return a key that nobody else has."""
        tail = int.from_bytes(os.urandom(10), "big")
        return UUID(int=(self._time | tail) & FREE_BITS | VERSION_7 | VARIANT)
