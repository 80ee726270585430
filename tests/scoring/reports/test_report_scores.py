"""Pairs are scored once, kept at once, and a scorer that fails takes only its own pairs with it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from core.jobs.leases import LostLease
from patclaimeval.metrics.base import MetricError, Missing, Pair, Score
from scoring.models import MetricScore
from scoring.reports import work as reports_work
from scoring.reports.inputs import Text
from scoring.reports.scorers import ReportScorer
from scoring.reports.work import MOST_FAILURES, NOT_ASKED, PairScores, TextPair, score_pairs
from tests.faults import raising

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def pairs(count: int, draft: str | None = None) -> list[TextPair]:
    reference, text = Text.of("1. A cup."), Text.of(draft) if draft is not None else None
    return [TextPair(reference, Text.of(f"1. A mug {n}."), text) for n in range(count)]


def number(pair: Pair) -> int:
    return int(pair.candidate.split()[-1].rstrip("."))


def plain(given: Sequence[Pair]) -> list[Score]:
    return [float(number(pair)) for pair in given]


def scorer(
    score: Callable[[Sequence[Pair]], Sequence[Score]],
    *,
    at_once: int = 4,
    key: str = "flat 1",
    is_repeatable: bool = True,
) -> ReportScorer:
    return ReportScorer(
        name="flat",
        version_in=lambda languages: "1",
        key=lambda language: f"{key} {language}".strip() if key else "",
        reads_drafts=False,
        is_repeatable=is_repeatable,
        at_once=at_once,
        score=lambda given, check: score(given),
    )


def scored(one: ReportScorer, given: Sequence[TextPair]) -> PairScores:
    return score_pairs(one, given, lambda: None, lambda count: None)


class Counting:
    """Scores as `plain` does, and lists the pairs of each turn by their numbers."""

    def __init__(self) -> None:
        self.turns: list[list[int]] = []

    def __call__(self, given: Sequence[Pair]) -> list[Score]:
        self.turns.append(list(map(number, given)))
        return plain(given)

    @property
    def sizes(self) -> list[int]:
        return list(map(len, self.turns))


def test_pairs_are_scored_in_turns_and_then_never_again() -> None:
    counting = Counting()
    for _ in range(2):
        assert scored(scorer(counting), pairs(10)).values == [float(n) for n in range(10)]
        assert counting.sizes == [4, 4, 2]
    assert MetricScore.objects.count() == 10


def test_a_turn_holds_no_more_than_so_much_text(monkeypatch) -> None:
    given, counting = pairs(6), Counting()
    monkeypatch.setattr(reports_work, "CHARACTERS_AT_ONCE", 2 * given[0].characters)
    scored(scorer(counting, at_once=50), given)
    assert counting.sizes == [2, 2, 2]


def test_turns_get_smaller_where_one_took_long(monkeypatch) -> None:
    monkeypatch.setattr(reports_work, "LONGEST_SECONDS", -1.0)
    counting = Counting()
    scored(scorer(counting), pairs(9))
    assert counting.sizes == [4, 2, 1, 1, 1]


def test_what_was_scored_before_a_worker_died_is_kept() -> None:
    def dies(given: Sequence[Pair]) -> list[Score]:
        if number(given[0]) >= 8:
            raise KeyboardInterrupt
        return plain(given)

    with pytest.raises(KeyboardInterrupt):
        scored(scorer(dies), pairs(10))
    assert MetricScore.objects.count() == 8
    counting = Counting()
    assert scored(scorer(counting), pairs(10)).values == [float(n) for n in range(10)]
    assert counting.turns == [[8, 9]]


def test_a_failing_turn_is_tried_pair_by_pair() -> None:
    def score(given: Sequence[Pair]) -> list[Score]:
        if any(number(pair) == 5 for pair in given):
            raise ZeroDivisionError("1. A secret mug")
        return plain(given)

    found = scored(scorer(score), pairs(8))
    assert [n for n, value in enumerate(found.values) if math.isnan(value)] == [5]
    assert found.reasons == {5: "The scorer failed on the pair (ZeroDivisionError)."}
    assert not found.is_lasting
    assert MetricScore.objects.count() == 7


def test_a_scorer_that_always_fails_is_not_asked_for_ever() -> None:
    asked: list[int] = []

    def score(given: Sequence[Pair]) -> list[Score]:
        asked.append(len(given))
        raise OSError

    count = MOST_FAILURES + 20
    found = scored(scorer(score), pairs(count))
    assert asked.count(1) <= MOST_FAILURES
    assert list(found.reasons) == list(range(count))
    assert found.reasons[count - 1] == NOT_ASKED


@pytest.mark.parametrize("wrong", [[1.0], [1.0] * 9, [None] * 4, ["x"] * 4])
def test_a_scorer_that_returns_nonsense_fails(wrong) -> None:
    found = scored(scorer(lambda given: wrong if len(given) > 1 else []), pairs(4))
    assert all(map(math.isnan, found.values))
    assert not MetricScore.objects.exists()


def test_missing_and_infinite_scores_are_told_and_not_kept() -> None:
    def score(given: Sequence[Pair]) -> list[Score]:
        odd: dict[int, Score] = {1: Missing("No words."), 2: math.inf, 3: math.nan}
        return [odd.get(number(pair), 0.5) for pair in given]

    found = scored(scorer(score), pairs(4))
    assert found.reasons == {1: "No words."}
    assert found.values[2] == math.inf
    assert math.isnan(found.values[3])
    assert found.is_lasting
    assert MetricScore.objects.count() == 1


def test_what_an_endpoint_left_out_may_be_there_the_next_time() -> None:
    def score(given: Sequence[Pair]) -> list[Score]:
        return [Missing("No answer.") if number(pair) else 1.0 for pair in given]

    assert not scored(scorer(score, is_repeatable=False), pairs(2)).is_lasting
    assert scored(scorer(plain, is_repeatable=False), pairs(2)).is_lasting


def test_a_score_is_stored_for_the_rules_of_its_language() -> None:
    reference, candidate = Text.of("1. 一种泵。"), Text.of("1. 一种阀 7.")
    chinese, english = TextPair(reference, candidate), pairs(1)[0]
    german = replace(english, recorded="de")
    counting = Counting()
    for one in (chinese, english, german, replace(chinese, recorded="zh"), german):
        scored(scorer(counting, key="flat 2,"), [one])
    assert counting.turns == [[7], [0], [0]]
    keys = MetricScore.objects.order_by("scorer").values_list("scorer", flat=True)
    assert list(keys) == ["flat 2,", "flat 2, de", "flat 2, zh"]


def test_a_pair_in_two_languages_is_never_stored() -> None:
    mixed = TextPair(Text.of("1. 一种泵。"), Text.of("1. A mug 3."))
    for _ in range(2):
        assert scored(scorer(plain), [mixed]).values == [3.0]
    assert not MetricScore.objects.exists()


def test_a_metric_that_cannot_score_at_all_says_so() -> None:
    damaged = raising(MetricError("The weights are damaged."))
    with pytest.raises(MetricError, match="weights are damaged"):
        scored(scorer(damaged), pairs(3))


def test_a_draft_has_a_score_of_its_own() -> None:
    scored(scorer(plain), pairs(2))
    scored(scorer(plain), pairs(2, "1. A draft."))
    assert MetricScore.objects.count() == 4
    assert MetricScore.objects.exclude(draft_sha256="").count() == 2


def test_a_scorer_with_its_own_cache_is_not_kept_twice() -> None:
    assert scored(scorer(plain, key=""), pairs(3)).values == [0.0, 1.0, 2.0]
    assert not MetricScore.objects.exists()


def test_a_cancelled_job_stops_after_the_turn() -> None:
    heard: list[int] = []

    def on_progress(done: int) -> None:
        heard.append(done)
        if done >= 4:
            raise LostLease

    with pytest.raises(LostLease):
        score_pairs(scorer(plain), pairs(10), lambda: None, on_progress)
    assert heard == [0, 4]
    assert MetricScore.objects.count() == 4


def test_a_failing_scorer_is_cancelled_between_its_pairs() -> None:
    fails, cancelled = raising(OSError()), raising(LostLease())
    with pytest.raises(LostLease):
        score_pairs(scorer(fails), pairs(4), cancelled, lambda count: None)
