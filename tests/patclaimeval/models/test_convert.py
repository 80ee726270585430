from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LongformerModel, PreTrainedTokenizerFast

from patclaimeval.models.convert import convert
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.models.scorer import load_scorer
from tests.claims_in_languages import CHINESE

WIDTH = 32
PAIR = ("1. A cup with a lid.", "1. A cup with a handle.")
Tensors = dict[str, torch.Tensor]


def published(tiny: Path, directory: Path, change: Callable[[Tensors], Tensors]) -> Path:
    """Write a Longformer with a linear head as its authors may have saved it."""
    directory.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (directory / name).write_bytes((tiny / name).read_bytes())
    body = {f"longformer.{k}": v for k, v in load_file(tiny / "model.safetensors").items()}
    torch.manual_seed(3)
    head = {"regressor.weight": torch.randn(1, WIDTH), "regressor.bias": torch.randn(1)}
    save_file(change({**body, **head}), directory / "model.safetensors")
    return directory


def renamed(tensors: Tensors) -> Tensors:
    """The same under the names of another class, and without the pooler."""
    return {
        name.replace("longformer.", "model.encoder.").replace("regressor.", "score."): value
        for name, value in tensors.items()
        if "pooler" not in name
    }


@pytest.mark.parametrize("change", [dict, renamed], ids=["as saved", "other names, no pooler"])
def test_a_converted_model_scores_as_plain_transformers_do(
    tiny_longformer, tmp_path, change
) -> None:
    source = published(tiny_longformer, tmp_path / "published", change)
    convert(source, tmp_path / "native")

    tensors = load_file(published(tiny_longformer, tmp_path / "again", dict) / "model.safetensors")
    model = LongformerModel.from_pretrained(tiny_longformer).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tiny_longformer)
    inputs = tokenizer(*PAIR, return_tensors="pt")
    seen = torch.zeros_like(inputs["input_ids"])
    seen[:, 0] = 1
    with torch.inference_mode():
        first = model(**inputs, global_attention_mask=seen).last_hidden_state[0, 0]
        logit = first @ tensors["regressor.weight"][0] + tensors["regressor.bias"][0]
    scorer = load_scorer(tmp_path / "native")
    assert scorer.score([PAIR])[0] == pytest.approx(torch.sigmoid(logit).item(), abs=1e-5)
    assert scorer.tie_threshold == 1e-4
    assert scorer.unread([PAIR, (CHINESE[0].text, CHINESE[1].text)]) == [
        "",
        "The model was fine-tuned on no claims in Chinese.",
    ]


def without(part: str) -> Callable[[Tensors], Tensors]:
    return lambda tensors: {name: held for name, held in tensors.items() if part not in name}


def added(name: str, *shape: int) -> Callable[[Tensors], Tensors]:
    return lambda tensors: {**tensors, name: torch.zeros(shape)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without("regressor"), "has 0 layers from 32 numbers to one"),
        (added("dense.weight", 32, 32), "more than an encoder and a linear layer: dense.weight"),
        (added("fc.weight", 1, 32), "has 2 layers from 32 numbers to one"),
        (
            added("longformer.embeddings.LayerNorm.weight", 31),
            "has longformer.embeddings.LayerNorm.weight as [31], not [32]",
        ),
        (
            without("layer.1.output.dense.bias"),
            "lacks longformer.encoder.layer.1.output.dense.bias",
        ),
        (lambda tensors: {"regressor.weight": tensors["regressor.weight"]}, "holds 0 encoders"),
    ],
)
def test_weights_that_do_not_fit_are_refused_by_name(
    tiny_longformer, tmp_path, change, words
) -> None:
    source = published(tiny_longformer, tmp_path / "published", change)
    with pytest.raises(PatClaimEvalError) as refusal:
        convert(source, tmp_path / "native")
    assert words in str(refusal.value)
    assert not (tmp_path / "native").exists()


def test_pickled_weights_other_models_and_broken_files_are_refused(
    tiny_longformer, tiny_bert, tmp_path
) -> None:
    source = published(tiny_longformer, tmp_path / "published", dict)
    (source / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(PatClaimEvalError, match="can run code"):
        convert(source, tmp_path / "native")
    (source / "pytorch_model.bin").unlink()
    (source / "model.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(PatClaimEvalError, match="cannot be read"):
        convert(source, tmp_path / "native")
    (source / "config.json").write_bytes((tiny_bert / "config.json").read_bytes())
    with pytest.raises(PatClaimEvalError, match="of a 'bert'"):
        convert(source, tmp_path / "native")
