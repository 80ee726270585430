import json

import numpy as np
import pytest

from scoring.ranking import NOT_FINITE, Comparisons, fit_strengths, rank_by_comparisons, shares_of

RNG = np.random.default_rng(12)
TRUTH = np.array([0.8, -0.6, 0.0, 0.1])
NAMES = ["ash", "birch", "cedar", "dogwood"]


def comparisons(rows: list[tuple[int, int, int, int]], names: list[str] = NAMES) -> Comparisons:
    """Comparisons out of rows (b, c, y, reference)."""
    b, c, y, clusters = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Comparisons(names, b, c, y, clusters, int(clusters.max()) + 1)


def play(games: int, references: int) -> list[tuple[int, int, int, int]]:
    rows = []
    for game in range(games):
        b, c = RNG.choice(4, 2, replace=False)
        odds = np.exp([TRUTH[b], -0.5 + (TRUTH[b] + TRUTH[c]) / 2, TRUTH[c]])
        y = RNG.choice([1, 0, -1], p=odds / odds.sum())
        rows.append((int(b), int(c), int(y), game % references))
    return rows


ROWS = play(360, 12)
FOUND = rank_by_comparisons(comparisons(ROWS), resamples=100, seed=0)
BY_NAME = {row["system"]: row for row in FOUND["groups"][0]["systems"]}


def strengths(rows: list[tuple[int, int, int, int]]) -> np.ndarray:
    wins, ties = np.zeros((1, 4, 4)), np.zeros((1, 4, 4))
    for b, c, y, _ in rows:
        if y == 0:
            ties[0, b, c] += 1
            ties[0, c, b] += 1
        else:
            wins[0, b if y == 1 else c, c if y == 1 else b] += 1
    return fit_strengths(wins, ties)[0]


def test_wins_ties_and_losses_are_counted_for_both_sides() -> None:
    for number, name in enumerate(NAMES):
        signs = [y if number == b else -y for b, c, y, _ in ROWS if number in (b, c)]
        row = BY_NAME[name]
        counted = (row["wins"], row["ties"], row["losses"])
        assert counted == (signs.count(1), signs.count(0), signs.count(-1))
        share = (signs.count(1) + signs.count(0) / 2) / len(signs)
        assert row["share"]["value"] == pytest.approx(share, abs=1e-9)
    assert FOUND["n"] == 360
    assert FOUND["ties"] == sum(y == 0 for _, _, y, _ in ROWS)


def test_strengths_are_those_of_all_comparisons_and_give_the_order() -> None:
    values = [BY_NAME[name]["strength"]["value"] for name in NAMES]
    assert values == pytest.approx(strengths(ROWS).tolist(), abs=1e-9)
    order = [row["system"] for row in FOUND["groups"][0]["systems"]]
    assert order == [NAMES[k] for k in np.argsort(-strengths(ROWS))]
    assert (order[0], order[-1]) == ("ash", "birch")
    assert FOUND["groups"][0]["reason"] == ""


def test_intervals_leave_out_whole_references() -> None:
    without = np.array([strengths([row for row in ROWS if row[3] != r]) for r in range(12)])
    spread = np.sqrt(11 / 12 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    for k, name in enumerate(NAMES):
        figure = BY_NAME[name]["strength"]
        half = (figure["high"] - figure["low"]) / 2
        # 97.5 % of Student's t with 11 degrees of freedom, from a table.
        assert half == pytest.approx(2.200985 * spread[k], rel=1e-6)


def test_systems_without_a_link_stand_in_groups_of_their_own() -> None:
    rows = [(0, 1, y, r) for r in range(6) for y in (1, 0, -1, 1)]
    rows += [(2, 3, y, r) for r in range(6, 9) for y in (-1, 0, 1)]
    found = rank_by_comparisons(comparisons([*rows, (4, 5, 1, 9)], [*NAMES, "elm", "fir"]), 100, 0)
    names = [[row["system"] for row in group["systems"]] for group in found["groups"]]
    assert names[0] == ["ash", "birch"]
    assert sorted(names[1]) == ["cedar", "dogwood"]
    assert names[2] == ["elm", "fir"]
    assert sum(row["strength"]["value"] for row in found["groups"][0]["systems"]) == pytest.approx(
        0
    )


def test_who_never_lost_is_ordered_by_share_and_the_reason_given() -> None:
    rows = [(0, 1, 1, r) for r in range(3)] + [(1, 2, 1, r) for r in range(3)]
    (group,) = rank_by_comparisons(comparisons(rows, NAMES[:3]), 100, 0)["groups"]
    assert group["reason"] == NOT_FINITE
    assert [row["system"] for row in group["systems"]] == ["ash", "birch", "cedar"]
    assert [row["share"]["value"] for row in group["systems"]] == [1.0, 0.5, 0.0]
    assert group["systems"][0]["strength"]["value"] is None


def test_shares_count_a_tie_as_one_half() -> None:
    wins = np.array([[[0.0, 3.0], [1.0, 0.0]]])
    ties = np.array([[[0.0, 2.0], [2.0, 0.0]]])
    assert shares_of(wins, ties)[0].tolist() == pytest.approx([4 / 6, 2 / 6])
    assert np.isnan(shares_of(np.zeros((1, 2, 2)), np.zeros((1, 2, 2)))).all()


def test_the_ranking_is_json_and_the_same_for_the_same_seed() -> None:
    again = rank_by_comparisons(comparisons(ROWS), resamples=100, seed=0)
    assert json.dumps(again, allow_nan=False) == json.dumps(FOUND, allow_nan=False)
