"""What work takes, and how it is printed."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def machine() -> str:
    """Return what moves the figures: the cores, and the load of the last minute."""
    return f"{os.cpu_count()} cores, load {load():.1f}"


def load() -> float:
    """Return the load average of the last minute: what else ran on this machine."""
    return os.getloadavg()[0]


def measured(work: Callable[[], Mapping[str, float] | None]) -> dict[str, float]:
    """Carry some work out; return what it took, and what it returned beside.

    `wall` and `cpu` are seconds, of this process only; `peak` the most MB of memory while it
    worked, `growth` how much of that came on top; `load` that of the minute before.
    """
    load_before = load()
    # The peak so far is forgotten: it is that of the parent, and of what was imported.
    Path("/proc/self/clear_refs").write_text("5")
    before, cpu, wall = _memory_mb("VmRSS"), time.process_time(), time.perf_counter()
    more = work() or {}
    took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = _memory_mb("VmHWM")
    return took | {"peak": peak, "growth": peak - before, "load": load_before, **more}


def _memory_mb(name: str) -> float:
    """Return what the system reports of this process's memory: VmRSS now, VmHWM at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def seconds(work: Callable[[], object]) -> float:
    """Carry some work out; return the seconds that it took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the values lie; 0.0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def spread(times: Sequence[float]) -> str:
    """Return median, 95th percentile and longest in milliseconds; a dash for none."""
    if not times:
        return "-"
    middle = statistics.median(times)
    return " / ".join(f"{1000 * s:.1f}" for s in (middle, quantile(times, 0.95), max(times)))


def print_row(*cells: object) -> None:
    """Print a line of a table."""
    print(" | ".join(map(str, cells)), flush=True)


def print_growth(spent: dict[tuple[str, ...], float]) -> None:
    """Print what ten times the items cost: processor seconds by what was done and its size.

    The size comes last: "tenfold" is held against "real".
    """
    for (*what, size), cpu in spent.items():
        if size == "tenfold" and (one := spent.get((*what, "real"))):
            print(f"{', '.join(what)}: {cpu / one:.1f} times the CPU for ten times the items")
