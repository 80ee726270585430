import json

import numpy as np
import pytest

from scoring.ranking import NOT_RATED, SystemRatings, rank_by_ratings

RNG = np.random.default_rng(13)
SYSTEM = np.tile([0, 1, 1], 12)
CLUSTERS = np.repeat(np.arange(12), 3)
POINTS = np.clip(np.round(RNG.normal(5, 2, size=36) + 2 * SYSTEM), 0, 10)
FOUND = rank_by_ratings(
    SystemRatings(["ash", "birch", "cedar"], SYSTEM, POINTS, CLUSTERS, 12), resamples=100, seed=0
)
BY_NAME = {row["system"]: row for row in FOUND["systems"]}


def test_a_mean_is_that_of_all_candidates_of_the_system() -> None:
    assert BY_NAME["ash"]["mean"]["value"] == pytest.approx(POINTS[SYSTEM == 0].mean(), abs=1e-9)
    assert BY_NAME["birch"]["mean"]["value"] == pytest.approx(POINTS[SYSTEM == 1].mean(), abs=1e-9)
    assert (BY_NAME["birch"]["n"], BY_NAME["birch"]["references"]) == (24, 12)


def test_the_interval_leaves_out_whole_references() -> None:
    own = SYSTEM == 1
    without = np.array([POINTS[own & (CLUSTERS - r != 0)].mean() for r in range(12)])
    error = np.sqrt(11 / 12 * ((without - without.mean()) ** 2).sum())
    figure = BY_NAME["birch"]["mean"]
    # 97.5 % of Student's t with 11 degrees of freedom, from a table.
    assert figure["high"] == pytest.approx(figure["value"] + 2.200985 * error, rel=1e-6)


def test_the_highest_mean_comes_first_and_who_has_none_last() -> None:
    assert [row["system"] for row in FOUND["systems"]] == ["birch", "ash", "cedar"]
    undefined = {"value": None, "low": None, "high": None}
    assert BY_NAME["cedar"]["mean"] == undefined | {"reason": NOT_RATED}


def test_a_mean_of_zero_is_a_mean() -> None:
    found = rank_by_ratings(
        SystemRatings(["birch", "ash"], np.array([0, 0]), np.zeros(2), np.array([0, 1]), 2), 100, 0
    )
    assert found["systems"][0]["system"] == "birch"
    assert found["systems"][0]["mean"]["value"] == 0.0


def test_the_ranking_is_json() -> None:
    json.dumps(FOUND, allow_nan=False)
    assert (FOUND["n"], FOUND["references"]) == (36, 12)
