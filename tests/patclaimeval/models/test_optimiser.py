from pathlib import Path
from typing import Any

import pytest
import torch

from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.encoder import load_encoder
from patclaimeval.models.finetune import HEAD_LEARNING_RATE, make_optimiser
from patclaimeval.models.network import LinearHead, PairScorer


@pytest.fixture
def network(tiny_bert: Path) -> PairScorer:
    return PairScorer(load_encoder(str(tiny_bert), max_tokens=200), LinearHead(32), "mean")


def groups(network: PairScorer, **more: Any) -> dict[str, dict[str, Any]]:
    """Return each parameter's group, by the parameter's name."""
    settings = TrainingSettings("overall_quality", device="cpu", **more).resolved()
    optimiser = make_optimiser(network, settings)
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    found = {names[id(p)]: group for group in optimiser.param_groups for p in group["params"]}
    assert sum(len(group["params"]) for group in optimiser.param_groups) == len(found)
    assert set(found) == set(names.values())
    return found


def test_biases_and_normalisation_weights_do_not_decay(network) -> None:
    found = groups(network, method="finetune", weight_decay=0.3)
    plain = {name for name, group in found.items() if group["weight_decay"] == 0}
    assert plain == {name for name in found if name.endswith("bias") or "LayerNorm" in name}
    assert {found[name]["weight_decay"] for name in set(found) - plain} == {0.3}
    assert {"head.bias", "encoder.model.embeddings.LayerNorm.weight"} <= plain
    assert "head.weight" not in plain


def test_the_papers_preset_gives_everything_one_decay_and_one_rate(network) -> None:
    found = groups(network, preset="paper")
    assert {group["weight_decay"] for group in found.values()} == {0.01}
    assert {group["lr"] for group in found.values()} == {5e-6}


@pytest.mark.parametrize(
    ("method", "rate"), [("finetune", HEAD_LEARNING_RATE), ("probe-then-finetune", 2e-5)]
)
def test_a_head_that_starts_at_random_learns_faster(network, method, rate) -> None:
    found = groups(network, method=method)
    assert found["head.weight"]["lr"] == found["head.bias"]["lr"] == rate
    assert found["encoder.model.embeddings.word_embeddings.weight"]["lr"] == 2e-5


def test_a_parameter_shared_by_two_modules_is_optimised_once(network) -> None:
    network.encoder.model.again = torch.nn.Linear(32, 32)
    network.encoder.model.again.weight = network.encoder.model.pooler.dense.weight
    groups(network, method="finetune")
