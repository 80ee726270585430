"""Writes docs/licences.md: the packages of requirements.txt with their licences.

    pip-licenses --python=.venv/bin/python --from=mixed --format=json | scripts/licences.py

Reads what pip-licenses lists of everything installed; packages of development are left out.
"""

import json
import re
import sys
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# Licences of the packages

What the application runs on, as `make licences` wrote it from what each package says of itself.
[Supply chain](supply-chain.md) says what follows from it.

| package | version | licence |
| --- | --- | --- |
"""


def plain(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(text: str) -> set[tuple[str, str]]:
    """Return the names and versions that requirements.txt installs here, and those of torch."""
    found = {("torch", version) for version in re.findall(r"torch==([0-9.]+)", text)}
    for line in re.findall(r"^([a-z].*?) \\$", text, re.MULTILINE):
        requirement = Requirement(line)
        if not requirement.marker or requirement.marker.evaluate():
            found.add((plain(requirement.name), str(requirement.specifier).removeprefix("==")))
    return found


def main() -> None:
    """Read the list from standard input and write the table."""
    licences = {plain(row["Name"]): row["License"] for row in json.load(sys.stdin)}
    rows = sorted(pinned((ROOT / "requirements.txt").read_text()))
    missing = [name for name, _ in rows if name not in licences]
    if missing:
        sys.exit(f"not installed here: {', '.join(missing)}")
    table = "".join(f"| {name} | {version} | {licences[name]} |\n" for name, version in rows)
    (ROOT / "docs" / "licences.md").write_text(HEAD + table)


if __name__ == "__main__":
    main()
