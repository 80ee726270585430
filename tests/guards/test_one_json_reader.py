"""Foreign JSON is read by one strict reader: `patclaimeval.text_io.strict_json`."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READER = ROOT / "patclaimeval" / "text_io" / "strict_json.py"
# What this program has written itself is read the quick way; each names where it lay meanwhile.
OURS = {
    "annotator/operations/backups/tables.py": "a table in a backup, its digest checked",
    "annotator/exports/rows.py": "a text of the database, written from strict JSON",
    "patclaimeval/agreement/item_table.py": "a column that the program itself packs",
    "patclaimeval/models/pair_scores.py": "a cache that the program itself writes",
    "patclaimeval/models/prior.py": "a file of the program itself",
    "patclaimeval/models/training_state.py": "a state of a training, its digest checked",
    "scoring/formats/rows.py": "a dataset's file, its digest checked",
    "scoring/datasets/versions/queries.py": "a dataset's file, its digest checked",
}
READERS = {"json", "simplejson", "orjson"}
LENIENT = {"load", "loads", "JSONDecoder", "JSONParser"}


def lenient_reads(source: str) -> list[int]:
    """Return the lines on which a module uses a reader that takes what the strict one refuses."""
    tree = ast.parse(source)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in LENIENT:
            if isinstance(node.value, ast.Name) and node.value.id in READERS:
                found.append(node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.module in {"json", "rest_framework.parsers"}:
            found += [node.lineno for name in node.names if name.name in LENIENT]
    return found


@pytest.mark.parametrize("scenario", ["patclaimeval", "core", "annotator", "scoring"])
def test_no_other_reader_of_json_is_used(scenario) -> None:
    files = [path for path in (ROOT / scenario).rglob("*.py") if path != READER]
    assert len(files) > 20
    found = {
        str(path.relative_to(ROOT)): lines
        for path in files
        if (lines := lenient_reads(path.read_text(encoding="utf-8")))
    }
    assert set(found) == {path for path in OURS if path.startswith(f"{scenario}/")}


def test_the_strict_reader_itself_is_the_one_place() -> None:
    assert lenient_reads(READER.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        *("json.loads(x)", "json.load(f)", "from json import loads", "map(json.loads, lines)"),
        "from rest_framework.parsers import JSONParser",
    ],
)
def test_a_lenient_reader_is_found(line) -> None:
    assert lenient_reads(f"import json\n{line}\n") == [2]


def test_writing_and_other_loaders_are_no_finding() -> None:
    assert lenient_reads("json.dumps(x)\ntomllib.loads(t)\nfrom json import dumps\n") == []
