"""The table of the soak: one row a promise, made of the lines that its tests left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

HEADINGS: Final = (
    *("promise", "tried", "lost", "doubled", "5xx"),
    *("planted fault found", "seconds", "result"),
)
FINDINGS: Final = ("lost", "doubled", "errors")


@dataclass
class Row:
    """What is known of one promise."""

    promise: str
    tried: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    planted: list[bool] = field(default_factory=list)
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, line: dict[str, Any]) -> None:
        """Take in one line of the recorder."""
        self.seconds += line["seconds"]
        if line["outcome"] == "failed":
            self.failed.append(line["test"])
        if line["outcome"] == "skipped":
            self.skipped.append(line["reason"])
        if line["when"] != "call":
            return
        if line["outcome"] == "passed":
            self.passed += 1
        if line["planted"]:
            # What a planted fault lost is no loss; one that cannot be planted here shows nothing.
            if line["outcome"] != "skipped":
                self.planted.append(line["outcome"] == "passed")
            return
        for name, counts in (("tried", self.tried), ("found", self.found)):
            for key, count in line.get(name, {}).items():
                counts[key] = counts.get(key, 0) + count
        self.notes += line.get("notes", [])

    @property
    def result(self) -> str:
        if self.failed:
            return "FAILED"
        return "kept" if self.passed else "not tried"

    def cells(self) -> list[str]:
        tried = ", ".join(
            f"{count:,} {name.replace('_', ' ')}" for name, count in self.tried.items()
        )
        found = [f"{self.found[name]:,}" if name in self.found else "-" for name in FINDINGS]
        planted = "-" if not self.planted else "yes" if all(self.planted) else "NO"
        return [self.promise, tried or "-", *found, planted, f"{self.seconds:.0f}", self.result]


def rows_of(lines: Iterable[dict[str, Any]]) -> list[Row]:
    """Return a row for each promise, in their order."""
    rows: dict[str, Row] = {}
    for line in lines:
        rows.setdefault(line["promise"], Row(line["promise"])).add(line)
    return sorted(rows.values(), key=lambda row: int(row.promise.removeprefix("P")))


def written(rows: Sequence[Row]) -> str:
    """Return the table in Markdown, and beneath it what does not fit into cells."""
    lines = [list(HEADINGS), *(row.cells() for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(HEADINGS))]
    lines.insert(1, ["-" * width for width in widths])
    shown = [
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]
    for row in rows:
        shown += [f"{row.promise}: {note}" for note in row.notes]
        shown += [f"{row.promise}: not tried: {reason}" for reason in dict.fromkeys(row.skipped)]
        shown += [f"{row.promise}: FAILED: {test}" for test in row.failed]
    return "\n".join(shown)
