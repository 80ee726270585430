"""Groups get the figures of their own items, and words where these are too few."""

import numpy as np
import pytest
from scipy import stats

from patclaimeval.agreement.breakdowns import (
    MOST_GROUPS,
    NO_GROUPS,
    ONE_GROUP,
    TOO_SMALL,
    Grouping,
    break_down,
    group_by,
    group_by_length,
)
from patclaimeval.statistics import resampling
from tests.patclaimeval.agreement.samples import jackknife_half, sample_of

RNG = np.random.default_rng(9)
N, REFERENCES = 150, 50
CLUSTERS = np.arange(N) % REFERENCES
Y = RNG.integers(-1, 2, size=N)
LANGUAGE = np.where(CLUSTERS < 20, "de", "en")
# "de" agrees, "en" disagrees.
DIFFERENCES = np.round(np.where(CLUSTERS < 20, 1, -1) * Y + RNG.normal(size=N), 1)
SAMPLE = sample_of(Y, CLUSTERS)
FOUND = break_down(
    SAMPLE,
    {"metric": DIFFERENCES, "flat": np.zeros(N)},
    {"language": group_by(LANGUAGE), "ipc": Grouping({}, "No IPC.")},
)
GROUPS = {row["group"]: row for row in FOUND["language"]["groups"]}


def tau(chosen: np.ndarray) -> float:
    return float(stats.kendalltau(DIFFERENCES[chosen], Y[chosen]).statistic)


def test_a_group_is_measured_on_its_own_items() -> None:
    german = np.flatnonzero(LANGUAGE == "de")
    assert (GROUPS["de"]["n"], GROUPS["de"]["references"]) == (60, 20)
    assert GROUPS["de"]["scorers"]["metric"]["value"] == pytest.approx(tau(german), abs=1e-9)
    assert GROUPS["de"]["scorers"]["metric"]["value"] > 0.3
    assert GROUPS["en"]["scorers"]["metric"]["value"] < -0.3


def test_a_small_group_has_the_jackknife_over_its_own_references() -> None:
    german = np.flatnonzero(LANGUAGE == "de")
    without = np.array([tau(german[CLUSTERS[german] != r]) for r in range(20)])
    figure = GROUPS["de"]["scorers"]["metric"]
    half = jackknife_half(without)
    assert (figure["low"], figure["high"]) == pytest.approx(
        (tau(german) - half, tau(german) + half), abs=1e-9
    )


def test_a_group_of_many_references_has_the_bootstrap_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resampling, "SMALL_CLUSTER_COUNT", 40)
    chosen = np.flatnonzero(CLUSTERS // 5)
    found = break_down(SAMPLE, {"m": DIFFERENCES}, {"late": Grouping({"x": chosen})})
    drawn = [np.repeat(chosen, w[CLUSTERS[chosen]].astype(int)) for w in SAMPLE.weights]
    expected = np.quantile([tau(places) for places in drawn], [0.025, 0.975])
    assert found["late"]["groups"][0]["references"] == 45
    figure = found["late"]["groups"][0]["scorers"]["m"]
    assert (figure["low"], figure["high"]) == pytest.approx(tuple(expected), abs=1e-9)


def test_a_scorer_without_order_says_so_in_its_group() -> None:
    assert GROUPS["en"]["scorers"]["flat"]["value"] is None
    assert "scorer" in GROUPS["en"]["scorers"]["flat"]["reason"]


def test_small_groups_say_so_instead_of_a_figure() -> None:
    groups = {
        "nine": np.arange(9),
        "one reference": np.flatnonzero(CLUSTERS == 3),
        "ten": np.arange(10),
    }
    found = break_down(SAMPLE, {"m": DIFFERENCES}, {"by": Grouping(groups)})["by"]["groups"]
    assert [row["scorers"]["m"].get("reason") == TOO_SMALL for row in found] == [True, True, False]
    assert found[0]["scorers"]["m"]["value"] is None
    one = break_down(
        sample_of(Y, np.zeros(N)), {"m": DIFFERENCES}, {"by": Grouping({"all": np.arange(N)})}
    )
    assert one["by"]["groups"][0]["scorers"]["m"]["reason"] == TOO_SMALL


def test_an_item_stands_in_the_groups_of_both_its_systems() -> None:
    grouping = group_by(["x", "y", "x", ""], ["y", "z", "x", "z"])
    found = {name: places.tolist() for name, places in grouping.groups.items()}
    assert found == {"x": [0, 2], "y": [0, 1], "z": [1, 3], "not known": [3]}
    assert list(found)[-1] == "not known"


def test_one_group_or_none_is_not_a_breakdown_and_has_its_reason() -> None:
    assert group_by(["en", "en"]) == Grouping({}, ONE_GROUP)
    assert group_by(["", ""]) == Grouping({}, NO_GROUPS)
    assert "too much alike" in group_by_length([7, 7, 7, 7]).reason
    assert group_by_length([]).reason == NO_GROUPS
    assert FOUND["ipc"] == {"reason": "No IPC.", "groups": []}


def test_of_many_groups_the_largest_are_shown() -> None:
    names = [f"system {k:03}" for k in range(60) for _ in range(1 + (k >= 30))]
    grouping = group_by(names)
    assert len(grouping.groups) == MOST_GROUPS
    assert grouping.reason == "The 40 largest of 60."
    assert {f"system {k:03}" for k in range(30, 60)} <= set(grouping.groups)
    assert list(grouping.groups) == sorted(grouping.groups)


def test_lengths_are_divided_into_thirds() -> None:
    grouping = group_by_length([50, 10, 20, 60, 30, 40])
    assert [places.tolist() for places in grouping.groups.values()] == [[1, 2], [4, 5], [0, 3]]
    assert list(grouping.groups) == [
        "shortest third, up to 20 words",
        "middle third, up to 40 words",
        "longest third, over 40 words",
    ]
