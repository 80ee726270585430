"""Time that passes only when somebody sleeps."""


class FakeTime:
    """A clock and a sleep for it; `slept` lists the waits in order."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds
