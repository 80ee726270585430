"""The arrows between rooms hold, and each contract can fail."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(LINT_IMPORTS), "--config", str(folder / "pyproject.toml"), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_every_arrow_between_rooms_holds() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "line", "contract"),
    [
        ("annotator/services/new.py", "import scoring.models", "People do not know the machines"),
        ("annotator/queries/new.py", "import annotator.services", "Floors of the rating house"),
        ("scoring/services/new.py", "import scoring.views", "Floors of the measuring house"),
        ("scoring/agreement/new.py", "import django.db", "Pure rooms know no Django"),
        ("scoring/report_files/new.py", "import django.db", "Pure rooms know no Django"),
        ("annotator/claims/new.py", "import torch", "Pure rooms know no torch"),
        ("scoring/views/new.py", "import transformers", "Torch lives behind one wall"),
        ("scoring/views/new.py", "import scoring.patclaimeval", "The metric is a library"),
    ],
)
def test_a_wrong_import_breaks_its_contract(
    tmp_path: Path, room: str, line: str, contract: str
) -> None:
    copy_of_the_houses(tmp_path)
    (tmp_path / room).write_text(f"{line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout
    broken = done.stdout.partition("Broken contracts")[2]
    assert contract in broken


def copy_of_the_houses(folder: Path) -> None:
    """Copy the source files of both houses; data and caches are of no interest here."""
    for source in [
        ROOT / "pyproject.toml",
        *ROOT.glob("annotator/**/*.py"),
        *ROOT.glob("scoring/**/*.py"),
    ]:
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
