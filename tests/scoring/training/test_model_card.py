import pytest

from scoring.training.model_versions import card as parts
from tests.scoring.training.card_builders import DATA, MODEL, PROBE

LEAD = {"tau_b": {"value": 0.3}, "lead": {"value": 0.02, "low": -0.01, "high": 0.05}}


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
def test_a_verdict_follows_from_the_interval(low, high, words) -> None:
    assert parts.verdict({"value": 0.1, "low": low, "high": high}) == words


def test_where_leads_were_tested_the_verdict_is_that_of_the_test() -> None:
    first, _, older = parts.overlaps(MODEL)
    assert (first.name, first.verdict, first.p_holm) == ("ROUGE-1", "cannot tell", 0.0624)
    assert (older.name, older.verdict, older.p_holm) == ("ROUGE-L", "worse", None)


def test_only_references_seen_in_training_leak() -> None:
    assert [split.leaks for split in parts.seen(MODEL)] == [False, False, True]
    test = parts.seen(MODEL)[-1]
    assert (test.references, test.candidates) == ("1 of 2 (50.0 %)", "3 of 6 (50.0 %)")


def test_an_older_card_gives_what_it_has() -> None:
    older = {"validation": {"tau_b": 0.3, "n": 4}}
    assert [(f.name, f.value, f.low) for f in parts.agreement(older)] == [("tau-b", 0.3, None)]
    for part in (parts.overlaps, parts.seen, parts.model_facts, parts.settings_facts):
        assert list(part({})) == []
    assert parts.without_reference(older) is None


def test_a_model_measured_on_references_left_out_says_so_beside_its_validation() -> None:
    unseen = MODEL["validation"] | {"n": 90, "overlaps": {"patclaimeval-0": LEAD}}
    both = parts.measured(MODEL | {"chosen": {"unseen": unseen}})
    assert [(one.n, one.title[:28]) for one in both] == [
        (90, "Agreement on training items,"),
        (24, "Agreement with people on the"),
    ]
    assert [line.name for line in both[0].overlaps] == ["PatClaimEval-0"]
    alone = parts.measured(MODEL | {"validation": {"n": 0}, "chosen": {"unseen": unseen}})
    assert [one.n for one in alone] == [90]


def test_facts_name_no_directory_and_hold_what_was_chosen() -> None:
    facts = dict(parts.model_facts(MODEL))
    assert facts["Encoder"] == "small <b>, bert, 6 layers, 22.7 million parameters"
    assert facts["Chosen by"] == "the epoch by tau-b on the validation items"
    assert dict(parts.data_facts(DATA))["Licence of the data"].startswith("CC BY-NC 4.0")
    assert "allow_download" not in dict(parts.settings_facts(MODEL))


def test_a_probe_has_what_each_group_counts_and_what_it_was_worth_on_references_left_out() -> None:
    facts = dict(parts.model_facts(PROBE))
    assert "Encoder" not in facts
    assert facts["Chosen by"].startswith("a prior of weight 100 comparisons")
    assert facts["Weight of each group"] == "structure 0.500, overlap 0.125"
    name = "tau-b, each reference left out in turn"
    assert facts[name] == "0.456 [0.300, 0.600], n = 71"
    for figure, words in (
        ({"value": 0.1, "low": None, "high": None}, "0.100, n = 3"),
        ({"value": None, "low": None, "high": None}, "undefined, n = 3"),
    ):
        chosen = {"unseen": {"n": 3, "figures": {"tau_b": figure}}}
        assert list(parts.model_facts({"chosen": chosen})) == [(name, words)]
