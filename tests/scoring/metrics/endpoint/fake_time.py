"""Time that passes only when somebody sleeps."""

from threading import Lock


class FakeTime:
    """A clock and a sleep for it; `slept` lists the waits in order."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._lock = Lock()

    def clock(self) -> float:
        with self._lock:
            return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds
