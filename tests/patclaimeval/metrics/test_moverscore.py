"""MoverScore against plain transformers and a second way to solve the transport problem."""

import json
import string
from math import log
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment
from tokenizers import Tokenizer

from patclaimeval.metrics.base import MetricUnavailable, Missing, Pair
from patclaimeval.metrics.moverscore import MoverScore, least_work
from patclaimeval.metrics.neural import checked_directory
from tests.patclaimeval.metrics.conftest import LONG, PAIRS, cut, network, own_copy, same_alone


@pytest.fixture
def directory(bert_directory: Path, tmp_path: Path) -> Path:
    return checked_directory("moverscore", own_copy(bert_directory, tmp_path / "moverscore"))


def cloud(directory: Path, text: str) -> tuple[np.ndarray, list[int]]:
    """Vectors and numbers of the tokens of one text that are neither punctuation nor '##'."""
    tokenizer, model = network(directory)
    encoding = tokenizer.encode(text)
    ids, tokens = cut(encoding.ids, 48), cut(encoding.tokens, 48)
    with torch.inference_mode():
        output = model(torch.tensor([ids]), output_hidden_states=True)
    layers = [states[0].double().numpy() for states in output.hidden_states[-5:]]
    layers = [states / np.linalg.norm(states, axis=1, keepdims=True) for states in layers]
    joined = np.hstack([np.min(layers, 0), np.mean(layers, 0), np.max(layers, 0)])
    joined /= np.linalg.norm(joined, axis=1, keepdims=True)
    own = [i for i, token in enumerate(tokens) if token not in string.punctuation]
    own = [i for i in own if "##" not in tokens[i]]
    return joined[own], [ids[i] for i in own]


def by_hand(
    directory: Path, pair: Pair, copies: dict[int, int] | None = None
) -> tuple[float, float]:
    """The score by cutting all weights into equal grains, matched one to one at least cost.

    copies: whole-number weights by token number; without it each token weighs the same.
    """
    sides = [cloud(directory, text) for text in (pair.reference, pair.candidate)]
    weights = [[(copies or {}).get(number, 1) for number in numbers] for _, numbers in sides]
    grains = np.lcm(sum(weights[0]), sum(weights[1]))
    rows = [
        np.repeat(vectors, [w * grains // sum(side) for w in side], axis=0)
        for (vectors, _), side in zip(sides, weights, strict=True)
    ]
    costs = ((rows[0][:, None] - rows[1][None]) ** 2).sum(-1)
    return 1 - costs[linear_sum_assignment(costs)].sum() / grains


def test_scores_equal_an_assignment_of_equal_grains(directory) -> None:
    pairs = [*PAIRS[1:], Pair(LONG.reference, "1. A lid.")]
    wanted = [by_hand(directory, pair) for pair in pairs]
    metric = MoverScore(directory)
    assert metric.score(pairs) == pytest.approx(wanted, abs=1e-5)
    assert "equal weights" in metric.version


def test_later_pieces_of_a_word_carry_no_weight(directory) -> None:
    pair = Pair("a cup with lids", "the mugs and a lid of cups")
    metric = MoverScore(directory)
    assert metric.encode(pair.candidate).tokens.count("##s") == 2
    assert metric.score([pair]) == pytest.approx([by_hand(directory, pair)], abs=1e-5)


def test_a_text_equals_itself(directory) -> None:
    assert MoverScore(directory).score(PAIRS[:1]) == pytest.approx([1], abs=1e-6)


def test_least_work_of_three_piles_is_the_one_by_hand() -> None:
    # Piles of .5 and .5 to holes of .2, .3 and .5: the first fills .2 and .3 at cost 1 and 2,
    # the second fills .5 at cost 1: .2 + .6 + .5.
    costs = np.array([[1.0, 2.0, 9.0], [9.0, 9.0, 1.0]])
    found = least_work(costs, np.array([0.5, 0.5]), np.array([0.2, 0.3, 0.5]))
    assert found == pytest.approx(1.3, abs=1e-9)


def test_words_of_few_texts_weigh_more(directory) -> None:
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    # With n = 7 texts: ln(8 / 4) for three of them is a third of ln(8 / 1) for none.
    common = {tokenizer.token_to_id(word) for word in ("a", "[CLS]", "[SEP]")}
    counts = {str(number): 3 for number in common}
    (directory / "idf.json").write_text(json.dumps({"documents": 7, "counts": counts}))
    assert log(8) == pytest.approx(3 * log(2))
    copies = {number: 1 if number in common else 3 for number in range(200)}
    pairs = [Pair("a cup with a lid", "a mug with a handle for tea"), Pair("a lid", "it is a cup")]
    metric = MoverScore(directory)
    wanted = [by_hand(directory, pair, copies) for pair in pairs]
    assert metric.score(pairs) == pytest.approx(wanted, abs=1e-5)
    assert "idf weights" in metric.version


def test_documents_are_counted_by_token(directory) -> None:
    metric = MoverScore(directory)
    number = metric.tokenizer.token_to_id
    counted = metric.count_documents(["a cup, a lid", "a mug", "a cup"])
    assert counted["documents"] == 3
    wanted = {"a": 3, "cup": 2, "lid": 1, "mug": 1, ",": 1, "[CLS]": 3, "[SEP]": 3}
    assert counted["counts"] == {str(number(token)): n for token, n in wanted.items()}
    (directory / "idf.json").write_text(json.dumps(counted))
    found = MoverScore(directory)
    assert found.idf == (3, {number(token): n for token, n in wanted.items()})
    # All tokens of "a" stand in every text, so that none has a weight.
    missing, score = found.score([Pair("a", "a cup"), Pair("a cup", "a lid")])
    assert isinstance(missing, Missing)
    assert "no token that has a weight" in missing.reason
    assert isinstance(score, float)


@pytest.mark.parametrize(
    "data",
    ["[]", "{}", '{"documents": 1, "counts": {"2": 2}}', '{"documents": 1, "counts": {"a": 1}}'],
)
def test_counts_that_make_no_sense_are_refused(directory, data) -> None:
    (directory / "idf.json").write_text(data)
    with pytest.raises(MetricUnavailable, match=r"idf\.json"):
        MoverScore(directory)


def test_a_pair_scores_the_same_in_any_company(directory) -> None:
    same_alone(MoverScore(directory))
