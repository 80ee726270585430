import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from patclaimeval.models.config import LONGFORMER
from scoring.training.runs.choices import (
    EMBEDDED,
    LONGFORMER_BASE,
    encoder_choices,
    resolved_options,
    shape_of,
    training_options,
    with_listed_encoder,
)


@pytest.fixture
def encoders(data_directory: Path, tiny_encoder: Path) -> Path:
    """The data directory's encoders, with a whole one called tiny."""
    found = data_directory / "encoders"
    found.mkdir(parents=True)
    shutil.copytree(tiny_encoder, found / "tiny")
    return found


def names() -> list[str]:
    return [name for name, _ in encoder_choices()]


def change(encoders: Path, **changes: Any) -> None:
    file = encoders / "tiny" / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def refused_fields(act: Callable[[], object], match: str = "") -> list[str]:
    with pytest.raises(Refused, match=match) as refusal:
        act()
    return list(refusal.value.fields)


def test_whole_directories_are_listed_beside_the_embedded_one(encoders) -> None:
    (encoders / "empty").mkdir()
    (encoders / "stray.safetensors").write_bytes(b"")
    shutil.copytree(encoders / "tiny", encoders / "no-weights")
    (encoders / "no-weights" / "model.safetensors").rename(encoders / "no-weights" / "model.bin")
    shutil.copytree(encoders / "tiny", encoders / ".hidden")
    assert names() == ["default", "tiny"]
    assert dict(encoder_choices())["tiny"] == "tiny, 0.0 million parameters"


def test_without_a_directory_there_is_the_embedded_one(data_directory) -> None:
    assert names() == ["default"]


@pytest.mark.parametrize(
    "changes",
    [
        *({"hidden_size": 10**9}, {"num_hidden_layers": 10**6}, {"vocab_size": "many"}),
        *({"max_position_embeddings": -1}, {"intermediate_size": None}),
        {"padding": "x" * (1 << 20)},
    ],
)
def test_a_configuration_out_of_all_measure_is_not_listed(encoders, changes) -> None:
    change(encoders, **changes)
    assert names() == ["default"]
    with pytest.raises(Refused):
        with_listed_encoder({"encoder": "tiny"})


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_configuration_that_is_no_json_object_is_not_listed(encoders, content) -> None:
    (encoders / "tiny" / "config.json").write_text(content)
    assert names() == ["default"]


@pytest.mark.parametrize(
    "name",
    [
        *("..", "../..", "a/../../b", "%2e%2e%2ftiny", "%252e", "file:///etc", r"\\srv\share"),
        *("tiny\0", "./tiny", "tiny/", "/etc", "", "unknown", LONGFORMER, 7, None, ["tiny"]),
    ],
)
def test_a_name_that_is_not_listed_is_refused_by_field(encoders, name) -> None:
    for wanted in (name, str(encoders / "tiny")):
        assert refused_fields(partial(with_listed_encoder, {"encoder": wanted})) == ["encoder"]


def test_a_listed_name_becomes_its_directory(encoders) -> None:
    assert with_listed_encoder({"encoder": "tiny"}) == {"encoder": str(encoders / "tiny")}
    assert with_listed_encoder({"seed": 3}) == {"seed": 3}


def test_the_paper_needs_an_encoder_of_its_own(encoders) -> None:
    wish = {"recipe": "paper", "encoder": "default"}
    assert refused_fields(partial(training_options, wish), "needs a Longformer") == ["encoder"]
    found = training_options({"recipe": "paper", "encoder": "tiny", "epochs": None, "margin": 0.3})
    assert found == {"preset": "paper", "encoder": str(encoders / "tiny"), "margin": 0.3}
    resolved = resolved_options("overall_quality", found)
    assert (resolved["epochs"], resolved["method"], resolved["margin"]) == (10, "finetune", 0.3)


def test_a_value_that_is_given_wins_over_the_recipe(data_directory) -> None:
    wish = {"recipe": "probe-then-finetune", "epochs": 3, "batching": "", "device": None}
    assert training_options(wish) == {"method": "probe-then-finetune", "epochs": 3}
    assert training_options({"recipe": ""}) == {"method": "probe"}
    wrong = partial(resolved_options, "overall_quality", {"tolerance": 0.9})
    assert refused_fields(wrong) == ["tolerance"]


def test_sizes_are_those_of_the_configuration(encoders) -> None:
    assert (shape_of("default"), shape_of(LONGFORMER)) == (EMBEDDED, LONGFORMER_BASE)
    shape = shape_of(str(encoders / "tiny"))
    assert shape is not None
    assert (shape.layers, shape.width, shape.inner, shape.window) == (1, 16, 32, 0)
    change(encoders, attention_window=[8, 4])
    windowed = shape_of(str(encoders / "tiny"))
    assert windowed is not None and windowed.window == 8
    assert shape_of(str(encoders / "nothing")) is None
