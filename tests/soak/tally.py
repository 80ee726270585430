"""What a test of a promise tried and found; `make soak` prints it, and no test asserts it."""

import sys
from collections import Counter
from collections.abc import Iterator

import pytest


class Tally:
    """Counts of one test; sums, as one test may try several things."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    def tried(self, **counts: int) -> None:
        """Note what is tried, in plural: `submits=500, kills=7`."""
        self.counts.update(counts)

    def found(self, **counts: int) -> None:
        """Note what went wrong: `lost`, `doubled`, `errors` (answers of 500 and above)."""
        self.counts.update(counts)

    def noted(self, note: str) -> None:
        """Note a figure that no test asserts."""
        self.notes.append(note)


@pytest.fixture
def tally() -> Iterator[Tally]:
    """Give the counts of one test, and print them when it is over."""
    tally = Tally()
    yield tally
    for line in (", ".join(f"{n:,} {name}" for name, n in tally.counts.items()), *tally.notes):
        sys.stdout.write(f"{line}\n")
