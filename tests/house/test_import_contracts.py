"""The arrows between rooms hold, and each contract can fail."""

import re
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


# A new file in a room, the line in it, and the contract that the line breaks.
WRONG = [
    ("annotator/services/new_0.py", "import scoring.models", "People do not know the machines"),
    ("annotator/queries/new_1.py", "import annotator.services", "Floors of the rating house"),
    ("scoring/services/new_2.py", "import scoring.views", "Floors of the measuring house"),
    ("scoring/agreement/new_3.py", "import django.db", "Pure rooms know no Django"),
    ("scoring/report_files/new_4.py", "import django.db", "Pure rooms know no Django"),
    ("annotator/claims/new_5.py", "import torch", "Pure rooms know no torch"),
    ("scoring/views/new_6.py", "import transformers", "Torch lives behind one wall"),
    ("scoring/views/new_7.py", "import scoring.patclaimeval", "The metric is a library"),
]


@pytest.mark.slow
def test_a_wrong_import_breaks_its_contract(tmp_path: Path) -> None:
    """All are planted at once: the report names each contract, and below it what breaks it."""
    copy_of_the_houses(tmp_path)
    for room, line, _ in WRONG:
        (tmp_path / room).write_text(f"{line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout
    broken = done.stdout.partition("Broken contracts")[2]
    titles = "|".join(sorted({contract for _, _, contract in WRONG}))
    parts = re.split(f"^({titles})", broken, flags=re.MULTILINE)[1:]
    told = dict(zip(parts[::2], parts[1::2], strict=True))
    for room, line, contract in WRONG:
        module = room.removesuffix(".py").replace("/", ".")
        assert f"{module} -> " in told.get(contract, ""), f"{room}: {line}: {broken}"


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
