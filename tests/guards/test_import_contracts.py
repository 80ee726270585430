"""The arrows between packages hold, and each contract can fail."""

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


def test_every_arrow_between_packages_holds() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


LIBRARY = "The library knows nothing of the application"
# A line, the file that it is added to, and the contract that it breaks.
WRONG = [
    ("import scoring.models", "annotator/rating/new_0.py", "People do not know the machines"),
    ("import config.settings", "core/new_1.py", "People do not know the machines"),
    ("import core.forms", "core/errors.py", "Layers of core"),
    ("import annotator.rating.services", "annotator/access/new_2.py", "Layers of annotator"),
    ("import annotator.adjudication.cases", "annotator/rating/new_3.py", "Layers of annotator"),
    ("import scoring.scores.queries", "scoring/training/new_4.py", "Layers of scoring"),
    ("import django.db", "annotator/adjudication/what_if/rules.py", "Pure modules know no Django"),
    ("import django.db", "patclaimeval/agreement/new_5.py", LIBRARY),
    ("import core.logs", "patclaimeval/claims/new_6.py", LIBRARY),
    ("import annotator.models", "patclaimeval/documents/new_9.py", LIBRARY),
    ("import scoring.formats", "patclaimeval/metrics/new_10.py", LIBRARY),
    ("import config.settings", "patclaimeval/models/new_11.py", LIBRARY),
    ("import patclaimeval.models", "patclaimeval/claims/new_12.py", "Layers of the library"),
    ("import transformers", "scoring/reports/new_7.py", "Torch is imported by one package"),
    ("import patclaimeval.models", "scoring/scores/views.py", "No screen calls the metric"),
]
# What else can be wrong, as its contract reports it.
CIRCLE = ("import annotator.imports.services", "annotator/imports/claims/new_8.py")
UNPLACED = ("", "annotator/unplaced.py")
REPORTED = {
    "Features do not import each other in a circle": ".claims -> .services",
    "Layers of annotator": "unplaced",
}


@pytest.mark.slow
def test_a_wrong_import_breaks_its_contract(tmp_path) -> None:
    """All are planted at once: the report names each contract, and below it what breaks it."""
    copy_of_the_packages(tmp_path)
    for line, file in [*((line, file) for line, file, _ in WRONG), CIRCLE, UNPLACED]:
        with (tmp_path / file).open("a", encoding="utf-8") as source:
            source.write(f"{line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout
    broken = done.stdout.partition("Broken contracts")[2]
    titles = "|".join(sorted({contract for *_, contract in WRONG} | {*REPORTED}))
    parts = re.split(f"^({titles})", broken, flags=re.MULTILINE)[1:]
    broken_by = dict(zip(parts[::2], parts[1::2], strict=True))
    for line, file, contract in WRONG:
        module = file.removesuffix(".py").replace("/", ".")
        assert f"{module} -> " in broken_by.get(contract, ""), f"{file}: {line}: {broken}"
    for contract, part in REPORTED.items():
        assert part in broken_by.get(contract, ""), f"{contract}: {part}: {broken}"


def copy_of_the_packages(folder: Path) -> None:
    """Copy the source files; data and caches are of no interest here."""
    packages = ("patclaimeval", "core", "annotator", "scoring", "config")
    for source in [
        ROOT / "pyproject.toml",
        *(path for package in packages for path in (ROOT / package).rglob("*.py")),
    ]:
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
