"""Row locks leave keys alone, so that no lock waits for one who waits for the audit chain."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_row_lock_leaves_keys_alone():
    """A check of a foreign key at commit waits for FOR UPDATE, and not for FOR NO KEY UPDATE.

    The place in the audit chain is taken at commit too: of two who wait for each other there,
    PostgreSQL ends one with an error (docs/adr/0017).
    """
    locks = [
        (path, node)
        for scenario in ("annotator", "scoring")
        for path in sorted((ROOT / scenario).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "select_for_update"
    ]
    strong = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path, node in locks
        if "no_key" not in {keyword.arg for keyword in node.keywords}
    ]
    assert locks and not strong, f"say no_key=True at {strong}"
