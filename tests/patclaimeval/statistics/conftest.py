"""Tables to measure: published ones, small ones by hand, and many random ones with gaps."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from patclaimeval.statistics.tables import Table
from tests.amounts import tries

GAP = float("nan")
# A twentieth of the thousand finds each fault that the tables found when they were planted.
TABLES = tries(1_000, 20)

# Four observers, twelve units, values 1 to 5: the example of Krippendorff, 2011, section C.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
).T

# Six targets, four judges: the example of Shrout and Fleiss, 1979, table 2.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)


def make_table(values: ArrayLike, clusters: Sequence[str] | None = None) -> Table:
    """A table of rows (items) and columns (annotators); each item its own reference by default."""
    numbers = np.array(values, dtype=np.float64)
    items = tuple(f"item {i:04}" for i in range(numbers.shape[0]))
    annotators = tuple(f"annotator {j:02}" for j in range(numbers.shape[1]))
    return Table(numbers, tuple(clusters) if clusters else items, items, annotators)


def random_table(random: np.random.Generator, items: int, annotators: int) -> Table:
    """Scores 0 to 10 that agree somewhat, up to 60 % of them missing, two items a reference."""
    truth = random.uniform(0, 10, size=(items, 1)) + random.normal(0, 1, size=annotators)
    noise = random.normal(0, random.uniform(0.3, 3), size=(items, annotators))
    values = np.clip(np.rint(truth + noise), 0, 10)
    values[random.random((items, annotators)) < random.uniform(0, 0.6)] = GAP
    return make_table(values, [f"reference {i // 2:04}" for i in range(items)])


def random_tables(count: int = TABLES, seed: int = 0) -> Iterator[Table]:
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield random_table(random, int(random.integers(2, 13)), int(random.integers(2, 6)))


def shuffled(table: Table, seed: int = 0) -> Table:
    """The same ratings with items and annotators in another order and under other names."""
    random = np.random.default_rng(seed)
    rows, columns = random.permutation(len(table.items)), random.permutation(len(table.annotators))
    return Table(
        table.values[rows][:, columns],
        tuple(table.clusters[i] for i in rows),
        tuple(table.items[i] for i in rows),
        tuple(f"person {j}" for j in range(len(columns))),
    )


def score_lists(table: Table) -> list[list[float]]:
    """The scores of each item that has two or more, as plain lists for slow second programs."""
    rows = [[float(v) for v in row if not np.isnan(v)] for row in table.values]
    return [row for row in rows if len(row) >= 2]
