"""The value that counts for a candidate, by policy, as exact fractions. Standard library only."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from annotator.rubric import ALL_CRITERIA, NAMES

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class SettledValue:
    """One criterion of one candidate: what was given, and what counts under each policy.

    All in rating points, 0 to 10, the overall as numerator / 11. `settled` is the ruling where
    there is one, else the mean; `majority` what more than half gave; none where there is nothing.
    """

    criterion: str
    given: tuple[Fraction, ...]
    settled: Fraction | None
    majority: Fraction | None
    is_ruled: bool

    @property
    def name(self) -> str:
        return NAMES[self.criterion]

    @property
    def settled_text(self) -> str:
        return "none" if self.settled is None else points_text(self.settled)

    @property
    def majority_text(self) -> str:
        return "none" if self.majority is None else points_text(self.majority)


def settle(
    given: Sequence[Mapping[str, Fraction]], ruling: Mapping[str, Fraction] | None = None
) -> tuple[SettledValue, ...]:
    """Return the five criteria of a candidate in the rubric's order.

    Input: each annotator's points by criterion, and those of the valid ruling where there is one.
    The ruling counts instead of the mean; a majority is one of the annotators whatever was ruled.
    """
    values = []
    for criterion in ALL_CRITERIA:
        column = tuple(points[criterion] for points in given)
        ruled = ruling.get(criterion) if ruling else None
        settled = mean(column) if ruling is None else ruled
        found = majority(column)
        values.append(SettledValue(criterion, column, settled, found, ruled is not None))
    return tuple(values)


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """Return the exact mean, or None of no values: sum of the values / their number."""
    return sum(values, Fraction(0)) / len(values) if values else None


def majority(values: Sequence[Value]) -> Value | None:
    """Return what more than half of the annotators say, or None where nothing is said by so many.

    Input: one value of each annotator who is asked about: points of a candidate, or in which order
    somebody who rated both puts two candidates. Half of them is no majority. Whatever is called a
    majority of annotators in this program is this one; a caller says what none means.
    """
    if not values:
        return None
    value, times = Counter(values).most_common(1)[0]
    return value if 2 * times > len(values) else None


def points_text(value: Fraction) -> str:
    """Return points (0 to 10) as people read them: whole as they are, else rounded half up."""
    if value.denominator == 1:
        return str(value.numerator)
    hundredths = (200 * value + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02d}"
