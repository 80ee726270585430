"""What a test of a promise reports to the soak: what was tried, and what came of it."""

from typing import Any, Final

import pytest

PROPERTY: Final = "tally"


class Tally:
    """Counts of one test; sums, as one test may try several things."""

    def __init__(self) -> None:
        self.tries: dict[str, int] = {}
        self.findings: dict[str, int] = {}
        self.notes: list[str] = []

    def tried(self, **counts: int) -> None:
        """Note what is tried, in plural: `submits=500, kills=7`."""
        for name, count in counts.items():
            self.tries[name] = self.tries.get(name, 0) + count

    def found(self, **counts: int) -> None:
        """Note what went wrong: `lost`, `doubled`, `errors` (answers of 500 and above)."""
        for name, count in counts.items():
            self.findings[name] = self.findings.get(name, 0) + count

    def noted(self, note: str) -> None:
        """Note a figure that no test asserts."""
        self.notes.append(note)

    def record(self) -> dict[str, Any]:
        """Return the counts as they stand and go on: plain, as they cross to other processes."""
        return {"tried": self.tries, "found": self.findings, "notes": self.notes}


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Count for the soak; without it nobody reads the counts."""
    counts = Tally()
    request.node.user_properties.append((PROPERTY, counts.record()))
    return counts
