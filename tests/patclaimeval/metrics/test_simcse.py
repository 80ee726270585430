"""SimCSE against the cosine of vectors from plain transformers."""

from pathlib import Path

import numpy as np
import pytest
import torch

from patclaimeval.metrics.base import MetricUnavailable, Pair
from patclaimeval.metrics.neural import checked_directory
from patclaimeval.metrics.simcse import SimCse
from tests.patclaimeval.metrics.conftest import LONG, PAIRS, cut, network, own_copy, same_alone


@pytest.fixture
def directory(bert_directory: Path, tmp_path: Path) -> Path:
    return checked_directory("simcse", own_copy(bert_directory, tmp_path / "simcse"))


def by_hand(directory: Path, pair: Pair, pooled: bool) -> float:
    tokenizer, model = network(directory)
    vectors = []
    for text in (pair.reference, pair.candidate):
        with torch.inference_mode():
            output = model(torch.tensor([cut(tokenizer.encode(text).ids, 48)]))
        found = output.pooler_output[0] if pooled else output.last_hidden_state[0, 0]
        vectors.append(found.double().numpy())
    first, second = vectors
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


@pytest.mark.parametrize(("pooler", "pooled"), [("cls", True), ("cls_before_pooler", False)])
def test_scores_equal_the_cosine_of_plain_vectors(directory, pooler, pooled) -> None:
    (directory / "metric.json").write_text(f'{{"pooler": "{pooler}"}}')
    pairs = [*PAIRS, LONG]
    wanted = [by_hand(directory, pair, pooled) for pair in pairs]
    assert SimCse(directory).score(pairs) == pytest.approx(wanted, abs=1e-5)


def test_a_pair_scores_the_same_in_any_company(directory) -> None:
    same_alone(SimCse(directory))


def test_a_long_text_is_cut_and_said_to_be(directory) -> None:
    (directory / "metric.json").write_text('{"max_tokens": 16}')
    metric = SimCse(directory)
    assert "texts cut after 16 tokens" in metric.version
    first = "a cup with a body and a handle and a lid for tea of a"
    assert metric.score([Pair(first, first + " mug of blue tea")]) == [pytest.approx(1, abs=1e-6)]


def test_the_authors_limit_is_used_where_the_model_takes_more(directory, monkeypatch) -> None:
    monkeypatch.setattr(SimCse, "usual_tokens", 32)
    assert SimCse(directory).longest == 32


def test_a_pooler_that_there_is_not_is_refused(directory) -> None:
    (directory / "metric.json").write_text('{"pooler": "mean"}')
    with pytest.raises(MetricUnavailable, match="pooler must be cls or cls_before_pooler"):
        SimCse(directory)
