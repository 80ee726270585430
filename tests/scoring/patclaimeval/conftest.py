"""Tiny random encoders saved as real directories, and a small set of made-up comparisons."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertModel,
    LongformerConfig,
    LongformerModel,
    PreTrainedTokenizerFast,
)

from scoring.patclaimeval.data import Quadruplet
from tests.scoring.conftest import products_take_alike

torch.set_num_threads(1)  # more threads only wait for one another at this size

PARTS = ("pump", "valve", "spring", "sensor", "lever", "motor")


def claim_set(subject: str, parts: tuple[str, ...]) -> str:
    """Return a small claim set about a device with the given parts."""
    listed = ", ".join(f"a {part} connected to the housing" for part in parts)
    return (
        f"1. A {subject} device comprising a housing, {listed}. "
        f"2. The {subject} device of claim 1, wherein the {parts[0]} is fixed to the housing."
    )


@pytest.fixture(scope="session")
def quadruplets() -> list[Quadruplet]:
    """Five references, each with a better, a worse and two equal candidates."""
    found = []
    for subject in ("dosing", "cooling", "lifting", "mixing", "drying"):
        reference = claim_set(subject, PARTS[:4])
        good, poor, other = (
            claim_set(subject, parts) for parts in (PARTS[:3], PARTS[:1], PARTS[1:4])
        )
        found += [
            Quadruplet(subject, reference, good, poor, 1),
            Quadruplet(subject, reference, poor, other, -1),
            Quadruplet(subject, reference, good, other, 0),
        ]
    return found


def _tokenizer(words: list[str], roberta: bool) -> PreTrainedTokenizerFast:
    special = ["<s>", "<pad>", "</s>", "<unk>"] if roberta else ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: i for i, word in enumerate([*special, *sorted(set(words))])}
    unknown = "<unk>" if roberta else "[UNK]"
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    first, last = ("<s>", "</s>") if roberta else ("[CLS]", "[SEP]")
    second = f"{last} $B {last}" if roberta else "$B:1"
    backend.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} {second}" + ("" if roberta else f" {last}:1"),
        special_tokens=[(name, vocabulary[name]) for name in (first, last)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="<pad>" if roberta else "[PAD]",
        unk_token=unknown,
        cls_token=first,
        sep_token=last,
    )


def _words(items: list[Quadruplet]) -> list[str]:
    split = pre_tokenizers.BertPreTokenizer()
    texts = [text for item in items for text in (item.reference, item.b, item.c)]
    return [word for text in texts for word, _ in split.pre_tokenize_str(text)]


@pytest.fixture(scope="session")
def steady_precision() -> Iterator[None]:
    with products_take_alike():
        yield


@pytest.fixture(scope="session")
def tiny_bert(
    tmp_path_factory: pytest.TempPathFactory,
    quadruplets: list[Quadruplet],
    steady_precision: None,
) -> Path:
    """A random two-layer BERT with 24 positions, fewer than any pair here needs."""
    directory = tmp_path_factory.mktemp("tiny-bert")
    tokenizer = _tokenizer(_words(quadruplets), roberta=False)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=24,
    )
    BertModel(config).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


@pytest.fixture(scope="session")
def tiny_longformer(
    tmp_path_factory: pytest.TempPathFactory,
    quadruplets: list[Quadruplet],
    steady_precision: None,
) -> Path:
    """A random two-layer Longformer with a window of 8."""
    directory = tmp_path_factory.mktemp("tiny-longformer")
    tokenizer = _tokenizer(_words(quadruplets), roberta=True)
    torch.manual_seed(2)
    config = LongformerConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        attention_window=[8, 8],
        max_position_embeddings=66,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    LongformerModel(config).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
