"""Measures the import of 20,000 claim sets: processor time and peak memory of the whole command.

    benchmarks/import_claims.py [--sets 20000] [--database sqlite]

The file has the limits' number of claim sets (400 references of 49 candidates) in nearly 50 MB. The
dry run looks for nearly equal texts too, as the page's check does; the import checks again and then
stores everything in one transaction. Processor time is the command's, without a database server's.
PostgreSQL is measured instead of SQLite where DATABASE_URL is set, in that database.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from shared import ROOT
from shared.measuring import machine, print_row

from patclaimeval.limits import CLAIM_SETS, UPLOAD_BYTES

CANDIDATES = 49
CHARACTERS = UPLOAD_BYTES // CLAIM_SETS - 80
"""Of one claim set: a file of CLAIM_SETS is then just smaller than an upload may be."""


def main() -> None:
    """Print one row for the dry run and one for the import."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=CLAIM_SETS)
    sets = parser.parse_args().sets
    with tempfile.TemporaryDirectory(prefix="import_claims.") as folder:
        path, data_dir = Path(folder) / "claims.jsonl", Path(folder) / "data"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records(sets))
        environment = os.environ | {"DATA_DIR": str(data_dir)}
        run(environment, "migrate", "--verbosity", "0")
        print(f"{sets:,} claim sets, {path.stat().st_size / 2**20:.0f} MB; {machine()}")
        print_row("what", "wall s", "CPU s", "peak MB")
        for what in (["--dry-run"], []):
            slug = f"bench-{time.time_ns()}"
            took = run(environment, "import_claims", str(path), "--campaign", slug, *what)
            print_row("dry run" if what else "import", *(f"{figure:.1f}" for figure in took))


def run(environment: Mapping[str, str], *arguments: str) -> tuple[float, float, float]:
    """Run a command of the application; return wall seconds, processor seconds and peak MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
    )
    # The usage of this child alone, which a later child does not raise.
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{arguments[0]} ended with status {os.waitstatus_to_exitcode(status)}")
    cpu = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - begun, cpu, usage.ru_maxrss / 1024


def records(sets: int) -> Iterator[dict[str, object]]:
    """Yield references with their candidates, so many claim sets of made-up words in all."""
    import numpy as np

    chance = np.random.default_rng(1)
    letters = np.array(list("aeiounrstlmd"))
    words = ["".join(chance.choice(letters, size)) for size in chance.integers(2, 12, 4_000)]

    def text(number: int) -> str:
        drawn = chance.integers(0, len(words), CHARACTERS // 7).tolist()
        whole = f"1. A device {number} " + " ".join(words[one] for one in drawn)
        return whole[:CHARACTERS]

    for start in range(0, sets, 1 + CANDIDATES):
        ours = range(start, min(start + 1 + CANDIDATES, sets))
        yield {
            "reference_id": f"r{start}",
            "reference_claims": text(start),
            "candidates": [{"candidate_id": f"c{n}", "claims": text(n)} for n in ours[1:]],
        }


if __name__ == "__main__":
    main()
