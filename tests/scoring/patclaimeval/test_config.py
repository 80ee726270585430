"""Tests of the training settings."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from scoring.patclaimeval.config import LONGFORMER, RECIPES, SettingsError, TrainingSettings


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("learning_rate", 0.0),
        ("learning_rate", -1e-3),
        ("learning_rate", float("nan")),
        ("weight_decay", float("inf")),
        ("epochs", 0),
        ("epochs", True),
        ("epochs", 1.5),
        ("batch_size", 0),
        ("method", "boost"),
        ("preset", "fast"),
        ("batching", "random"),
        ("global_tokens", "all"),
        ("pooling", "max"),
        ("precision", "fp16"),
        ("precision", "bf16"),
        ("margin", 0.0),
        ("margin", "0.2"),
        ("tolerance", -0.1),
        ("tolerance", 0.3),
        ("seed", -1),
        ("device", "tpu"),
        ("encoder", " "),
        ("max_tokens", 4),
        ("criterion", ""),
    ],
)
def test_nonsense_is_refused_by_field(field: str, value: Any) -> None:
    given = {"criterion": "overall_quality", field: value}
    with pytest.raises(SettingsError) as refusal:
        TrainingSettings(**given)
    assert refusal.value.field == field
    assert refusal.value.message


def test_paper_preset_fills_what_the_paper_publishes() -> None:
    settings = TrainingSettings("overall_quality", preset="paper").resolved()
    assert (settings.method, settings.encoder) == ("finetune", LONGFORMER)
    assert (settings.epochs, settings.batch_size) == (10, 4)
    assert (settings.learning_rate, settings.weight_decay) == (5e-6, 0.01)


def test_paper_preset_keeps_a_value_that_was_given() -> None:
    settings = TrainingSettings("overall_quality", preset="paper", encoder="/models/long")
    assert settings.resolved().encoder == "/models/long"
    assert settings.resolved().method == "finetune"


def test_probe_computes_in_32_bits_and_fine_tuning_in_what_is_faster() -> None:
    found = [
        TrainingSettings("overall_quality", method=method, precision=wanted).resolved().precision
        for method in ("probe", "finetune", "probe-then-finetune")
        for wanted in (None, "auto", "fp32")
    ]
    assert found == ["fp32"] * 3 + ["auto", "auto", "fp32"] * 2
    paper = TrainingSettings("overall_quality", preset="paper", precision="bf16")
    assert paper.resolved().precision == "bf16"


def test_resolving_twice_changes_nothing() -> None:
    once = TrainingSettings("overall_quality", method="finetune").resolved()
    assert once.resolved() == once
    assert once.epochs is not None


def test_modules_for_the_web_load_no_torch() -> None:
    names = ("config", "data", "errors")
    program = "".join(f"import scoring.patclaimeval.{name};" for name in names)
    program += "import sys; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_recipe_is_named_and_gives_settings_that_hold(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name and recipe.words.endswith(".")
    settings = TrainingSettings("overall_quality", **recipe.settings).resolved()
    assert settings.method == {"default": "probe", "paper": "finetune"}.get(name, name)
    assert settings.epochs is not None and settings.weight_decay is not None
    assert (settings.learning_rate is None) == (name == "default")


def test_the_papers_recipe_is_all_that_the_paper_prints() -> None:
    settings = TrainingSettings("overall_quality", **RECIPES["paper"].settings).resolved()
    assert (settings.global_tokens, settings.pooling, settings.batching) == ("cls", "cls", "paper")
    assert settings.max_tokens == 4096
