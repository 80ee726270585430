"""The published figures fit each other."""

from annotator.rubric import ALL_CRITERIA
from scoring.datasets.cards import published_dataset


def test_every_criterion_has_a_label_for_every_item() -> None:
    found = published_dataset()
    assert list(found["labels"]) == list(ALL_CRITERIA)
    for counts in found["labels"].values():
        assert list(counts) == ["1", "0", "-1"]
        assert sum(counts.values()) == found["sizes"]["items"] == 1228


def test_the_splits_add_up_and_lengths_are_in_order() -> None:
    found = published_dataset()
    assert found["sizes"]["train"] + found["sizes"]["test"] == found["sizes"]["items"]
    lengths = found["tokens"]
    assert lengths["min"] < lengths["median"] < lengths["mean"] < lengths["max"]


def test_what_is_given_is_a_copy() -> None:
    published_dataset()["tokens"]["min"] = 0
    assert published_dataset()["tokens"]["min"] == 156
