"""Simulates a site at which many people rate at once, from what each request was measured to take.

    benchmarks/busy_site.py [--people 100 1000 10000] [--web-cores 16] [--database-cores 8]

A request waits for a core of a web host, then for one of the database, and an act of the audit
trail also for the seal, which one transaction holds at a time (docs/adr/0017). Arrivals and
service times are drawn by chance. Prints how busy each is and how long requests take; what comes
near to 100 % breaks first. The times are those of `many_ratings.py`; `--seal-ms` is what it found.
"""

import argparse
import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from shared.measuring import print_row, quantile

# What one candidate brings with it, at four minutes each: how often, milliseconds at a web host
# and at the database, and whether it ends with an entry of the audit trail.
MINUTES_EACH = 4.0
ACTS = {
    "next and submit": (1, 20.0, 12.0, True),
    "rate page": (1, 30.0, 6.0, False),
    # Every 15 seconds.
    "ping": (16, 8.5, 2.6, False),
    # A pause in the typing of scores and of a comment.
    "draft": (6, 12.0, 3.5, False),
    "home and lists": (0.1, 120.0, 105.0, False),
}
SECONDS, WARM = 60.0, 10.0


@dataclass
class Station:
    """So many servers with one line before them."""

    servers: int
    free_at: list[float] = field(default_factory=list)
    worked: float = 0.0

    def serve(self, at: float, takes: float) -> float:
        """Return when somebody who comes at this time leaves."""
        is_free = len(self.free_at) < self.servers
        begins = at if is_free else max(at, heapq.heappop(self.free_at))
        heapq.heappush(self.free_at, begins + takes)
        self.worked += takes
        return begins + takes


def arrivals(people: int, chance: random.Random) -> Iterator[tuple[float, str]]:
    """Yield times and acts of a minute in order."""
    rates = {name: people * act[0] / (60 * MINUTES_EACH) for name, act in ACTS.items()}
    names, weights, all_of_them = list(rates), list(rates.values()), sum(rates.values())
    at = chance.expovariate(all_of_them)
    while at < SECONDS:
        yield at, chance.choices(names, weights)[0]
        at += chance.expovariate(all_of_them)


def simulate(people: int, web: int, database: int, seal: float) -> list[str]:
    """Return a row of the table for so many people."""
    chance = random.Random(people)
    stations = {"web": Station(web), "database": Station(database), "seal": Station(1)}
    # By what happens next: a request joins each line when it comes to it, not when it was sent.
    events = [
        (at, number, name, 0, at) for number, (at, name) in enumerate(arrivals(people, chance))
    ]
    heapq.heapify(events)
    times = list[float]()
    while events:
        at, number, name, step, sent = heapq.heappop(events)
        _, here, there, is_sealed = ACTS[name]
        path = [("web", here / 1000), ("database", there / 1000)]
        path += [("seal", seal / 1000)] if is_sealed else []
        if step == len(path):
            if sent > WARM:
                times.append(at - sent)
            continue
        station, mean = path[step]
        left = stations[station].serve(at, chance.expovariate(1 / mean))
        heapq.heappush(events, (left, number, name, step + 1, sent))
    busy = [f"{100 * one.worked / one.servers / SECONDS:.0f} %" for one in stations.values()]
    rate = sum(people * act[0] for act in ACTS.values()) / (60 * MINUTES_EACH)
    slow = [f"{1000 * quantile(times, share):,.0f}" for share in (0.5, 0.95, 0.99)]
    return [f"{people:,}", f"{rate:,.0f}", *busy, " / ".join(slow)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--web-cores", type=int, default=16)
    parser.add_argument("--database-cores", type=int, default=8)
    parser.add_argument("--seal-ms", type=float, default=7.0)
    options = parser.parse_args()
    print(f"{options.web_cores} cores of web hosts, {options.database_cores} of the database")
    print_row("people", "requests a second", "web", "database", "seal", "p50 / p95 / p99, ms")
    for people in options.people:
        sizes = options.web_cores, options.database_cores, options.seal_ms
        print_row(*simulate(people, *sizes))


if __name__ == "__main__":
    main()
