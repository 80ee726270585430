"""Tiny random encoders saved as real directories, and a small set of made-up comparisons."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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

from patclaimeval.models.data import Quadruplet
from tests.scoring.conftest import PARTS
from tests.scoring.conftest import claim_set as one_claim

torch.set_num_threads(1)  # more threads only wait for one another at this size


def claim_set(subject: str, parts: Sequence[str]) -> str:
    """Return a small claim set about a device with the given parts."""
    second = f"2. The {subject} device of claim 1, wherein the {parts[0]} is fixed to the housing."
    return f"{one_claim(subject, parts)} {second}"


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


def write_rows(path: Path, items: list[Quadruplet], **splits: str) -> Path:
    """Write the items as rows of a dataset, as a release where splits name the references."""
    rows = [
        {"reference_id": i.reference_id, "A": i.reference, "B": i.b, "C": i.c, "y": i.y}
        | ({"y": {"overall_quality": i.y}, "split": splits[i.reference_id]} if splits else {})
        for i in items
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def _saved(directory: Path, items: list[Quadruplet], roberta: bool, **shape: Any) -> Path:
    tokenizer = _tokenizer(_words(items), roberta)
    torch.manual_seed(1 + roberta)
    model, config = (LongformerModel, LongformerConfig) if roberta else (BertModel, BertConfig)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes = size | {"vocab_size": len(tokenizer), "intermediate_size": 64}
    model(config(**sizes, **shape)).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory, quadruplets) -> Path:
    """A random two-layer BERT with 24 positions, fewer than any pair here needs."""
    directory = tmp_path_factory.mktemp("tiny-bert")
    return _saved(directory, quadruplets, roberta=False, max_position_embeddings=24)


@pytest.fixture(scope="session")
def tiny_longformer(tmp_path_factory, quadruplets) -> Path:
    """A random two-layer Longformer with a window of 8."""
    tokens = {"type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    shape = {"attention_window": [8, 8], "max_position_embeddings": 66} | tokens
    directory = tmp_path_factory.mktemp("tiny-longformer")
    return _saved(directory, quadruplets, roberta=True, **shape)
