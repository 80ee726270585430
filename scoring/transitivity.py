"""Whether the labels of one reference can come from one ranking (ties allowed) of its candidates.

Source: a triple of candidates is consistent when one of the 13 weak orders of three things gives
its three labels; 14 of the 27 possible sign patterns are violations.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol


class Labelled(Protocol):
    """What is counted: a quadruplet, or a row of a dataset."""

    @property
    def reference_id(self) -> str: ...

    @property
    def b_id(self) -> str: ...

    @property
    def c_id(self) -> str: ...

    @property
    def y(self) -> Mapping[str, int]: ...

    @property
    def annotator(self) -> str: ...


@dataclass(frozen=True, slots=True)
class TripleCount:
    """How many fully labelled triples of candidates there are, and how many contradict."""

    triples: int
    violations: int


def is_consistent(first_second: int, second_third: int, first_third: int) -> bool:
    """Say whether three labels (each 1, 0, -1) of a triple fit one ranking with ties.

    If the first two agree in direction, or one of them is a tie, the third follows from them; if
    they are opposite, the third may be anything.
    """
    if first_second == -second_third != 0:
        return True
    return first_third == (first_second or second_third)


def count_violations(quadruplets: Iterable[Labelled], criterion: str) -> TripleCount:
    """Count contradicting triples of candidates for one criterion.

    Input: quadruplets of any references; labels are compared within one reference and
    one annotator ("" for rows of no single one); comparisons of a candidate with itself and repeats
    (the last stands) are passed over. Output: triples whose three pairs all have labels, and those
    of them that fit no ranking. Time grows with the cube of candidates per reference.
    """
    groups: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for row in quadruplets:
        if criterion in row.y and row.b_id != row.c_id:
            sign = row.y[criterion]
            labels = groups.setdefault((row.reference_id, row.annotator), {})
            labels[row.b_id, row.c_id] = sign
            labels[row.c_id, row.b_id] = -sign
    triples = violations = 0
    for labels in groups.values():
        for a, b, c in combinations(sorted({pair[0] for pair in labels}), 3):
            if (a, b) in labels and (b, c) in labels and (a, c) in labels:
                triples += 1
                violations += not is_consistent(labels[a, b], labels[b, c], labels[a, c])
    return TripleCount(triples, violations)
