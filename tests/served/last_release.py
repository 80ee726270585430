"""The code of the last release, which a clone with a history holds."""

import json
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest

from tests.served.server import ROOT

ROLLING: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "tool"
]["rolling"]

RUN_STEPS: Final = """
import json, sys
from django import setup
from django.core.management import call_command
setup()
for step in json.loads(sys.argv[1]):
    call_command(*step)
"""
PAIRS: Final = (
    ("1. A cup comprising a body, a handle and a lid.", "1. A cup comprising a body and a handle."),
    ("1. A method of sealing a jar.\n2. The method of claim 1.", "1. A method of opening a jar."),
)


def unpack_last_release(folder: Path) -> Path:
    """Return a folder with its code; a clone without its commit skips the test."""
    name = ROLLING["last_release"]
    packed = subprocess.run(
        ["git", "archive", "--format=tar", name], cwd=ROOT, capture_output=True, check=False
    )
    if packed.returncode:
        pytest.skip(f"this clone does not hold the last release, {name}: fetch its history")
    code = folder / "last_release"
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(code, filter="data")
    return code


def carry_out(code: Path, env: Mapping[str, str], *steps: list[str]) -> str:
    """Carry out commands of a release in one process; return what they print.

    To start a process takes longer than most commands.
    """
    done = subprocess.run(
        [sys.executable, "-c", RUN_STEPS, json.dumps(steps)],
        cwd=code,
        env={**env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def scores_of(code: Path, env: Mapping[str, str], model: str, folder: Path) -> list[float]:
    """Return how a release scores the pairs of `PAIRS`; `folder` is for its files."""
    pairs, scored = folder / "pairs.jsonl", folder / "scored.jsonl"
    rows = [{"reference": reference, "candidate": candidate} for reference, candidate in PAIRS]
    pairs.write_text("\n".join(map(json.dumps, rows)))
    asked = ["score_claims", "--model", model, "--jsonl", str(pairs), "--output", str(scored)]
    carry_out(code, env, asked)
    found = [json.loads(line)["score"] for line in scored.read_text().splitlines()]
    assert len(set(found)) == len(PAIRS)
    return found
