"""A public key with the file of its private one."""

from pathlib import Path

import pyrage
import pytest


@pytest.fixture
def key(tmp_path: Path) -> tuple[str, Path]:
    made = pyrage.x25519.Identity.generate()
    path = tmp_path / "key.txt"
    path.write_text(f"# created: today\n{made}\n")
    return str(made.to_public()), path
