"""Bounds what request bodies may occupy on the disk while they are on their way.

Each web process counts for itself. A body is counted by the bytes that have come, so one that was
only announced takes nothing from anybody.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings

from core.errors import Refused, TooOften

# Times the longest body: of one sender, and of all senders of its kind together.
BODIES_OF_ONE: Final = 8
FILES_OF_ONE: Final = 2
TIMES_OF_ALL: Final = 4
# What stays free for ratings and jobs: a share of a small disk, and no more than this of a large.
RESERVED_BYTES: Final = 512 * 1024 * 1024
RESERVED_SHARE: Final = 10
RETRY_AFTER_SECONDS: Final = 30
TOO_MANY_OF_ONE: Final = "Too much of what you sent is still on its way. Send it again later."
TOO_MANY_IN_ALL: Final = "Too many files are on their way to this server. Send it again later."
NO_ROOM: Final = (
    "The server's disk has too little room for this: nothing was stored. Tell whoever runs this "
    "site, and send it again later."
)


class Crowded(TooOften):
    """Too much is on its way from everybody together."""

    status = 503


class NoRoom(Refused):
    """What is left of the disk is reserved for ratings and jobs."""

    status = 507


class ArrivingBytes:
    """The bytes of bodies on the disk, by sender; used by one thread, the event loop's."""

    def __init__(self) -> None:
        self._files: Counter[str] = Counter()
        self._bodies: Counter[str] = Counter()

    @contextmanager
    def follow(self, address: str) -> Iterator["ArrivingBody"]:
        """Give what counts one body, first for the address that sends it; uncount it at the end."""
        body = ArrivingBody(self, address)
        try:
            yield body
        finally:
            body.uncount()

    def kind(self, *, is_file: bool) -> tuple[Counter[str], int]:
        """Return the counts of uploaded files or of all other bodies, and the limit of a sender."""
        if is_file:
            return self._files, FILES_OF_ONE * settings.MAX_UPLOAD_BYTES
        return self._bodies, BODIES_OF_ONE * settings.DATA_UPLOAD_MAX_MEMORY_SIZE


class ArrivingBody:
    """One body: its sender is an address until it is known whose file it is."""

    def __init__(self, arriving: ArrivingBytes, address: str) -> None:
        self._arriving = arriving
        self._sender = address
        self._is_file = False
        self._counted = 0

    def belongs_to(self, person: str) -> None:
        """Count the body from now on as a file of a person who may send it."""
        counted = self._counted
        self.uncount()
        self._sender, self._is_file = person, True
        counts, _ = self._arriving.kind(is_file=True)
        counts[person] += counted
        self._counted = counted

    def count(self, size: int, folder: Path) -> None:
        """Count bytes that are about to be written; raise TooOften, Crowded or NoRoom."""
        counts, limit = self._arriving.kind(is_file=self._is_file)
        if counts[self._sender] + size > limit:
            raise TooOften(TOO_MANY_OF_ONE, retry_after=RETRY_AFTER_SECONDS)
        if counts.total() + size > TIMES_OF_ALL * limit:
            raise Crowded(TOO_MANY_IN_ALL, retry_after=RETRY_AFTER_SECONDS)
        disk = shutil.disk_usage(folder)
        if disk.free - size < min(RESERVED_BYTES, disk.total // RESERVED_SHARE):
            raise NoRoom(NO_ROOM)
        counts[self._sender] += size
        self._counted += size

    def uncount(self) -> None:
        """Forget what was counted of this body."""
        counts, _ = self._arriving.kind(is_file=self._is_file)
        counts[self._sender] -= self._counted
        if counts[self._sender] <= 0:
            del counts[self._sender]
        self._counted = 0
