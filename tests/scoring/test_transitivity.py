from dataclasses import dataclass, field
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.quadruplets import TripleCount, count_violations, is_consistent

KEY = "overall_quality"


@dataclass
class Row:
    b_id: str
    c_id: str
    label: int | None
    reference_id: str = "r"
    annotator: str = ""
    y: dict = field(init=False)

    def __post_init__(self):
        self.y = {} if self.label is None else {KEY: self.label}


def read(row):
    b, c, label = row.split()
    return Row(b, c, int(label))


def sign(number):
    return (number > 0) - (number < 0)


def test_a_triple_is_consistent_exactly_when_some_ranking_gives_its_labels():
    ranked = {(sign(a - b), sign(b - c), sign(a - c)) for a, b, c in product(range(3), repeat=3)}
    assert len(ranked) == 13
    for labels in product((1, 0, -1), repeat=3):
        assert is_consistent(*labels) == (labels in ranked)


@given(st.lists(st.integers(0, 4), min_size=3, max_size=7), st.randoms())
def test_labels_from_one_ranking_never_violate(values, random):
    rows = []
    for i, j in combinations(range(len(values)), 2):
        b, c = (i, j) if random.random() < 0.5 else (j, i)
        rows.append(Row(str(b), str(c), sign(values[b] - values[c])))
    n = len(values)
    assert count_violations(rows, KEY) == TripleCount(n * (n - 1) * (n - 2) // 6, 0)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (["x y 1", "y z 1", "x z -1"], TripleCount(1, 1)),
        (["y x -1", "y z 1", "z x 1"], TripleCount(1, 1)),
        (["x y 0", "y z 0", "x z 1"], TripleCount(1, 1)),
        (["x y 1", "y z 1"], TripleCount(0, 0)),
    ],
    ids=["a cycle", "on other sides", "two ties and a preference", "no triple"],
)
def test_violations_are_counted_whichever_side_a_candidate_stands_on(rows, count):
    unlabelled = [Row("z", "x", None)] if len(rows) == 2 else []
    assert count_violations([*map(read, rows), *unlabelled], KEY) == count


def test_annotators_and_references_are_not_mixed():
    cycle = [("x", "y"), ("y", "z"), ("z", "x")]
    people = [Row(b, c, 1, annotator=str(n)) for n, (b, c) in enumerate(cycle)]
    places = [Row(b, c, 1, reference_id=str(n)) for n, (b, c) in enumerate(cycle)]
    assert count_violations(people, KEY) == count_violations(places, KEY) == TripleCount(0, 0)
