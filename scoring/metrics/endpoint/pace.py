"""When a request may begin: never more than so many in a minute, all threads together."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class Pace:
    """Requests begin at least 60 / `requests_per_minute` seconds apart, or after a pause.

    clock gives seconds that never go back; sleep waits for so many of them.
    """

    def __init__(
        self,
        requests_per_minute: int,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        self._gap = 60 / requests_per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._next = clock()

    def wait(self) -> None:
        """Return when the caller may begin a request; nobody else may in the gap after it."""
        while (left := self._take()) > 0:
            self._sleep(left)

    def pause(self, seconds: float) -> None:
        """Let nobody begin a request for so many seconds from now."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)

    def _take(self) -> float:
        """Take the turn and return 0, or return the seconds until there may be one."""
        with self._lock:
            now = self._clock()
            if now >= self._next:
                self._next = now + self._gap
                return 0.0
            return self._next - now
