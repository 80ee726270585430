"""BARTScore against log-probabilities from plain transformers."""

from functools import cache
from pathlib import Path

import pytest
import torch

from patclaimeval.metrics.bartscore import BartScore
from patclaimeval.metrics.base import MetricUnavailable, Pair
from patclaimeval.metrics.neural import checked_directory
from tests.patclaimeval.metrics.conftest import LONG, PAIRS, cut, network, own_copy, same_alone


@pytest.fixture
def directory(bart_directory: Path, tmp_path: Path) -> Path:
    return checked_directory("bartscore", own_copy(bart_directory, tmp_path / "bartscore"))


@cache
def by_hand(directory: Path, read: str, written: str) -> float:
    """Mean log-probability, one token after the other, as a writer would."""
    tokenizer, model = network(directory, "AutoModelForSeq2SeqLM")
    source, target = (cut(tokenizer.encode(text).ids, 64) for text in (read, written))
    so_far, total = [model.config.decoder_start_token_id], 0.0
    for token in target:
        with torch.inference_mode():
            given = {"input_ids": [source], "decoder_input_ids": [so_far]}
            logits = model(**{k: torch.tensor(ids) for k, ids in given.items()}).logits[0, -1]
        total += float(torch.log_softmax(logits.double(), 0)[token])
        so_far.append(token)
    return total / len(target)


@pytest.mark.parametrize("direction", [None, "candidate-to-reference", "both"])
def test_scores_equal_the_mean_of_plain_log_probabilities(
    directory, bart_directory, direction
) -> None:
    if direction:
        (directory / "metric.json").write_text(f'{{"direction": "{direction}"}}')
    wanted = []
    for pair in [*PAIRS[1:], LONG]:
        forth = by_hand(bart_directory, pair.reference, pair.candidate)
        back = by_hand(bart_directory, pair.candidate, pair.reference)
        wanted.append({None: forth, "both": (forth + back) / 2}.get(direction, back))
    metric = BartScore(directory)
    assert metric.score([*PAIRS[1:], LONG]) == pytest.approx(wanted, abs=1e-5)
    assert (direction or "reference-to-candidate") in metric.version


def test_a_pair_scores_the_same_in_any_company(directory) -> None:
    same_alone(BartScore(directory))


def test_a_long_text_is_cut_and_said_to_be(directory) -> None:
    metric = BartScore(directory)
    assert "texts cut after 64 tokens" in metric.version
    longer = Pair(LONG.reference, LONG.candidate.removesuffix("tea.") + "cup lid tea.")
    assert metric.score([longer]) == metric.score([LONG])


def test_a_direction_that_there_is_not_is_refused(directory) -> None:
    (directory / "metric.json").write_text('{"direction": "up"}')
    with pytest.raises(MetricUnavailable, match="direction must be one of reference-to-candidate"):
        BartScore(directory)
