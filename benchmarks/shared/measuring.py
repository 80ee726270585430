"""Say what the machine did meanwhile, and print figures as rows of a table."""

import os
import statistics
from collections.abc import Sequence


def machine() -> str:
    """Return what affects the figures: the cores, and the load of the last minute."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def spread(times: Sequence[float]) -> str:
    """Return median, 95th percentile and longest in milliseconds; a dash for none."""
    if not times:
        return "-"
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    found = (statistics.median(ordered), p95, ordered[-1])
    return " / ".join(f"{1000 * seconds:.0f}" for seconds in found)


def print_row(*cells: object) -> None:
    """Print one row of a table."""
    print("|", " | ".join(map(str, cells)), "|", flush=True)
