"""Measures reading, checking and importing files of claim sets, in a process of its own each.

    benchmarks/claim_files.py [--only WORDS] [--real 20000] [--small 1000000]

On SQLite; and on PostgreSQL too where DATABASE_URL is set (scripts/with-services sets it), each
time into an empty database. A real-length item is a reference of 2,400 characters with two
candidates of 3,200, the means of the published Patent-CE files; a small one has some 20 each.
CPU is the process's own, without the database server's; growth is peak RSS less what Django with
all its models took before. `check` is a dry run, which looks for nearly equal texts; `import` is a
check without that, and then the transaction that stores, whose length is `lock`.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared.hosts import databases, empty_host, in_child, parse
from shared.measuring import machine, measured, print_growth, print_row, seconds

HEADINGS = ("what", "database", "items", "MB", "items/s", "wall s", "CPU s", "lock s", "growth MB")
REAL = (2_400, 3_200, 3_200)
SMALL = (20, 20)


def main() -> None:
    """Print one table, one line a measurement, and the ratio of ten times the items."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", help="words of the measurements wanted, such as: import small SQLite"
    )
    parser.add_argument("--real", type=int, default=20_000)
    parser.add_argument("--small", type=int, default=1_000_000)
    options = parse(parser, {"measure": measure})
    print(machine())
    print_row(*HEADINGS)
    with tempfile.TemporaryDirectory(prefix="claim_files.") as folder:
        run_all(options, Path(folder))


def run_all(options: argparse.Namespace, folder: Path) -> None:
    """Make each file once and measure everything with it."""
    several = {"real": (options.real, REAL), "tenfold": (10 * options.real, REAL)}
    several["small"] = (options.small, SMALL)
    spent: dict[tuple[str, ...], float] = {}
    for size, (items, lengths) in several.items():
        for layout in ("claims-jsonl", "csv", "patent-ce"):
            jobs = [
                (job, name)
                for job in ("read", "check", "import")
                for name in (["none"] if job == "read" else databases())
                if all(
                    word in f"{job} {layout} {size} {name}".split() for word in options.only.split()
                )
                and (layout == "claims-jsonl" or (job == "read" and size != "tenfold"))
            ]
            if not jobs:
                continue
            path = folder / f"{size}.{layout}"
            write_file(path, layout, items, lengths)
            for job, name in jobs:
                with empty_host(name, has_tables=name != "none") as env:
                    took = in_child(env, "measure", job, layout, path)
                spent[job, name, size] = took["cpu"]
                print_row(
                    f"{job} {layout} {size}",
                    name,
                    f"{items:,}",
                    f"{path.stat().st_size / 1e6:.0f}",
                    f"{items / took['wall']:,.0f}",
                    *(f"{took[key]:.1f}" if took[key] else "-" for key in ("wall", "cpu", "lock")),
                    f"{took['growth']:.0f}",
                )
            path.unlink()
    print_growth(spent)


def measure(job: str, layout: str, path: str) -> dict[str, float]:
    """Do one thing with a file; return what it took."""
    from django.db import connection

    if job != "read":
        connection.ensure_connection()
    work = prepare(job)
    with Path(path).open("rb") as file:
        return measured(lambda: {"lock": work(file, layout)})


def prepare(job: str) -> Any:
    """Return what a job does with a file; it returns for how long a transaction was open."""
    from annotator.formats.claim_files import read_claims
    from annotator.imports.checks import check_claims
    from annotator.imports.services import import_file
    from core.text_io.streams import ReadNotes

    def read(file: Any, layout: str) -> float:
        for _ in read_claims(file, layout, ReadNotes()):
            pass
        return 0.0

    def check(file: Any, layout: str) -> float:
        check_claims(campaign=None, file=file, format=layout)
        return 0.0

    def store(file: Any, layout: str) -> float:
        """As the command does: check it first, then read it once more inside a transaction."""
        check_claims(campaign=None, file=file, format=layout, looks_for_similar=False)
        return seconds(
            lambda: import_file(slug="bench", file=file, file_name="claims", format=layout)
        )

    return {"read": read, "check": check, "import": store}[job]


def write_file(path: Path, layout: str, items: int, lengths: tuple[int, ...]) -> None:
    """Write claim sets of made-up words, the same ones each time."""
    import csv

    with path.open("w", encoding="utf-8", newline="") as file:
        if layout == "csv":
            sheet = csv.writer(file)
            sheet.writerow(["reference_id", "reference_claims", "candidate_id", "claims"])
            for name, reference, *candidates in claim_sets(items, lengths):
                for number, text in enumerate(candidates):
                    sheet.writerow([name, "" if number else reference, f"c{number}", text])
        elif layout == "claims-jsonl":
            for name, reference, *candidates in claim_sets(items, lengths):
                listed = [{"candidate_id": f"c{n}", "claims": t} for n, t in enumerate(candidates)]
                record = {"reference_id": name, "reference_claims": reference, "candidates": listed}
                file.write(json.dumps(record) + "\n")
        else:
            file.write("[")
            for number, (_, reference, *texts) in enumerate(claim_sets(items, lengths)):
                record = {"gold_claim": reference, "A": texts[0], "B": texts[-1] + " "}
                file.write((",\n" if number else "") + json.dumps(record))
            file.write("]")


def claim_sets(items: int, lengths: tuple[int, ...]) -> Iterator[list[str]]:
    """Yield an id and texts of about the given lengths."""
    import numpy as np

    chance = np.random.default_rng(1)
    letters = np.array(list("aeiounrstlmd"))
    words = ["".join(chance.choice(letters, size)) for size in chance.integers(2, 12, 4_000)]
    for number in range(items):
        row = [f"ref-{number}"]
        for place, length in enumerate(lengths):
            drawn = chance.integers(0, len(words), 1 + length // 7).tolist()
            row.append(f"1. A {place}{number:07} {' '.join([words[one] for one in drawn])}")
        yield row


if __name__ == "__main__":
    main()
