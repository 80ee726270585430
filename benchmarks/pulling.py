"""Measures taking the next candidate while forty annotators ask for theirs at one moment.

    benchmarks/pulling.py [--items 10000] [--annotators 40] [--rounds 25]

The server is that of `make run`, on SQLite; and on PostgreSQL too where DATABASE_URL is set. In
each round all ask at once over connections that stay open, then each submits a rating. Server time
is from the first middleware to the last, waits for the database included; clients see more, because
their requests queue for two workers. As they share its cores, both are upper bounds.
"""

import argparse
import os
import re
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from annotation_flow.clients import Wire, scores_for
from annotation_flow.ours import WARM_PATH, OurInterface, serving_ours
from annotation_flow.scale import Scale
from shared.measuring import load, machine, print_row, spread

LONGEST_ROUND_SECONDS = 120
DURATION = re.compile(r"dur=([0-9.]+)")
# The application's own settings, and one middleware that reports the time.
TIMED = {
    "DJANGO_SETTINGS_MODULE": "annotation_flow.timed_settings",
    "PYTHONPATH": str(Path(__file__).resolve().parent),
}
HEADINGS = (
    "database",
    "items",
    "taken",
    "next, server time ms p50 / p95 / max",
    "next, as clients see it ms p50 / p95 / max",
    "failures",
    "beyond the overlap / twice to one",
    "load before",
)


@dataclass
class Pulled:
    """What one annotator's requests for a next candidate took, in seconds, inside and outside."""

    inside: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)
    error: str = ""


def main() -> None:
    """Run both databases and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--annotators", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    asked = options.annotators * options.rounds
    scale = Scale(options.items, asked, annotators=options.annotators)
    print(f"{machine()}; {options.annotators} annotators at once")
    print_row(*HEADINGS)
    for name, url in (("SQLite", ""), ("PostgreSQL", os.environ.get("DATABASE_URL", ""))):
        if url or name == "SQLite":
            with tempfile.TemporaryDirectory(prefix="pulling.") as folder:
                print_row(*measure(name, scale, Path(folder), url))


def measure(name: str, scale: Scale, folder: Path, database_url: str) -> list[str]:
    """Fill, serve, pull in rounds; return the cells under HEADINGS."""
    with serving_ours(scale, folder, database_url, **TIMED) as served:
        for wire in served.wires:
            wire.warm_up(WARM_PATH)
        time.sleep(scale.settle_seconds)
        load_before = load()
        pulled = pull_together(served.wires, scale.annotations // scale.annotators)
        failures: Counter[str] = sum((wire.statuses for wire in served.wires), Counter())
        failures.update(one.error for one in pulled if one.error)
        counted = served.count()
    return [
        name,
        f"{scale.items:,}",
        f"{counted.ratings:,} of {scale.annotations:,}",
        spread([seconds for one in pulled for seconds in one.inside]),
        spread([seconds for one in pulled for seconds in one.outside]),
        ", ".join(f"{n} x {what}" for what, n in failures.most_common()) or "0",
        f"{counted.beyond_overlap} / {counted.twice_to_one}",
        f"{load_before:.1f}",
    ]


def pull_together(wires: list[Wire], rounds: int) -> list[Pulled]:
    """Have everybody ask at one moment, then rate, again and again."""
    gate = threading.Barrier(len(wires))
    pulled = [Pulled() for _ in wires]
    threads = [
        threading.Thread(target=pull, args=(number, wire, pulled[number], gate, rounds))
        for number, wire in enumerate(wires)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return pulled


def pull(annotator: int, wire: Wire, pulled: Pulled, gate: threading.Barrier, rounds: int) -> None:
    """Be one annotator: ask when all ask, then submit."""
    interface = OurInterface()
    try:
        for _ in range(rounds):
            gate.wait(timeout=LONGEST_ROUND_SECONDS)
            start = time.perf_counter()
            taken = interface.take(wire)
            pulled.outside.append(time.perf_counter() - start)
            if found := DURATION.search(wire.timing):
                pulled.inside.append(float(found[1]) / 1000)
            if taken is not None:
                name, item = taken
                interface.submit(wire, item, scores_for(annotator, name))
    except Exception as error:  # noqa: BLE001 - whatever stops one annotator is a finding
        pulled.error = f"{type(error).__name__}: {error}"
        # The others do not wait for somebody who is gone.
        gate.abort()


if __name__ == "__main__":
    main()
