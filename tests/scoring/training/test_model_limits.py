from typing import Any

import pytest

from scoring.training.model_versions.card import CONFIDENTIAL, model_limits
from tests.scoring.training.card_builders import DATA, MODEL, PROBE


def limits(data: dict[str, Any] = DATA, **changes: Any) -> str:
    return "\n".join(model_limits(MODEL | changes, data))


def test_each_limit_has_its_figure() -> None:
    words = limits()
    assert "more than 4,096 tokens is refused" in words
    assert "end at 512 tokens; beyond, they are repeated" in words
    assert "learnt from 12 references only" in words
    assert "Training saw references of test (split by item)" in words
    assert "24 items of 8 references" in words
    assert "less than ROUGE-L." in words
    assert "calls 10 % of its validation items a tie, people call 25 %" in words
    assert words.endswith(CONFIDENTIAL)


@pytest.mark.parametrize(
    ("encoder", "words"), [("default", "has read English"), ("small", "language of its encoder")]
)
def test_the_language_is_that_of_the_encoder(encoder, words) -> None:
    assert words in limits(settings={"method": "finetune", "encoder": encoder})


def test_a_probe_reads_english_only_and_has_no_limit_of_tokens() -> None:
    words = "\n".join(model_limits(PROBE, DATA))
    assert "Antecedents, noun phrases and vague words are read in English only" in words
    for part in ("encoder", "tokens", "repeated"):
        assert part not in words


def test_what_does_not_limit_is_left_out() -> None:
    seen = {"of": 50, "seen": 50}
    words = limits(
        encoder=MODEL["encoder"] | {"own_positions": 4096},
        seen_in_training={"train": {"items": 9, "references": seen, "candidates": seen}},
        validation=MODEL["validation"] | {"references": 12, "overlaps": {}},
    )
    for part in ("repeated", "references only", "Training saw", "mean little", "less than"):
        assert part not in words


def test_an_unmeasured_or_undefined_model_is_called_so() -> None:
    assert "Not measured" in limits(validation={"n": 0, "tau_b": None})
    assert "tau-b is undefined" in limits(validation={"n": 9, "tau_b": None, "references": 6})
    few = limits(validation={"n": 9, "tau_b": -0.6, "references": 1})
    assert "Not measurable: 9 items of 1 reference" in few
    assert model_limits({}, {})[-1] == CONFIDENTIAL
