"""The parts of a model's card: in a fixed order whatever the database did to its keys."""

import pytest

from scoring.training.model_versions import card as parts
from tests.scoring.training.card_builders import DATA, MODEL


def test_figures_and_splits_come_in_their_order() -> None:
    names = [figure.name for figure in parts.agreement(MODEL)]
    assert names == ["tau-b", "tau-b of labels", "accuracy", "decisive accuracy"]
    assert parts.agreement(MODEL)[3].reason == "No order."
    assert [line.name for line in parts.overlaps(MODEL)] == ["ROUGE-1", "ROUGE-2", "ROUGE-L"]
    assert [line.split for line in parts.seen(MODEL)] == ["train", "validation", "test"]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.1, 0.3, "better"),
        (-0.1, 0.3, "cannot tell"),
        (-0.3, -0.1, "worse"),
        (0.0, 0.3, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_a_verdict_follows_from_the_interval(low: float, high: float, words: str) -> None:
    assert parts.verdict({"value": 0.1, "low": low, "high": high}) == words


def test_only_references_seen_in_training_leak() -> None:
    train, validation, test = parts.seen(MODEL)
    assert (train.leaks, validation.leaks, test.leaks) == (False, False, True)
    assert (test.references, test.candidates) == ("1 of 2 (50.0 %)", "3 of 6 (50.0 %)")


def test_an_older_card_gives_what_it_has() -> None:
    older = {"validation": {"tau_b": 0.3, "n": 4}}
    assert [(f.name, f.value, f.low) for f in parts.agreement(older)] == [("tau-b", 0.3, None)]
    for part in (parts.overlaps, parts.seen, parts.model_facts, parts.settings_facts):
        assert list(part({})) == []
    assert parts.without_reference(older) is None


def test_facts_name_no_directory_and_show_what_was_chosen() -> None:
    facts = dict(parts.model_facts(MODEL))
    assert facts["Encoder"] == "small <b>, bert, 6 layers, 22.7 million parameters"
    assert facts["Chosen by folds or recommended"] == "weight decay 12, distance scale 0.1"
    told = {"chosen_by": "folds", "weight_decay": 3.0}
    assert list(parts.model_facts({"chosen": told})) == [
        *(("Chosen by", "folds"), ("Chosen", "weight decay 3")),
    ]
    assert facts["tau-b over these folds"].startswith("0.456")
    assert dict(parts.data_facts(DATA))["Licence of the data"].startswith("CC BY-NC 4.0")
    assert "allow_download" not in dict(parts.settings_facts(MODEL))
