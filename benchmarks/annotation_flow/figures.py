"""Turns what annotators and servers did into one line of figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.measuring import quantile, spread

from annotation_flow.clients import Work
from annotation_flow.scale import Scale

HEADINGS = (
    "application",
    "items",
    "annotations",
    "CPU ms each",
    "next p50 / p95 / max ms",
    "submit p50 / p95 / max ms",
    "errors",
    "lock lines",
    "beyond overlap (given / stored)",
    "twice to one (given / stored)",
    "stored - acknowledged",
    "load",
)


@dataclass(frozen=True, slots=True)
class Counted:
    """What the database holds after a run; None where an application has no such figure."""

    ratings: int
    beyond_overlap: int | None
    twice_to_one: int


@dataclass(frozen=True, slots=True)
class Figures:
    """One run of one application."""

    application: str
    scale: Scale
    works: tuple[Work, ...]
    cpu_seconds: Mapping[str, float]
    wall_seconds: float
    lock_lines: int
    counted: Counted
    load: float

    @property
    def items(self) -> int:
        return self.scale.items

    @property
    def given_beyond(self) -> int:
        """Items that more people were given than the overlap allows, as the clients saw it."""
        holders: Counter[str] = Counter()
        for work in self.works:
            holders.update(set(work.given))
        return sum(people > self.scale.overlap for people in holders.values())

    @property
    def given_twice(self) -> int:
        """Items that one person was given again after an acknowledged annotation."""
        return sum(work.given_again for work in self.works)

    @property
    def acknowledged(self) -> int:
        return sum(work.acknowledged for work in self.works)

    @property
    def cpu_ms(self) -> float:
        """Server CPU per acknowledged annotation, in milliseconds."""
        return 1000 * sum(self.cpu_seconds.values()) / max(1, self.acknowledged)

    @property
    def next_p95_ms(self) -> float:
        return 1000 * quantile([s for work in self.works for s in work.next_seconds], 0.95)

    def _parts(self) -> str:
        """Return which programs the CPU was spent in, where they can be distinguished."""
        each = {part: 1000 * s / max(1, self.acknowledged) for part, s in self.cpu_seconds.items()}
        shown = [f"{part} {each[part]:.1f}" for part in sorted(each) if each[part] >= 0.05]
        return f" ({', '.join(shown)})" if len(self.cpu_seconds) > 1 else ""

    def row(self) -> list[str]:
        """Return the cells of this run under HEADINGS."""
        failed = sum((work.statuses for work in self.works), Counter[str]())
        failed.update(work.error for work in self.works if work.error)
        return [
            self.application,
            f"{self.items:,}",
            f"{self.acknowledged:,} in {self.wall_seconds:.0f} s",
            f"{self.cpu_ms:.1f}{self._parts()}",
            spread([s for work in self.works for s in work.next_seconds]),
            spread([s for work in self.works for s in work.submit_seconds]),
            ", ".join(f"{n} x {what}" for what, n in failed.most_common()) or "0",
            str(self.lock_lines),
            "no overlap"
            if self.counted.beyond_overlap is None
            else f"{self.given_beyond} / {self.counted.beyond_overlap}",
            f"{self.given_twice} / {self.counted.twice_to_one}",
            str(self.counted.ratings - self.acknowledged),
            f"{self.load:.1f}",
        ]


def ratios(runs: Sequence[Figures]) -> list[str]:
    """Return how CPU grows with the items, and how the first application stands to the others."""
    lines = []
    for name in dict.fromkeys(run.application for run in runs):
        mine = sorted((run for run in runs if run.application == name), key=lambda run: run.items)
        if len(mine) > 1:
            growth = mine[-1].cpu_ms / mine[0].cpu_ms
            lines.append(
                f"{name}: CPU per annotation at {mine[-1].items:,} items is {growth:.2f} times "
                f"that at {mine[0].items:,}"
            )
    for items in sorted({run.items for run in runs}):
        same = [run for run in runs if run.items == items]
        lines += [
            f"{items:,} items: {run.application} takes {run.cpu_ms / same[0].cpu_ms:.1f} times "
            f"the CPU of {same[0].application}; next p95 {run.next_p95_ms:.0f} ms beside "
            f"{same[0].next_p95_ms:.0f} ms"
            for run in same[1:]
        ]
    return lines
