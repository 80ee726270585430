"""README.md of a release: the data card below a head that Hugging Face `datasets` reads.

The head says which file is which split and what type each field has. Without it the library takes
the types from the first ten megabytes of the first file, and fails where a later row has a ruling
or a flag and none before it had one.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotator.rubric import ALL_CRITERIA

README: Final = "README.md"
_TEXTS: Final = ("annotator", "office", "ipc", "language", "family")
# Every field of patent-ce-jsonl in its order; a list or a group of fields is written as such.
FIELDS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("id", "reference_id", "A", "B", "C", "b_id", "c_id"), "string"),
    "y": dict.fromkeys(ALL_CRITERIA, "int64"),
    "split": "string",
    "provenance": {
        "policy": "string",
        "rubric_version": "string",
        "annotators": "int64",
        "ratings": ["string"],
        "adjudications": ["string"],
    },
    "y_soft": dict.fromkeys(ALL_CRITERIA, "float64"),
    **dict.fromkeys(_TEXTS, "string"),
    "flags": ["string"],
}


def readme(card: bytes, files: Mapping[str, str]) -> bytes:
    """Write the README of a release.

    Input: the card in Markdown; file names by split. Output: YAML between two lines of dashes,
    then the card.
    """
    lines = ["---", "configs:", "- config_name: default", "  data_files:"]
    for split, name in files.items():
        lines += [f"  - split: {split}", f"    path: {name}"]
    lines += ["dataset_info:", "  features:", *_features(FIELDS, "  "), "---", "", ""]
    return "\n".join(lines).encode() + card


def _features(fields: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, kind in fields.items():
        # Quoted: YAML would read a plain y as "yes".
        yield f'{indent}- name: "{name}"'
        if isinstance(kind, Mapping):
            yield f"{indent}  struct:"
            yield from _features(kind, f"{indent}  ")
        elif isinstance(kind, list):
            yield f"{indent}  list: {kind[0]}"
        else:
            yield f"{indent}  dtype: {kind}"
