import random
from typing import Any

import pytest
from scipy import stats

from patclaimeval.agreement.ceiling import Unavailable
from patclaimeval.agreement.items import (
    Item,
    Question,
    ScorerScores,
    distinct_texts,
    score_differences,
)
from patclaimeval.agreement.scatter import MOST_POINTS, NO_SPREAD, TOO_FEW, scatters

QUESTION = Question("overall_quality", resamples=100)


def items(count: int = 60) -> list[Item]:
    rng = random.Random(5)
    return [
        Item(f"r{n % 7}", f"R{n % 7}", f"b{n}", f"c{n}", rng.choice((-1, 0, 1)))
        for n in range(count)
    ]


def scorer(rows: list[Item], flat: bool = False) -> ScorerScores:
    rng = random.Random(6)
    scores = {text: 0.5 if flat else round(rng.random(), 2) for text in distinct_texts(rows)}
    return ScorerScores("noisy", "1", scores)


def points_of(rows: list[Item]) -> dict[tuple[str, str], float]:
    rng = random.Random(7)
    return {text: rng.randrange(11) / 2 for text in distinct_texts(rows)}


def drawn(rows: list[Item], one: ScorerScores, points: dict[tuple[str, str], float]) -> Any:
    differences = {one.name: score_differences(rows, one)}
    return scatters(QUESTION, rows, [one], differences, points)[one.name]


def test_ratings_are_set_against_scores_and_agree_with_scipy() -> None:
    rows, points = items(), points_of(items())
    one = scorer(rows)
    found = drawn(rows, one, points)
    x = [points[text] for text in distinct_texts(rows)]
    y = [one.scores[text] for text in distinct_texts(rows)]
    assert (found["kind"], found["n"]) == ("ratings", 120)
    assert found["points"] == [[a, b] for a, b in zip(x, y, strict=True)]
    pearson, spearman = stats.pearsonr(x, y), stats.spearmanr(x, y)
    assert found["pearson"]["value"] == pytest.approx(pearson.statistic, abs=1e-9)
    assert found["spearman"]["value"] == pytest.approx(spearman.statistic, abs=1e-9)
    for name in ("pearson", "spearman"):
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]


def test_without_ratings_differences_are_set_against_labels() -> None:
    rows = items()
    one = scorer(rows)
    found = drawn(rows, one, {})
    labels, differences = [row.y for row in rows], score_differences(rows, one)
    assert (found["kind"], found["n"]) == ("differences", 60)
    expected = stats.spearmanr(labels, differences).statistic
    assert found["spearman"]["value"] == pytest.approx(expected, abs=1e-9)


def test_of_many_points_some_are_drawn_evenly_and_all_are_counted() -> None:
    rows = items(1700)
    found = drawn(rows, scorer(rows), {})
    assert found["n"] == 1700
    assert len(found["points"]) == MOST_POINTS
    assert found["points"][0][0] == rows[0].y
    assert found["points"][-1][0] == rows[-1].y


def test_a_flat_side_has_no_correlation_and_says_why() -> None:
    rows = items()
    found = drawn(rows, scorer(rows, flat=True), points_of(rows))
    assert found["pearson"] == {"value": None, "low": None, "high": None, "reason": NO_SPREAD}
    assert found["spearman"]["value"] is None


def test_two_points_are_too_few() -> None:
    rows = items(2)
    found = drawn(rows, scorer(rows), {})
    assert (found["points"], found["pearson"], found["reason"]) == ([], None, TOO_FEW)


def test_what_cannot_score_has_no_points_and_its_reason() -> None:
    absent = Unavailable("bertscore", "Put its weights there.")
    found = scatters(QUESTION, items(), [absent], {}, {})["bertscore"]
    assert (found["points"], found["n"], found["reason"]) == ([], 0, "Put its weights there.")
