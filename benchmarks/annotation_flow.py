"""Measures next and submit over the API with several annotators, beside doccano and Label Studio.

    benchmarks/annotation_flow.py [--sizes 1228:2000 ...] [--peers DIR] [--seconds 600]

Prints server CPU per annotation (all server processes, from /proc), the times of both calls, and
what the database holds afterwards. SQLite; and PostgreSQL too where DATABASE_URL is set. With
--peers the two are run from virtual environments in DIR, which are made there when missing.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from annotation_flow.doccano import measure_doccano
from annotation_flow.figures import HEADINGS, Figures, ratios
from annotation_flow.label_studio import measure_label_studio
from annotation_flow.ours import measure_ours
from annotation_flow.scale import Scale
from shared.measuring import machine, print_row

DEFAULT_SIZES = ["1228:2000", "20000:600", "200000:600"]
Measure = Callable[[Scale, Path], Figures]


def main() -> None:
    """Run every application at every size and print one table."""
    options = _options()
    # Both end the run as an exception does, so that every server is ended on the way out.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _frame: sys.exit(128 + got))
    print(f"{machine()}; one row an application and size")
    print_row(*HEADINGS)
    runs, refusals = [], []
    for size in options.sizes:
        items, annotations = (int(number) for number in size.split(":"))
        scale = Scale(items, annotations, seconds=options.seconds)
        for name, measure in _applications(options, items):
            try:
                with tempfile.TemporaryDirectory(prefix="annotation-flow.") as folder:
                    run = measure(scale, Path(folder))
            except Exception as error:  # noqa: BLE001 - one that fails must not hide the others
                refusals.append(f"{name}, {items:,} items: not measured: {error}")
                print(refusals[-1], flush=True)
                continue
            runs.append(run)
            print_row(*run.row())
    for line in ratios(runs):
        print(line)
    sys.exit(1 if refusals else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=DEFAULT_SIZES)
    parser.add_argument("--seconds", type=float, default=600, help="longest time of one run")
    parser.add_argument("--peers", type=Path, help="folder of the peers' virtual environments")
    parser.add_argument(
        "--peers-up-to", type=int, default=20_000, help="items beyond which peers are left out"
    )
    parser.add_argument("--only", nargs="+", help="names of applications, others are left out")
    return parser.parse_args()


def _applications(options: argparse.Namespace, items: int) -> list[tuple[str, Measure]]:
    found: list[tuple[str, Measure]] = [("sqlite", measure_ours)]
    if url := os.environ.get("DATABASE_URL"):
        found.append(("postgresql", lambda scale, folder: measure_ours(scale, folder, url)))
    if options.peers and items > options.peers_up_to:
        print(f"{items:,} items: the peers are left out (--peers-up-to)")
    elif peers := options.peers:
        found.append(("doccano", lambda scale, folder: measure_doccano(scale, folder, peers)))
        found.append(
            ("label-studio", lambda scale, folder: measure_label_studio(scale, folder, peers))
        )
    return [(name, run) for name, run in found if not options.only or name in options.only]


if __name__ == "__main__":
    main()
