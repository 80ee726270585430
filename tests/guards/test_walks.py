"""The walks of ARCHITECTURE.md name what is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STEP = re.compile(r"`([\w/]+\.py):(\w+)`")


def defined(path: Path) -> set[str]:
    """Return the functions and classes at the top of a module."""
    found = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name for node in found if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_every_step_of_a_walk_is_defined_where_it_says() -> None:
    steps = STEP.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert len(steps) > 20
    gone = [
        f"{file}:{name}"
        for file, name in steps
        if not (ROOT / file).is_file() or name not in defined(ROOT / file)
    ]
    assert not gone, f"ARCHITECTURE.md names {', '.join(gone)}, which is not there any more."
