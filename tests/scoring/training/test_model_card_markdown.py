from typing import Any

import pytest

from scoring.datasets.markdown import NOTHING
from scoring.training.model_versions.card import model_card_markdown
from tests.scoring.training.card_builders import DATA, MODEL, PROBE


def test_it_holds_data_agreement_and_limits() -> None:
    page = model_card_markdown(MODEL, DATA)
    assert page.startswith("# PatClaimEval, Overall quality\n")
    assert "| Dataset | cups@2 |" in page
    assert (
        "| tau-b, of score differences with labels; no tie threshold | 0.41 | 0.2 to 0.6 |" in page
    )
    assert "| decisive accuracy, where people prefer one candidate | undefined |" in page
    figures = "0.41 | 0.2 to 0.6"
    assert f"| ROUGE-L | {figures} | -0.2 | -0.3 to -0.1 | {NOTHING} | worse |" in page
    assert f"| ROUGE-1 | {figures} | 0.2 | 0.1 to 0.3 | 0.0624 | cannot tell |" in page
    assert "| test | 5 | 1 of 2 (50.0 %) | 3 of 6 (50.0 %) |" in page
    assert "## Limitations\n\n- It has learnt" in page
    probe = model_card_markdown(PROBE, DATA)
    assert "| tau-b, each reference left out in turn | 0.456" in probe
    assert "## Limitations\n\n- Antecedents, noun phrases and vague words are read in" in probe
    assert page == model_card_markdown(dict(reversed(MODEL.items())), DATA)


def test_what_the_model_is_worth_on_references_left_out_stands_beside_others_too() -> None:
    unseen = MODEL["validation"] | {"n": 90}
    page = model_card_markdown(MODEL | {"chosen": {"unseen": unseen}}, DATA)
    left_out, after = page.split("## Agreement with people on the validation items\n")
    assert "## Agreement on training items, each reference left out in turn\n" in left_out
    assert left_out.count("| ROUGE-L |") == after.count("| ROUGE-L |") == 1
    assert "90 items of 8 references" in left_out
    words = "On its training items, each reference left out in turn, it agrees with people less"
    assert f"{words} than ROUGE-L." in page


def test_foreign_text_is_no_markup_and_no_directory_is_named() -> None:
    page = model_card_markdown(MODEL, DATA)
    assert "/data" not in page
    assert "<b>" not in page and "small \\<b\\>" in page
    assert "\\[x\\](javascript:y)" in page


@pytest.mark.parametrize("left", list(MODEL))
def test_no_key_is_needed(left) -> None:
    card: dict[str, Any] = {key: value for key, value in MODEL.items() if key != left}
    assert model_card_markdown(card, DATA).startswith("# PatClaimEval")
    assert model_card_markdown({left: MODEL[left]}, DATA).startswith("# PatClaimEval")
