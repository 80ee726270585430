"""Networks load whole, finite and without anybody's code, and are fed in batches."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from patclaimeval.metrics.base import MetricUnavailable
from patclaimeval.metrics.neural import Weights, batches
from tests.patclaimeval.metrics.conftest import own_copy


@pytest.fixture
def directory(bert_directory: Path, tmp_path: Path) -> Path:
    return own_copy(bert_directory, tmp_path / "simcse")


def refusal(directory: Path, spare: tuple[str, ...] = ()) -> str:
    with pytest.raises(MetricUnavailable) as refused:
        Weights("simcse", directory).model("AutoModel", spare)
    assert str(directory) not in str(refused.value)
    return str(refused.value)


def change(directory: Path, name: str, tensor: torch.Tensor | None) -> None:
    tensors = load_file(directory / "model.safetensors")
    del tensors[name]
    if tensor is not None:
        tensors[name] = tensor
    save_file(tensors, directory / "model.safetensors", metadata={"format": "pt"})


def test_a_network_is_in_evaluation_mode_and_32_bits(directory) -> None:
    tensors = load_file(directory / "model.safetensors")
    half = {name: tensor.half() for name, tensor in tensors.items()}
    save_file(half, directory / "model.safetensors", metadata={"format": "pt"})
    model = Weights("simcse", directory).model("AutoModel")
    assert not model.training
    assert model.dtype == torch.float32


def test_weights_that_are_not_there_are_never_drawn_at_random(directory) -> None:
    change(directory, "pooler.dense.weight", None)
    assert "lacks 1 tensors" in refusal(directory)
    assert Weights("simcse", directory).model("AutoModel", ("pooler.",))


def test_numbers_that_are_not_finite_are_refused(directory) -> None:
    change(directory, "pooler.dense.bias", torch.full((32,), torch.nan))
    assert "not finite" in refusal(directory)


def test_weights_of_another_shape_are_refused(directory) -> None:
    change(directory, "pooler.dense.bias", torch.zeros(31))
    assert "do not make a model" in refusal(directory)


def test_code_that_comes_with_a_model_is_never_run(directory, tmp_path) -> None:
    config = json.loads((directory / "config.json").read_text())
    config |= {"model_type": "homemade", "auto_map": {"AutoConfig": "own.C", "AutoModel": "own.M"}}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert "do not make a model" in refusal(directory)
    assert not (tmp_path / "ran").exists()


def test_a_broken_tokenizer_is_refused_with_a_sentence(directory) -> None:
    (directory / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(MetricUnavailable, match=r"tokenizer\.json cannot be read"):
        Weights("simcse", directory).tokenizer(48)


def test_positions_of_kin_of_roberta_begin_behind_the_padding(
    align_directory, bert_directory, t5_directory, tmp_path
) -> None:
    other = own_copy(align_directory, tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"pad_token_id": 1}))
    assert Weights("alignscore", other).limit(512) == 39
    assert Weights("alignscore", align_directory).limit(512) == 40
    assert Weights("simcse", bert_directory).limit(512) == 48
    assert Weights("unieval", t5_directory).limit(1024) == 1024


def test_batches_hold_each_text_once_within_the_budget() -> None:
    lengths = [3, 9, 1, 4, 4, 12, 2]
    groups = list(batches(lengths, 10))
    assert sorted(index for group in groups for index in group) == list(range(7))
    assert groups[0] == [5]
    assert all(len(g) == 1 or max(lengths[i] for i in g) * len(g) <= 10 for g in groups)
    assert list(batches([], 10)) == []
