"""What a report says in words follows from its document alone."""

import pytest

from patclaimeval.metrics.languages import TWO_LANGUAGES
from scoring.reports.page_parts import caution, cautions, labels_added, verdict
from tests.scoring.report_documents import pair, report_document


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
        "Ours: training changed tau-b by +0.020 (95 % interval -0.080 to +0.120) over "
        "PatClaimEval-0, which was trained on no labels. This could be chance."
    ]
    found |= {"low": None, "high": None}
    assert "training changed tau-b by +0.020 over" in verdict(document)[2]
    found["difference"] = -0.0001
    assert "training changed tau-b by +0.000 over" in verdict(document)[2]
    found["difference"] = None
    assert list(labels_added(document)) == []


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("references", 4, "Only 4 references"),
        ("shared_texts", {"texts": 3, "splits": ["train"]}, "3 texts stand in more than one split"),
        ("implied", {"share": 0.97, "reason": ""}, "97 % of these labels follow"),
        (
            "languages",
            {"items": {"en": 40, "": 10, "zh": 12}},
            "several languages: 40 in English, 12 in Chinese, "
            "10 in a language that its words do not tell.",
        ),
        ("languages", {"items": {"": 10}}, "The words of 10 items do not tell their language"),
        ("languages", {"two_scripts": 3}, "In 3 items a candidate is written in another language"),
        ("languages", {"otherwise": 2}, "The record of 2 items names another language"),
        ("duplicates", {"items": 5, "contradicting": 2}, "2 comparisons contradict"),
    ],
)
def test_what_misleads_is_told(part, change, said) -> None:
    document = report_document()
    document["checks"][part] = change
    assert any(said in sentence for sentence in cautions(document))


def test_who_could_not_read_which_items_is_told() -> None:
    document = report_document()
    reasons = {"rouge-l does not read Thai.": 4, TWO_LANGUAGES: 2, "No score.": 7}
    document["dropped"]["scorers"] = {"rouge-l": {"missing": 13, "infinite": 0, "reasons": reasons}}
    label = document["scorers"]["rouge-l"]["label"]
    said = f"{label} could not read 6 items for their language: see the dropped items."
    assert said in cautions(document)
    reasons.clear()
    assert said not in cautions(document)


@pytest.mark.parametrize("items", [{"en": 3, "": 2}, {"zh": 5}, {}])
def test_one_language_is_no_mixture(items) -> None:
    document = report_document()
    document["checks"]["languages"] = {"items": items}
    assert not any("several languages" in sentence for sentence in cautions(document))


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
