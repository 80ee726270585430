"""Tiny random networks saved as model directories, one of each kind that a metric reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertModel,
    RobertaConfig,
    RobertaModel,
    T5Config,
    T5ForConditionalGeneration,
)

from patclaimeval.metrics.base import Pair

torch.set_num_threads(1)  # more threads only wait for one another at this size

WORDS = (
    "1 2 a the cup mug of claim wherein comprising body and handle is blue it lid with for tea "
    "question is this summary relevant to reference : Yes No ? . , ( )"
)
REFERENCE = "1. A cup comprising a body and a handle. 2. The cup of claim 1, wherein it is blue."
PAIRS = [
    Pair(REFERENCE, REFERENCE),
    Pair(REFERENCE, "1. A mug comprising a body."),
    Pair(REFERENCE, "1. A cup comprising a body and a lid, wherein the lid is blue (for tea)."),
    Pair("1. A lid.", "1. A lid with a handle."),
    Pair("1. A lid.", "tea"),
]
LONG = Pair(REFERENCE, "1. A cup comprising " + "a body and a handle and a lid and " * 12 + "tea.")
SIDES = ("encoder", "decoder")
TINY = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 48}


def save_tokenizer(
    directory: Path, first: str | None, last: str, pad: str, unknown: str, lower: bool = True
) -> Tokenizer:
    """Save a word tokenizer that puts `first` and `last` around a text, and return it."""
    specials = [pad, *([first] if first else []), last, unknown]
    words = sorted({word.lower() if lower else word for word in WORDS.split()} | {"##s"})
    vocabulary = {word: number for number, word in enumerate([*specials, *words])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    if lower:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in specials])
    before = f"{first} " if first else ""
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{before}$A {last}",
        pair=f"{before}$A {last} {last} $B {last}",
        special_tokens=[(token, vocabulary[token]) for token in specials],
    )
    tokenizer.save(str(directory / "tokenizer.json"))
    return tokenizer


def spread(model: Any) -> Any:
    """Return a network whose random weights are large enough for texts to differ."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.25)
    return model.eval()


def own_copy(source: Path, target: Path) -> Path:
    """Copy the files of a model directory."""
    target.mkdir(parents=True)
    for path in source.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


@pytest.fixture(scope="session")
def bert_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of six layers and 48 positions."""
    directory = tmp_path_factory.mktemp("bert")
    size = save_tokenizer(directory, "[CLS]", "[SEP]", "[PAD]", "[UNK]").get_vocab_size()
    torch.manual_seed(1)
    config = BertConfig(vocab_size=size, num_hidden_layers=6, max_position_embeddings=48, **TINY)
    spread(BertModel(config)).save_pretrained(directory)
    return directory


@pytest.fixture(scope="session")
def bart_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BART of two and two layers and 64 positions."""
    directory = tmp_path_factory.mktemp("bart")
    size = save_tokenizer(directory, "<s>", "</s>", "<pad>", "<unk>").get_vocab_size()
    torch.manual_seed(2)
    parts = [f"{side}_{part}" for part in ("layers", "attention_heads") for side in SIDES]
    config = BartConfig(
        vocab_size=size, d_model=32, max_position_embeddings=64, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=None,
        encoder_ffn_dim=48, decoder_ffn_dim=48, **dict.fromkeys(parts, 2),
    )  # fmt: skip
    spread(BartForConditionalGeneration(config)).save_pretrained(directory)
    return directory


@pytest.fixture(scope="session")
def t5_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A T5 of two and two layers, whose tokenizer knows Yes and No."""
    directory = tmp_path_factory.mktemp("t5")
    size = save_tokenizer(directory, None, "</s>", "<pad>", "<unk>", lower=False).get_vocab_size()
    torch.manual_seed(3)
    config = T5Config(
        vocab_size=size, d_model=32, d_kv=16, d_ff=48, num_layers=2, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    spread(T5ForConditionalGeneration(config)).save_pretrained(directory)
    return directory


@pytest.fixture(scope="session")
def align_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RoBERTa of two layers and 40 tokens with AlignScore's three-way head, as converted."""
    directory = tmp_path_factory.mktemp("align")
    size = save_tokenizer(directory, "<s>", "</s>", "<pad>", "<unk>").get_vocab_size()
    torch.manual_seed(4)
    config = RobertaConfig(
        vocab_size=size, num_hidden_layers=2, max_position_embeddings=41, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, type_vocab_size=1, **TINY,
    )  # fmt: skip
    encoder, head = spread(RobertaModel(config)), spread(torch.nn.Linear(32, 3))
    config.save_pretrained(directory)
    tensors = {f"base_model.{name}": tensor for name, tensor in encoder.state_dict().items()}
    tensors |= {f"tri_layer.{name}": tensor for name, tensor in head.state_dict().items()}
    save_file(tensors, directory / "model.safetensors")
    return directory


@cache
def network(directory: Path, kind: str = "AutoModel") -> tuple[Tokenizer, Any]:
    """Return tokenizer and network of a directory as plain transformers load them."""
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    return tokenizer, getattr(transformers, kind).from_pretrained(directory).eval()


Token = TypeVar("Token")


def cut(tokens: list[Token], limit: int) -> list[Token]:
    """Cut as Hugging Face's tokenizers cut: the end goes, but for the last special token."""
    return tokens if len(tokens) <= limit else [*tokens[: limit - 1], tokens[-1]]


def same_alone(metric: Any, pairs: Sequence[Pair] = PAIRS) -> None:
    """Assert that a pair's score does not depend on what is scored with it."""
    together = metric.score(pairs)
    assert metric.score(pairs[::-1]) == pytest.approx(together[::-1], abs=1e-5)
    for pair, score in zip(pairs, together, strict=True):
        assert metric.score([pair]) == pytest.approx([score], abs=1e-5)
    assert len({round(score, 4) for score in together}) > 2
