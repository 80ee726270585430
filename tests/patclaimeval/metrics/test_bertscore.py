"""BERTScore against its formula computed with plain transformers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, pre_tokenizers

from patclaimeval.metrics.base import MetricUnavailable, Pair
from patclaimeval.metrics.bertscore import LAYERS, BertScore
from patclaimeval.metrics.neural import checked_directory
from tests.patclaimeval.metrics.conftest import LONG, PAIRS, cut, network, own_copy, same_alone

LAYER = 4


@pytest.fixture
def directory(bert_directory: Path, tmp_path: Path) -> Path:
    directory = own_copy(bert_directory, tmp_path / "bertscore")
    (directory / "metric.json").write_text(json.dumps({"layer": LAYER}))
    return checked_directory("bertscore", directory)


def states(directory: Path, text: str, layer: int, limit: int = 48) -> np.ndarray:
    """States of one text by itself."""
    tokenizer, model = network(directory)
    ids = cut(tokenizer.encode(text).ids, limit)
    with torch.inference_mode():
        found = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[layer][0]
    array = found.double().numpy()
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def by_hand(directory: Path, pair: Pair, layer: int = LAYER) -> float:
    reference, candidate = (states(directory, t, layer) for t in (pair.reference, pair.candidate))
    cosines = candidate @ reference.T
    # The first and the last token are special: they can be matched and are not averaged.
    precision, recall = cosines.max(1)[1:-1].mean(), cosines.max(0)[1:-1].mean()
    return float(2 * precision * recall / (precision + recall))


def test_scores_equal_the_formula_over_plain_states_whose_special_tokens_can_be_matched(
    directory,
) -> None:
    short = [Pair(one, two) for one in ("tea", "it", "Yes") for two in ("a cup", "blue lid of")]
    pairs = [*PAIRS, LONG, *short]
    wanted = [by_hand(directory, pair) for pair in pairs]
    assert BertScore(directory).score(pairs) == pytest.approx(wanted, abs=1e-5)


def test_a_text_equals_itself_and_an_empty_one_scores_zero(directory) -> None:
    same, empty, blank = BertScore(directory).score(
        [Pair("a cup", "a cup"), Pair("a cup", ""), Pair(" ", "a cup")]
    )
    assert same == pytest.approx(1, abs=1e-6)
    assert (empty, blank) == (0.0, 0.0)


def test_a_pair_scores_the_same_in_any_company(directory) -> None:
    same_alone(BertScore(directory))


def test_a_long_text_is_cut_and_said_to_be(directory) -> None:
    metric = BertScore(directory)
    assert "texts cut after 48 tokens" in metric.version
    # What lies behind the limit moves nothing.
    longer = Pair(LONG.reference, LONG.candidate.removesuffix("tea.") + "cup lid tea.")
    assert metric.score([longer]) == metric.score([LONG])


def test_the_layer_and_the_weights_stand_in_the_version(directory) -> None:
    first = BertScore(directory)
    (directory / "metric.json").write_text('{"layer": 2, "max_tokens": 20}')
    second = BertScore(directory)
    assert "layer 4" in first.version
    assert "layer 2" in second.version
    assert "after 20 tokens" in second.version
    assert first.score(PAIRS) != second.score(PAIRS)


def test_an_encoder_without_a_published_layer_needs_one(directory, bert_directory) -> None:
    (directory / "metric.json").unlink()
    with pytest.raises(MetricUnavailable, match="layer must be a whole number from 1 to 6"):
        BertScore(directory)


def test_a_published_encoder_has_its_layer(directory) -> None:
    (directory / "metric.json").unlink()
    config = json.loads((directory / "config.json").read_text())
    for (kind, layers), layer in LAYERS.items():
        shape = {"model_type": kind, "num_hidden_layers": layers}
        (directory / "config.json").write_text(json.dumps(config | shape))
        assert BertScore(directory).layer == layer
    assert LAYERS["roberta", 24] == 17


def test_words_of_a_byte_level_tokenizer_begin_with_a_space(directory) -> None:
    place = str(directory / "tokenizer.json")
    tokenizer = Tokenizer.from_file(place)
    assert BertScore(directory).encode("cup").offsets[1] == (0, 3)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(place)
    assert BertScore(directory).encode(" cup\n").offsets[1] == (0, 4)
