"""The code of the last release, which a clone with a history holds."""

import subprocess
import tarfile
import tomllib
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest

from tests.served.server import ROOT

ROLLING: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "tool"
]["rolling"]


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
