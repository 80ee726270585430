import subprocess
import sys

import pytest

from patclaimeval.models.config import LONGFORMER, RECIPES, SettingsError, TrainingSettings


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("learning_rate", value) for value in (0.0, -1e-3, float("nan"))),
        *(("epochs", value) for value in (0, True, 1.5)),
        *(("precision", value) for value in ("fp16", "bf16")),
        *(("margin", value) for value in (0.0, "0.2")),
        *(("tolerance", value) for value in (-0.1, 0.3)),
        *(("batch_size", 0), ("method", "boost"), ("preset", "fast"), ("batching", "random")),
        *(("global_tokens", "all"), ("pooling", "max"), ("device", "tpu"), ("encoder", " ")),
        *(("weight_decay", float("inf")), ("seed", -1), ("max_tokens", 4), ("criterion", "")),
    ],
)
def test_nonsense_is_refused_by_field(field, value) -> None:
    given = {"criterion": "overall_quality", field: value}
    with pytest.raises(SettingsError) as refusal:
        TrainingSettings(**given)
    assert refusal.value.field == field
    assert refusal.value.message


def test_paper_preset_fills_what_the_paper_publishes() -> None:
    settings = TrainingSettings("overall_quality", **RECIPES["paper"].settings).resolved()
    assert (settings.global_tokens, settings.pooling, settings.batching) == ("cls", "cls", "paper")
    assert settings.max_tokens == 4096
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
    program = "".join(f"import patclaimeval.models.{name};" for name in names)
    program += "import sys; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_recipe_is_named_and_gives_settings_that_hold(name) -> None:
    recipe = RECIPES[name]
    assert recipe.name and recipe.words.endswith(".")
    settings = TrainingSettings("overall_quality", **recipe.settings).resolved()
    assert settings.method == {"default": "probe", "paper": "finetune"}.get(name, name)
    assert settings.epochs is not None and settings.weight_decay is not None
    assert (settings.learning_rate is None) == (name == "default")
