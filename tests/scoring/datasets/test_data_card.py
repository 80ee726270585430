import json
import random
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from scoring.datasets.cards import card_json, data_card, published_dataset, rubric_json
from tests.scoring.datasets.card_builders import CARD, NAMED, OLD_CARD

GOLDEN = Path(__file__).with_name("golden")


def shuffled(value: Any, seed: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        seed.shuffle(keys)
        return {key: shuffled(value[key], seed) for key in keys}
    return [shuffled(entry, seed) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(20))
def test_the_bytes_are_fixed_whatever_the_order_of_keys(seed) -> None:
    golden = (GOLDEN / "cups_1-2.card.json").read_bytes()
    card = shuffled(CARD, random.Random(seed)) if seed else CARD
    assert card_json(data_card(card, **NAMED)) == golden


def test_everything_on_the_card_leaves_with_it() -> None:
    document = json.loads(card_json(data_card(CARD, **NAMED)))
    named = {"dataset": "cups_1", "version": 2, "licence": "CC *BY* 4.0"}
    assert {key: document[key] for key in CARD | named} == CARD | named
    assert "confidential" in document["confidentiality"]


def test_the_licence_of_the_card_holds_until_an_admin_names_another() -> None:
    assert data_card(CARD, **NAMED | {"licence": ""})["licence"] == "Not for release."


def test_labels_stand_beside_the_published_ones() -> None:
    published = data_card(CARD, **NAMED)["published"]
    assert list(published["labels"]) == list(ALL_CRITERIA)
    counts = published["labels"]["overall_quality"]
    assert list(counts.items()) == [("1", 422), ("0", 382), ("-1", 424)]
    assert "ACL 2025" in published["source"]


def test_the_rubric_leaves_with_ratings_made_by_it_and_not_with_imported_labels() -> None:
    rubric = data_card(CARD, **NAMED)["rubric"]
    assert rubric == json.loads(json.dumps(rubric_json()))
    assert [entry["key"] for entry in rubric["criteria"]] == list(CRITERIA)
    assert [entry["weight"] for entry in rubric["criteria"]] == [4, 2, 2, 3]
    older = data_card(CARD | {"rubric_version": "0"}, **NAMED)
    imported = data_card(OLD_CARD, **NAMED)
    assert "rubric" not in older and "rubric" not in imported
    assert "confidentiality" not in imported


def test_the_published_figures_fit_each_other_and_are_a_copy() -> None:
    found = published_dataset()
    sizes, lengths = found["sizes"], found["tokens"]
    assert sizes["train"] + sizes["test"] == sizes["items"] == 1228
    for counts in found["labels"].values():
        assert list(counts) == ["1", "0", "-1"] and sum(counts.values()) == 1228
    assert lengths["min"] < lengths["median"] < lengths["mean"] < lengths["max"]
    lengths["min"] = 0
    assert published_dataset()["tokens"]["min"] == 156
