"""AlignScore against chunks, sentences and classes computed with plain transformers."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import RobertaConfig, RobertaModel

from patclaimeval.metrics import alignscore
from patclaimeval.metrics.alignscore import AlignScore
from patclaimeval.metrics.base import MetricUnavailable, Missing, Pair
from patclaimeval.metrics.neural import checked_directory
from tests.patclaimeval.metrics.conftest import PAIRS, own_copy, same_alone


@pytest.fixture
def directory(align_directory: Path, tmp_path: Path) -> Path:
    return checked_directory("alignscore", own_copy(align_directory, tmp_path / "alignscore"))


class Plain:
    """The network put together by hand."""

    def __init__(self, directory: Path) -> None:
        tensors = load_file(directory / "model.safetensors")
        self.encoder = RobertaModel(RobertaConfig.from_pretrained(directory)).eval()
        self.encoder.load_state_dict(
            {k.removeprefix("base_model."): v for k, v in tensors.items() if k[0] == "b"}
        )
        self.weight, self.bias = (tensors[f"tri_layer.{part}"] for part in ("weight", "bias"))
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))

    def aligned(self, context: str, claim: str) -> float:
        first, second = (
            self.tokenizer.encode(text, add_special_tokens=False).ids for text in (context, claim)
        )
        # <s> chunk </s></s> sentence </s>: 40 tokens, of which the chunk gives way.
        ids = [1, *first[: 40 - 4 - len(second)], 2, 2, *second, 2]
        with torch.inference_mode():
            pooled = self.encoder(torch.tensor([ids])).pooler_output[0]
        shares = torch.softmax((self.weight @ pooled + self.bias).double(), 0)
        return float(shares[0])


def test_a_score_is_the_mean_over_sentences_of_the_best_chunk(directory, monkeypatch) -> None:
    monkeypatch.setattr(alignscore, "WORDS_A_CHUNK", 4)
    plain = Plain(directory)
    reference = "A cup comprising a body. The body is blue. It is a mug. A lid."
    # 14 words: 14 // 4 + 1 = 4 chunks wanted of 4 sentences, one each.
    chunks = ["A cup comprising a body.", "The body is blue.", "It is a mug.", "A lid."]
    claims = ["The cup with a handle.", "It is a lid."]
    wanted = np.mean([max(plain.aligned(chunk, claim) for chunk in chunks) for claim in claims])
    found = AlignScore(directory).score([Pair(reference, " ".join(claims))])
    assert found == pytest.approx([wanted], abs=1e-5)


def test_sentences_are_dealt_out_to_chunks_by_the_number_of_words(directory, monkeypatch) -> None:
    monkeypatch.setattr(alignscore, "WORDS_A_CHUNK", 9)
    sentences = ["A cup comprising a body.", "The body is blue.", "It is a mug.", "It is tea."]
    extra = "A lid."
    grid = AlignScore(directory)._grid
    # 16 words: 2 chunks, 4 sentences in twos; 18 words: 3 chunks wanted, 5 // 3 = 1 sentence each.
    assert grid(Pair(" ".join(sentences), "A mug.")) == [
        [(" ".join(sentences[:2]), "A mug."), (" ".join(sentences[2:]), "A mug.")]
    ]
    longer = Pair(" ".join([*sentences, extra]), "A mug.")
    assert [context for context, _ in grid(longer)[0]] == [*sentences, extra]


@pytest.mark.parametrize("claim", ["The handle is blue.", "The handle is " + "blue and " * 11])
def test_a_chunk_gives_way_to_the_sentence_and_is_said_to_be_cut(directory, claim) -> None:
    plain, metric = Plain(directory), AlignScore(directory)
    # The longer sentence fills more than half of what is read, and stays whole all the same.
    reference, claim = "a cup with a body and " * 8 + "a lid.", claim.strip()
    assert metric.score([Pair(reference, claim)]) == pytest.approx(
        [plain.aligned(reference, claim)], abs=1e-5
    )
    assert len(metric.encode_pair(reference, claim).ids) == 40
    assert "chunk and sentence cut after 40 tokens" in metric.version


def test_a_sentence_too_long_by_itself_is_scored_all_the_same(directory) -> None:
    metric = AlignScore(directory)
    pair = Pair("A lid.", "a cup with a body and " * 9 + "a lid.")
    encoding = metric.encode_pair(pair.reference, pair.candidate)
    assert len(encoding.ids) == 40
    assert encoding.tokens[:6] == ["<s>", "a", "lid", ".", "</s>", "</s>"]
    assert isinstance(metric.score([pair])[0], float)


def test_empty_texts_are_no_crash(directory) -> None:
    missing, found = AlignScore(directory).score([Pair("A lid.", " "), Pair("", "A lid.")])
    assert isinstance(missing, Missing)
    assert "no sentence" in missing.reason
    assert found == pytest.approx(Plain(directory).aligned("", "A lid."), abs=1e-5)


def test_a_pair_scores_the_same_in_any_company(directory) -> None:
    same_alone(AlignScore(directory))


def test_trained_tables_of_punkt_are_used_where_they_are(directory) -> None:
    text = "A cup, e.g. a mug, with a lid."
    untrained = AlignScore(directory)
    assert len(untrained._grid(Pair("a", text))) == 2
    (directory / "punkt_tab").mkdir()
    for name in ("collocations.tab", "sent_starters.txt", "ortho_context.tab"):
        (directory / "punkt_tab" / name).write_text("")
    (directory / "punkt_tab" / "abbrev_types.txt").write_text("e.g\n")
    trained = AlignScore(directory)
    assert len(trained._grid(Pair("a", text))) == 1
    (directory / "punkt_tab" / "abbrev_types.txt").unlink()
    with pytest.raises(MetricUnavailable, match="punkt_tab is not whole"):
        AlignScore(directory).score(PAIRS)
    assert "punkt untrained" in untrained.recipe
    assert "punkt trained" in trained.recipe


@pytest.mark.parametrize("name", ["tri_layer.weight", "base_model.pooler.dense.weight"])
def test_a_missing_tensor_is_no_random_one(directory, name) -> None:
    tensors = load_file(directory / "model.safetensors")
    del tensors[name]
    save_file(tensors, directory / "model.safetensors")
    with pytest.raises(MetricUnavailable, match="METRIC_MODELS_DIR/alignscore cannot be used"):
        AlignScore(directory).score(PAIRS)
