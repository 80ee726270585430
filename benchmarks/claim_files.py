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
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
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
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(*options.child)))
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(" | ".join(HEADINGS), flush=True)
    with tempfile.TemporaryDirectory(prefix="claim_files.") as folder:
        run_all(options, Path(folder))


def run_all(options: argparse.Namespace, folder: Path) -> None:
    """Make each file once and measure everything with it."""
    several = {"real": (options.real, REAL), "tenfold": (10 * options.real, REAL)}
    several["small"] = (options.small, SMALL)
    databases = ["SQLite", *(["PostgreSQL"] if os.environ.get("DATABASE_URL") else [])]
    seconds: dict[tuple[str, str, str], float] = {}
    for size, (items, lengths) in several.items():
        for layout in ("claims-jsonl", "csv", "patent-ce"):
            jobs = [
                (job, name)
                for job in ("read", "check", "import")
                for name in (["none"] if job == "read" else databases)
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
                found = in_child(job, layout, path, name, folder)
                seconds[job, name, size] = found["cpu"]
                print(" | ".join(cells(f"{job} {layout} {size}", name, items, path, found)))
                sys.stdout.flush()
            path.unlink()
    for job, name, size in seconds:
        if size == "tenfold" and (job, name, "real") in seconds:
            ratio = seconds[job, name, "tenfold"] / seconds[job, name, "real"]
            print(f"{job}, {name}: {ratio:.1f} times the CPU for ten times the items")


def cells(what: str, name: str, items: int, path: Path, found: dict[str, Any]) -> list[str]:
    """Return one line of the table."""
    return [
        what,
        name,
        f"{items:,}",
        f"{path.stat().st_size / 1e6:.0f}",
        f"{items / found['wall']:,.0f}",
        f"{found['wall']:.1f}",
        f"{found['cpu']:.1f}",
        f"{found['lock']:.1f}" if found["lock"] else "-",
        f"{found['growth'] / 1e6:.0f}",
    ]


def in_child(job: str, layout: str, path: Path, database: str, folder: Path) -> dict[str, Any]:
    """Run one measurement in a fresh process over an empty database."""
    with tempfile.TemporaryDirectory(dir=folder) as data:
        env = os.environ | {"DATA_DIR": data, "PYTHONPATH": str(ROOT)}
        env |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
        if database == "PostgreSQL":
            env["DATABASE_URL"] = fresh_database(os.environ["DATABASE_URL"])
        else:
            env = {key: value for key, value in env.items() if key != "DATABASE_URL"}
        if database != "none":
            migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(migrate, cwd=ROOT, env=env, check=True)
        command = [sys.executable, __file__, "--child", job, layout, str(path), database]
        done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
        return dict(json.loads(done.stdout.splitlines()[-1]))


def fresh_database(url: str) -> str:
    """Make an empty database on the server and return its address."""
    import psycopg2

    name = f"claim_files_{time.time_ns()}"
    connection = psycopg2.connect(url)
    connection.autocommit = True
    connection.cursor().execute(f"CREATE DATABASE {name}")
    connection.close()
    return url.rsplit("/", 1)[0] + "/" + name


def measure(job: str, layout: str, path: str, database: str) -> dict[str, float]:
    """Do one thing with a file; return seconds and bytes."""
    import django

    django.setup()
    from django.db import connection

    if database != "none":
        connection.ensure_connection()
    work = prepare(job)
    before = resident()
    start, cpu = time.perf_counter(), time.process_time()
    with Path(path).open("rb") as file:
        lock = work(file, layout)
    wall, spent = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"wall": wall, "cpu": spent, "lock": lock, "growth": peak - before}


def resident() -> int:
    """Return the bytes that this process has in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


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
        start = time.perf_counter()
        import_file(slug="room", file=file, file_name="claims", format=layout)
        return time.perf_counter() - start

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
