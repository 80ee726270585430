"""What a report says in words follows from its document alone."""

import pytest

from scoring.reports.page_parts import NOT_TESTED, caution, cautions, labels_added, verdict
from tests.scoring.report_documents import UNKNOWN, old_document, pair, report_document


def test_the_verdict_names_the_best_the_power_and_the_ceiling() -> None:
    best, power, ceiling = verdict(report_document())
    assert best == "rouge-l is better than every other scorer."
    assert "0.21" in power
    assert "tau-b 0.550 (95 % interval 0.45 to 0.65), over 40 items" in ceiling


@pytest.mark.parametrize("trained", ["patclaimeval-left-out", "model:7"])
@pytest.mark.parametrize("is_first", [True, False])
def test_the_verdict_says_what_labels_add_to_the_model_that_saw_none(trained, is_first) -> None:
    first, second = (trained, "patclaimeval-0") if is_first else ("patclaimeval-0", trained)
    document = report_document()
    document["scorers"][trained] = document["scorers"]["bleu-1"] | {"label": "Ours"}
    found = pair(first, second, 0.02 if is_first else -0.02, "cannot tell")
    document["comparisons"]["families"][0]["pairs"] += [
        found,
        pair("patclaimeval-0", "bleu-1", 1, "better"),
    ]
    assert list(labels_added(document)) == [
        "Ours: labels add +0.020 [-0.080, +0.120] in tau-b to PatClaimEval-0, which has seen none."
    ]
    found |= {"low": None, "high": None}
    assert "labels add +0.020 in tau-b" in verdict(document)[2]
    found["difference"] = None
    assert list(labels_added(document)) == []


def test_an_old_report_calls_none_the_best_and_the_ceiling_unknown() -> None:
    assert verdict(old_document()) == (NOT_TESTED, UNKNOWN)


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("references", 4, "Only 4 references"),
        ("shared_texts", {"texts": 3, "splits": ["train"]}, "3 texts stand in more than one split"),
        ("implied", {"share": 0.97, "reason": ""}, "97 % of these labels follow"),
        ("duplicates", {"items": 5, "contradicting": 2}, "2 comparisons contradict"),
    ],
)
def test_what_misleads_is_told(part, change, said) -> None:
    document = report_document()
    document["checks"][part] = change
    assert any(said in sentence for sentence in cautions(document))


def test_nothing_is_told_where_nothing_misleads() -> None:
    document = report_document()
    del document["scorers"]["bertscore"]
    document["checks"] |= {
        "implied": {"share": 0.0, "reason": ""},
        "duplicates": {"items": 0, "contradicting": 0},
        "contain_reference": {"items": 0, "reference_preferred": 0, "byte_identical": 0},
    }
    assert cautions(document) == ()
    assert caution(10) == "" and caution(9)
