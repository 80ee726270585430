from typing import Any

import pytest

from scoring.datasets.cards import FIELDS, readme
from scoring.formats.patent_ce_jsonl import KEYS

yaml: Any = pytest.importorskip("yaml")


def test_every_field_of_our_layout_has_its_type() -> None:
    assert tuple(FIELDS) == KEYS


def test_the_head_is_yaml_and_the_card_follows() -> None:
    content = readme(b"# cups, version 1\n", {"train": "cups-1-train.jsonl", "test": "x.jsonl"})
    empty, head, card = content.decode().split("---\n")
    assert (empty, card) == ("", "\n# cups, version 1\n")
    found = yaml.safe_load(head)
    assert found["configs"][0]["data_files"] == [
        {"split": "train", "path": "cups-1-train.jsonl"},
        {"split": "test", "path": "x.jsonl"},
    ]
    features = {entry.pop("name"): entry for entry in found["dataset_info"]["features"]}
    assert features["A"] == {"dtype": "string"}
    assert features["flags"] == {"list": "string"}
    assert features["y"]["struct"][0] == {"name": "feature_completeness", "dtype": "int64"}
