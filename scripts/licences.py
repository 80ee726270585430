"""Writes docs/licences.md: the packages of requirements.txt with their licences.

    pip-licenses --python=.venv/bin/python --from=mixed --format=json | scripts/licences.py

Reads what pip-licenses lists of everything installed; packages of development are left out.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "requirements.txt"
HEAD = """# Licences of the packages

What the application runs on, as `make licences` wrote it from what each package says of itself.
[Supply chain](supply-chain.md) says what follows from it.

| package | version | licence |
| --- | --- | --- |
"""


def plain(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> None:
    """Read the list from standard input and write the table."""
    pins = set(re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", PINS.read_text(), re.MULTILINE))
    licences = {plain(row["Name"]): row["License"] for row in json.load(sys.stdin)}
    rows = sorted((plain(name), version) for name, version in pins)
    missing = [name for name, _ in rows if name not in licences]
    if missing:
        sys.exit(f"not installed here: {', '.join(missing)}")
    table = "".join(f"| {name} | {version} | {licences[name]} |\n" for name, version in rows)
    (ROOT / "docs" / "licences.md").write_text(HEAD + table)


if __name__ == "__main__":
    main()
