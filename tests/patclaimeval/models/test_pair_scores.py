from collections.abc import Sequence
from pathlib import Path

import pytest

from patclaimeval.models import pair_scores
from patclaimeval.models.data import Pair, distinct_pairs
from patclaimeval.models.pair_scores import CachedScorer, PairModel, ScoreCache
from patclaimeval.models.scorer import load_scorer
from tests.patclaimeval.models.test_score import make

MODEL = "a" * 64


class WordModel:
    """Counts words for tokens; a score is the share of the candidate's words in the pair."""

    limit = 20

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        return [len(f"{p} {q}".split()) for p, q in pairs]

    def unread(self, pairs: Sequence[Pair]) -> list[str]:
        return ["It reads no Q." if "Q" in q else "" for _, q in pairs]

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        self.batches.append(self.token_counts(pairs))
        return [len(q.split()) / len(f"{p} {q}".split()) for p, q in pairs]


def pair(reference: int, candidate: int) -> Pair:
    return "p " * reference, "q " * candidate


def scorer(model: PairModel, path: Path | None = None, budget: int = 16) -> CachedScorer:
    return CachedScorer(lambda: model, MODEL, ScoreCache(path), budget)


def test_the_longest_come_first_within_the_token_budget_and_the_order_stays() -> None:
    model = WordModel()
    pairs = [pair(1, 1), pair(5, 5), pair(2, 4), pair(9, 10), pair(4, 4)]
    scores = scorer(model).score(pairs)
    assert model.batches == [[19], [10, 6], [8, 2]] or model.batches == [[19], [10], [8, 6, 2]]
    assert [score.value for score in scores] == [0.5, 0.5, 4 / 6, 10 / 19, 0.5]


def test_equal_pairs_are_scored_once_and_counted_as_often_as_they_stand() -> None:
    model, counts = WordModel(), list[int]()
    scores = scorer(model).score([pair(1, 2), pair(3, 1), pair(1, 2)], counts.append)
    assert sum(map(len, model.batches)) == 2
    assert scores[0] == scores[2]
    assert sum(counts) == 3


def test_a_pair_over_the_limit_is_refused_by_itself_and_never_cut() -> None:
    scores = scorer(WordModel()).score([pair(11, 10), pair(1, 1)])
    assert scores[0].value is None
    assert "21 tokens and the model takes 20" in scores[0].reason
    assert scores[1].value == 0.5


def test_what_was_scored_before_comes_from_the_cache_without_loading_the_model(tmp_path) -> None:
    path = tmp_path / "scores.sqlite3"
    first = scorer(WordModel(), path)
    assert first.known([pair(1, 2)]) is None
    scored = first.score([pair(1, 2), pair(2, 2)])

    def never() -> PairModel:
        raise AssertionError("the model was loaded")

    again = CachedScorer(never, MODEL, ScoreCache(path))
    assert again.score([pair(2, 2), pair(1, 2)]) == scored[::-1]
    assert again.known([pair(2, 2)]) == [scored[1]]
    assert again.known([pair(2, 2), pair(7, 7)]) is None


def test_scores_of_another_way_to_score_are_not_used(tmp_path, monkeypatch) -> None:
    path = tmp_path / "scores.sqlite3"
    scorer(WordModel(), path).score([pair(1, 2)])
    assert scorer(WordModel(), path).known([pair(1, 2)])
    monkeypatch.setattr(pair_scores, "SCORING_VERSION", "later")
    assert scorer(WordModel(), path).known([pair(1, 2)]) is None


def test_what_was_scored_stays_when_the_listener_stops_the_work(tmp_path) -> None:
    path = tmp_path / "scores.sqlite3"
    longest, short = pair(9, 9), pair(1, 1)

    def stop(count: int) -> None:
        if count:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        scorer(WordModel(), path).score([short, longest], stop)
    later = WordModel()
    scorer(later, path).score([short, longest])
    assert later.batches == [[2]]


def test_a_score_is_bitwise_the_same_alone_in_a_batch_and_in_any_order(
    quadruplets, tiny_bert, tmp_path
) -> None:
    model = load_scorer(make(quadruplets, tmp_path / "m", tiny_bert, "finetune"))
    pairs = distinct_pairs(quadruplets)
    together = scorer(model, budget=10_000).score(pairs)
    assert len({score.value for score in together}) > 2
    assert [scorer(model).score([one])[0] for one in pairs] == together
    assert scorer(model, budget=100).score(pairs[::-1])[::-1] == together
