"""A progress bar for commands that work through many rows."""

import time
from collections.abc import Callable
from typing import Final

WIDTH: Final = 30
SECONDS_BETWEEN: Final = 1.0


def progress_bar(say: Callable[[str], None], words: str) -> Callable[[float], None]:
    """Return what hears a share from 0 to 1 and says it, at most once a second.

    Work that takes less than a second says nothing.
    """
    last = time.monotonic()

    def hear(share: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN:
            last = now
            done = round(WIDTH * share)
            say(f"{words} [{'#' * done}{'.' * (WIDTH - done)}] {share:4.0%}")

    return hear
