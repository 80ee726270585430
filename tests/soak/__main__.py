"""`make soak`: the promises at full counts, on both pairs of services at once, a table of each.

    python -m tests.soak [--scale 20] [--only embedded|services] [--json FILE] [PYTEST ARGUMENT ...]

Ends with 1 where a promise was broken or a planted fault not found.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.soak.table import rows_of, written

ROOT: Final = Path(__file__).resolve().parents[2]
FULL_SCALE: Final = 20
# What would make the embedded pair another one.
NOT_EMBEDDED: Final = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS")
# Pages are served as in production on real services, their static files by hashed names.
WITH_COLLECTED: Final = '"$0" manage.py collectstatic --noinput --verbosity 0 && "$@"'
TIERS: Final = {"services": "PostgreSQL and Redis", "embedded": "SQLite and the filesystem broker"}
# Real services have more to do: who is done first takes this over.
TAKEN_OVER: Final = "tests/promises/test_round_trips.py"


@dataclass(frozen=True, slots=True)
class Share:
    """What one process of pytest runs: a tier, and which tests of it."""

    tier: str
    arguments: tuple[str, ...] = ()


WHOLE: Final[tuple[Share, ...]] = (
    Share("services", ("--ignore", TAKEN_OVER)),
    Share("embedded"),
    Share("services", (TAKEN_OVER,)),
)


def main() -> None:
    """Run the tiers at once, one on each of two cores, and print what came of them."""
    options, more = _options()
    shares = WHOLE
    if options.only or more:
        tiers = [options.only] if options.only else [*TIERS]
        shares = tuple(Share(tier, tuple(more)) for tier in tiers)
    began = time.monotonic()
    with ThreadPoolExecutor(len(TIERS)) as pool:
        ended = [*pool.map(partial(run, scale=options.scale), shares)]
    lines_by_tier: dict[str, list[dict[str, Any]]] = {}
    for share, (_, lines) in zip(shares, ended, strict=True):
        lines_by_tier.setdefault(share.tier, []).extend(lines)
    for tier, lines in lines_by_tier.items():
        sys.stdout.write(f"\n{TIERS[tier]}, scale {options.scale}\n\n{written(rows_of(lines))}\n")
    sys.stdout.write(f"\n{(time.monotonic() - began) / 60:.0f} minutes\n")
    if options.json:
        options.json.write_text(json.dumps(lines_by_tier, indent=1), encoding="utf-8")
    sys.exit(1 if any(code for code, _ in ended) else 0)


def run(share: Share, scale: int) -> tuple[int, list[dict[str, Any]]]:
    """Run the tests of the promises in a share; return how pytest ended and their lines."""
    with tempfile.TemporaryDirectory(prefix="soak.") as folder:
        record = Path(folder, "record.jsonl")
        record.touch()
        env = os.environ | {
            "DATA_DIR": folder,
            "SOAK_RECORD": str(record),
            "PROMISES_SCALE": str(scale),
            "THOROUGH": str(int(scale > 1)),
        }
        tests = [sys.executable, "-m", "pytest", "-p", "tests.soak.recorder"]
        # A full count takes longer than any test of the suite.
        tests += ["-v", "-m", "promise", "--timeout", "3000"]
        tests += ["-o", "faulthandler_timeout=2900", *share.arguments]
        if share.tier == "embedded":
            env = {name: value for name, value in env.items() if name not in NOT_EMBEDDED}
        else:
            tests = ["scripts/with-services", "sh", "-c", WITH_COLLECTED, sys.executable, *tests]
        code = _followed(tests, env, f"{share.tier}: ")
        return code, [json.loads(line) for line in record.read_text("utf-8").splitlines()]


def _followed(command: list[str], env: dict[str, str], prefix: str) -> int:
    """Run a command, and print each line of its output after a prefix."""
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        for line in process.stdout:
            sys.stdout.write(prefix + line)
            sys.stdout.flush()
    return process.returncode


def _options() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=FULL_SCALE, help="1 as in `make test`")
    parser.add_argument("--only", choices=TIERS, help="one pair of services")
    parser.add_argument("--json", type=Path, help="a file for all counts")
    return parser.parse_known_args()


if __name__ == "__main__":
    main()
