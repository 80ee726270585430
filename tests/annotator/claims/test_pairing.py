"""Tests of the one-to-one pairing of two lists of word bags."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims import pairing as module
from annotator.claims.pairing import Band, Rules, compare_bags, pair_up, score_at

IN_ORDER = Rules(least=0.25, crossing=2.0, margin=0.0)
CROSSING = Rules(least=0.25, crossing=0.5, margin=0.125)
# Eighths, so that sums are exact.
SQUARES = st.integers(0, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 8).map(lambda n: n / 8), min_size=columns, max_size=columns),
        max_size=4,
    )
)


def bands_of(square):
    return [Band(0, row) for row in square]


def most_in_order(square, least):
    cells = [(i, j) for i, row in enumerate(square) for j in range(len(row))]
    worth = 0.0
    for size in range(1, 5):
        for chosen in combinations(cells, size):
            rising = all(a < c and b < d for (a, b), (c, d) in pairwise(chosen))
            if rising and all(square[i][j] >= least for i, j in chosen):
                worth = max(worth, sum(square[i][j] - least for i, j in chosen))
    return worth


@given(SQUARES)
def test_pairs_in_order_are_worth_as_much_as_any(square):
    pairs = pair_up(bands_of(square), IN_ORDER)
    assert pairs == sorted(pairs) and [j for _, j in pairs] == sorted({j for _, j in pairs})
    assert sum(square[i][j] - 0.25 for i, j in pairs) == most_in_order(square, 0.25)


@given(SQUARES)
def test_no_row_and_no_column_is_paired_twice(square):
    pairs = pair_up(bands_of(square), CROSSING)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(square[i][j] >= 0.25 for i, j in pairs)


@given(SQUARES)
def test_no_two_that_are_clearly_alike_stay_alone(square):
    pairs = pair_up(bands_of(square), CROSSING)
    rows, columns = {i for i, _ in pairs}, {j for _, j in pairs}
    for i, row in enumerate(square):
        for j, score in enumerate(row):
            assert score < 0.5 or i in rows or j in columns


def test_a_clear_crossing_parts_weak_pairs_and_a_weak_one_does_not():
    assert pair_up(bands_of([[0.6, 0.9], [0.9, 0.6]]), CROSSING) == [(0, 1), (1, 0)]
    assert pair_up(bands_of([[0.6, 0.9], [0.9, 0.6]]), IN_ORDER) == [(0, 0), (1, 1)]
    assert pair_up(bands_of([[0.6, 0.7], [0.7, 0.6]]), CROSSING) == [(0, 0), (1, 1)]


def test_columns_that_were_not_compared_are_never_paired():
    bands = [Band(0, [0.9]), Band(1, [0.9, 0.8]), Band(3, [1.0])]
    assert pair_up(bands, CROSSING) == [(0, 0), (1, 1), (2, 3)]
    assert pair_up([Band(0, [0.9]), Band(0, [0.0, 0.0, 0.0])], CROSSING) == [(0, 0)]
    assert score_at(bands, 0, 3) == score_at(bands, 2, 0) == 0.0


def test_equal_bags_are_wholly_alike_and_strange_ones_not_at_all():
    bags = [["pump", "rod"], ["seal"], []]
    bands = compare_bags(bags, [["rod", "pump", "rod"], ["cap"], []])
    assert [band.scores for band in bands] == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def test_a_rare_word_in_common_makes_bags_more_alike_than_a_common_one():
    left = [["pump", "rod"], ["pump", "cap"], ["pump", "seal"]]
    bands = compare_bags(left, [["pump", "valve"], ["seal", "valve"]])
    assert bands[2].scores[1] > bands[2].scores[0] > 0


@pytest.mark.parametrize(("rows", "columns"), [(60, 60), (90, 20), (20, 90)])
def test_large_lists_are_compared_near_the_diagonal_and_still_paired(rows, columns, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_COMPARED", 1_000)
    left = [[f"word{place}"] for place in range(rows)]
    right = [[f"word{place * rows // columns}"] for place in range(columns)]
    bands = compare_bags(left, right)
    compared = sum(len(band.scores) for band in bands)
    assert compared <= module.pairs_compared(rows, columns) < rows * columns
    assert [band.low for band in bands] == sorted(band.low for band in bands)
    assert len(pair_up(bands, CROSSING)) == min(rows, columns)


def test_words_that_share_bits_keep_scores_in_range_and_equal_bags_alike(monkeypatch):
    monkeypatch.setattr(module, "WIDEST_MASK", 8)
    bags = [[f"word{place}", f"other{place}"] for place in range(30)]
    bands = compare_bags(bags, bags)
    assert all(0 <= score <= 1 for band in bands for score in band.scores)
    assert all(band.scores[row] == 1 for row, band in enumerate(bands))
