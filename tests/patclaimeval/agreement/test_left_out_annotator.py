from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.agreement.ceiling import Overlap, judge_everybody

ratings = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 10), min_size=1
)
bands = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1, 3), Fraction(2)])


def overlap_of(
    given_: dict[tuple[int, int], int], pairs: list[tuple[int, int]], band: Fraction = Fraction(0)
) -> Overlap:
    candidates, annotators = (np.array([key[i] for key in given_], dtype=np.int64) for i in (0, 1))
    values = np.array(list(given_.values()), dtype=np.int64)
    b, c = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    return Overlap(candidates, annotators, values, b, c, np.zeros(len(pairs), np.int64), band)


def label(one: Fraction, two: Fraction, band: Fraction) -> int:
    return 0 if abs(one - two) <= band else (1 if one > two else -1)


@given(ratings, bands)
def test_labels_are_those_of_exact_fractions(given_, band) -> None:
    pairs = [(0, 1), (1, 2), (3, 0), (2, 3)]
    everybody = sorted({annotator for _, annotator in given_})
    found = list(judge_everybody(overlap_of(given_, pairs, band)))
    assert len(found) == len(everybody)
    for person, judged in zip(everybody, found, strict=True):
        expected = []
        for place, (b, c) in enumerate(pairs):
            others = [
                [value for (text, who), value in given_.items() if text == side and who != person]
                for side in (b, c)
            ]
            own = [given_.get((side, person)) for side in (b, c)]
            if all(others) and None not in own:
                means = [Fraction(sum(values), len(values)) for values in others]
                mine = [Fraction(value) for value in own if value is not None]
                labels = label(mine[0], mine[1], band), label(means[0], means[1], band)
                expected.append((place, *labels, int(mine[0] - mine[1])))
        rows = zip(judged.items, judged.own, judged.y, judged.differences, strict=True)
        assert [tuple(map(int, row)) for row in rows] == expected


def test_means_over_different_numbers_of_people_can_be_equal() -> None:
    # Without annotator 0, the others give 7 points in 3 ratings, and 14 in 6.
    given_ = {(0, 1): 2, (0, 2): 2, (0, 3): 3} | {(1, 1): 2, (1, 2): 2, (1, 3): 3}
    given_ |= {(1, 4): 2, (1, 5): 2, (1, 6): 3, (0, 0): 9, (1, 0): 1}
    first = next(judge_everybody(overlap_of(given_, [(0, 1)])))
    assert (first.own.tolist(), first.y.tolist()) == ([1], [0])


def test_a_zero_is_a_rating() -> None:
    given_ = {(0, 0): 0, (1, 0): 0, (0, 1): 0, (1, 1): 5}
    first, second = judge_everybody(overlap_of(given_, [(0, 1)]))
    assert (first.own.tolist(), first.y.tolist()) == ([0], [-1])
    assert (second.own.tolist(), second.y.tolist()) == ([-1], [0])


def test_nobody_is_compared_with_themselves() -> None:
    alone = {(0, 0): 3, (1, 0): 4, (0, 1): 5}
    assert [len(judged.items) for judged in judge_everybody(overlap_of(alone, [(0, 1)]))] == [0, 0]
