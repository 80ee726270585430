from scoring.management.base import report_text
from tests.scoring.report_documents import report_document


def test_the_table_is_followed_by_verdicts_and_the_signature() -> None:
    lines = report_text(report_document()).splitlines()
    assert lines[0].startswith("scorer")
    heads = [line.split()[0] for line in lines[1:6]]
    assert heads == ["bleu-1", "rouge-l", "bertscore", "majority", "length"]
    assert "rouge-l is better than every other scorer." in lines
    assert "  bleu-1 is worse than rouge-l." in lines
    assert lines[-1].startswith("signature: ")


def test_an_absent_scorer_and_dropped_items_have_their_reasons() -> None:
    text = report_text(report_document())
    assert "bertscore: Put the weights of bertscore" in text
    assert "2 items left out for every scorer: q7" in text
    assert "rouge-l, 2: No words." in text


def test_a_ceiling_has_its_figure_or_is_called_unknown() -> None:
    assert "human ceiling, tau-b: " in report_text(report_document())
    unknown = {"value": None, "low": None, "high": None, "reason": "Ceiling unknown: no ratings."}
    assert "Ceiling unknown: no ratings." in report_text(report_document(human_ceiling=unknown))
