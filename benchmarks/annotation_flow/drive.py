"""Has the annotators work against a running server and counts what that cost."""

import time
from collections.abc import Callable

from shared.measuring import load

from annotation_flow.clients import Interface, Wire, work_together
from annotation_flow.figures import Counted, Figures
from annotation_flow.processes import Server
from annotation_flow.scale import Scale

LOCK_MESSAGES = ("is locked", "operationalerror", "deadlock", "could not serialize", "i/o error")


def drive(
    name: str,
    scale: Scale,
    server: Server,
    interfaces: list[Interface],
    wires: list[Wire],
    *,
    warm_path: str,
    count: Callable[[], Counted],
) -> Figures:
    """Warm the server up, measure its CPU while the annotators work, and count afterwards."""
    for wire in wires:
        wire.warm_up(warm_path)
    time.sleep(scale.settle_seconds)
    load_before, cpu, start = load(), server.cpu_seconds(), time.monotonic()
    works = work_together(interfaces, wires, annotations=scale.annotations, seconds=scale.seconds)
    wall, after = time.monotonic() - start, server.cpu_seconds()
    spent = {part: seconds - cpu.get(part, 0.0) for part, seconds in after.items()}
    locks = server.log_lines(*LOCK_MESSAGES)
    return Figures(name, scale, tuple(works), spent, wall, locks, count(), load_before)
