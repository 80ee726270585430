"""UniEval against the two shares of the first written token, from plain transformers."""

from pathlib import Path

import pytest
import torch

from patclaimeval.metrics.base import MetricUnavailable, Missing, Pair
from patclaimeval.metrics.neural import checked_directory
from patclaimeval.metrics.unieval import UniEval
from tests.patclaimeval.metrics.conftest import PAIRS, cut, network, own_copy, same_alone


@pytest.fixture
def directory(t5_directory: Path, tmp_path: Path) -> Path:
    return checked_directory("unieval", own_copy(t5_directory, tmp_path / "unieval"))


def question(pair: Pair) -> str:
    """The words of the authors' code, which the weights were trained on."""
    return (
        "question: Is this summary relevant to the reference? </s> "
        f"summary: {pair.candidate} </s> reference: {pair.reference}"
    )


def by_hand(directory: Path, pair: Pair, limit: int = 1024) -> float:
    tokenizer, model = network(directory, "AutoModelForSeq2SeqLM")
    ids = torch.tensor([cut(tokenizer.encode(question(pair)).ids, limit)])
    with torch.inference_mode():
        logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    shares = torch.softmax(logits.double(), 0)
    yes, no = (float(shares[tokenizer.token_to_id(word)]) for word in ("Yes", "No"))
    return yes / (yes + no)


def test_scores_equal_the_share_of_yes(directory) -> None:
    wanted = [by_hand(directory, pair) for pair in PAIRS]
    assert UniEval(directory).score(PAIRS) == pytest.approx(wanted, abs=1e-5)


def test_the_end_of_a_part_is_one_token(directory) -> None:
    tokens = UniEval(directory)._question(PAIRS[1]).tokens
    assert tokens.count("</s>") == 3


def test_a_pair_scores_the_same_in_any_company(directory) -> None:
    same_alone(UniEval(directory))


def test_the_end_of_a_long_pair_is_cut_and_said_to_be(directory) -> None:
    (directory / "metric.json").write_text('{"max_tokens": 30}')
    metric = UniEval(directory)
    pairs = [Pair("a cup", "a mug"), Pair("a cup with a handle " * 5, "a mug with a lid")]
    assert "together cut after 30 tokens" in metric.version
    wanted = [by_hand(directory, pair, 30) for pair in pairs]
    assert metric.score(pairs) == pytest.approx(wanted, abs=1e-5)


def test_a_pair_whose_reference_is_not_read_at_all_has_no_score(directory) -> None:
    (directory / "metric.json").write_text('{"max_tokens": 30}')
    metric = UniEval(directory)
    frame = len(metric._question(Pair("", "")).ids)
    short, just, over = (Pair("cup", "lid " * (30 - frame - left)) for left in (2, 1, 0))
    scores = metric.score([over, just, short])
    assert isinstance(scores[0], Missing)
    assert "without any of the reference" in scores[0].reason
    assert all(isinstance(score, float) for score in scores[1:])


def test_a_tokenizer_without_the_answers_is_refused(directory, bert_directory) -> None:
    (directory / "tokenizer.json").write_bytes((bert_directory / "tokenizer.json").read_bytes())
    with pytest.raises(MetricUnavailable, match="knows neither Yes nor No"):
        UniEval(directory).score(PAIRS)
