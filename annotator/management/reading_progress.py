"""How far a command has read a file, told on a terminal as a bar, elsewhere now and then a line."""

import time
from collections.abc import Callable
from typing import BinaryIO, Final

BAR: Final = 24
# Seconds between two words.
ON_TERMINAL: Final = 0.2
IN_A_LOG: Final = 10.0


class ReadingProgress:
    """Called with the number of records read; says so when it is time."""

    def __init__(
        self, verb: str, file: BinaryIO, size: int, say: Callable[[str], None], *, is_terminal: bool
    ) -> None:
        self.verb = verb
        self.file = file
        self.size = max(1, size)
        self.say = say
        self.pause = ON_TERMINAL if is_terminal else IN_A_LOG
        self.last = time.monotonic()

    def __call__(self, records: int) -> None:
        now = time.monotonic()
        if now - self.last < self.pause:
            return
        self.last = now
        share = min(1.0, self.file.tell() / self.size)
        done = round(BAR * share)
        bar = "#" * done + "-" * (BAR - done)
        self.say(f"{self.verb} [{bar}] {share:.0%}, {records:,} records")
