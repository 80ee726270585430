"""Measures rating at a steady rate of acts: page, draft and submit, beside the peers.

    benchmarks/rate_page.py [--full] [--seconds 15] [--peers DIR] [--only ours ...]

Annotators (50) act at random moments, together 20 acts a second: each reads the next page, sends
a draft and submits. Printed are the times that they waited, and the processor time of all server
processes an act. SQLite; PostgreSQL too where DATABASE_URL is set. --full fills the application
to the limits (2,000 references of 9 candidates, 90,000 ratings) and takes two minutes each. With
--peers Label Studio and doccano are run from virtual environments in DIR, where they are or will
be installed; they have the same claim sets, but no earlier ratings. Their pages are scripts, so
that "page" is the call by which those get the next item.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from threading import Thread

from flow.annotators import (
    Annotator,
    Doccano,
    DoneError,
    FailedError,
    LabelStudio,
    OurApi,
    OurPages,
)
from flow.filling import Scale, fill, fresh_database
from shared.applications import doccano, label_studio, ours
from shared.measuring import machine, print_row, spread
from shared.processes import Application, Server

WARM_SECONDS = 10
HEADINGS = (
    *("application", "acts/s", "CPU ms an act", "page p50 / p95 / max ms", "draft", "submit"),
    *("failures", "machine"),
)

Started = tuple[Application, tuple[int, ...]]
"""An application that is to be run, and the process of its database server, if it has one."""
Start = Callable[[Path, ExitStack], Started]


@dataclass(slots=True)
class Figures:
    """What the annotators saw from a moment on; several threads add to it."""

    start: float
    end: float
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: Counter[str] = field(default_factory=Counter)

    def work(self, annotator: Annotator, pause: float) -> None:
        """Act until the end, with `pause` seconds between two acts in the mean."""
        chance = random.Random(annotator.number)
        due = time.monotonic() + chance.uniform(0, pause)
        acts = cycle(annotator.acts)
        while due < self.end:
            time.sleep(max(0.0, due - time.monotonic()))
            act, begun = next(acts), time.monotonic()
            try:
                getattr(annotator, act)()
                if begun >= self.start:
                    self.times[act].append(time.monotonic() - begun)
            except DoneError:
                self.failures["nothing left"] += 1
                return
            except FailedError as error:
                self.failures[str(error)] += 1
                annotator.held.clear()
                acts = cycle(annotator.acts)
            due = max(due + chance.uniform(0.5, 1.5) * pause, time.monotonic())


def main() -> None:
    """Print one row for each application."""
    options = _options()
    # Both signals end the run as an exception does, so that every server is stopped on the way.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _frame: sys.exit(128 + got))
    references, ratings, seconds = (2_000, 90_000, 120) if options.full else (100, 500, 15)
    scale = Scale(references, 9, options.people, ratings)
    seconds = options.seconds or seconds
    print(f"{scale.people} annotators, {options.rate:.0f} acts a second, {seconds:.0f} s")
    print(f"{scale.references * scale.candidates:,} candidates, {scale.ratings:,} ratings")
    print_row(*HEADINGS)
    for name, annotator, start in _rows(options):
        with tempfile.TemporaryDirectory(prefix="rate_page.") as folder, ExitStack() as stack:
            application, also = start(Path(folder), stack)
            headers = fill(application, annotator.filled_by, scale)
            server = stack.enter_context(application.running(also=also))
            annotators = [annotator(application.port, one, n) for n, one in enumerate(headers)]
            measure(name, server, annotators, seconds, scale.people / options.rate)


def measure(
    name: str, server: Server, annotators: list[Annotator], seconds: float, pause: float
) -> None:
    """Have the annotators work, and print what that took after a while to warm up."""
    start = time.monotonic() + WARM_SECONDS
    figures = Figures(start, start + seconds)
    threads = [Thread(target=figures.work, args=(one, pause), daemon=True) for one in annotators]
    for thread in threads:
        thread.start()
    time.sleep(max(0.0, figures.start - time.monotonic()))
    before = server.cpu_seconds()
    time.sleep(max(0.0, figures.end - time.monotonic()))
    spent = server.cpu_seconds() - before
    for thread in threads:
        thread.join()
    acts = sum(map(len, figures.times.values()))
    print_row(
        name,
        f"{acts / seconds:.1f}",
        f"{1000 * spent / max(1, acts):.1f}",
        *(spread(figures.times[act]) for act in ("page", "draft", "submit")),
        ", ".join(f"{count} x {what}" for what, count in figures.failures.most_common()) or "0",
        machine(),
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="the load of docs/limits.md")
    parser.add_argument("--seconds", type=float, help="measured time of each application")
    parser.add_argument("--rate", type=float, default=20, help="acts a second")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--peers", type=Path, help="folder of the peers' virtual environments")
    parser.add_argument("--only", nargs="+", help="words of names; other applications are left out")
    return parser.parse_args()


def _rows(options: argparse.Namespace) -> list[tuple[str, type[Annotator], Start]]:
    """Return what is measured: its name, how an annotator uses it, and how it is started."""

    def start_ours(folder: Path, stack: ExitStack, url: str) -> Started:
        settings, also = stack.enter_context(fresh_database(url))
        return ours(folder, settings), also

    found: list[tuple[str, type[Annotator], Start]] = []
    for database, url in (("SQLite", ""), ("PostgreSQL", os.environ.get("DATABASE_URL", ""))):
        if database == "SQLite" or url:
            start = partial(start_ours, url=url)
            found.append((f"ours, pages, {database}", OurPages, start))
            found.append((f"ours, API, {database}", OurApi, start))
    if peers := options.peers:
        found.append(("Label Studio", LabelStudio, lambda to, _: (label_studio(to, peers), ())))
        found.append(("doccano", Doccano, lambda to, _: (doccano(to, peers), ())))
    words = options.only
    return [row for row in found if not words or any(word in row[0] for word in words)]


if __name__ == "__main__":
    main()
