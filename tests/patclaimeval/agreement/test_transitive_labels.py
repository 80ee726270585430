from itertools import product

import pytest

from patclaimeval.agreement.transitive_labels import Comparison, implied_labels


def labels(*given: tuple[str, str, int], group: str = "r") -> list[Comparison]:
    return [Comparison(group, b, c, y) for b, c, y in given]


@pytest.mark.parametrize(
    ("known", "asked", "follows"),
    [
        ([("a", "b", 1), ("b", "c", 1)], ("a", "c", 1), True),
        ([("a", "b", 1), ("b", "c", 1)], ("c", "a", -1), True),
        ([("a", "b", 1), ("b", "c", 1)], ("a", "c", -1), False),
        ([("a", "b", 1), ("b", "c", 0)], ("a", "c", 1), True),
        ([("a", "b", 0), ("b", "c", 0)], ("a", "c", 0), True),
        ([("a", "b", 0), ("b", "c", 0)], ("a", "c", 1), False),
        ([("a", "b", 1), ("b", "c", -1)], ("a", "c", 1), False),
        ([("a", "b", 1)], ("a", "b", 1), True),
        ([("a", "b", 1)], ("a", "d", 1), False),
        ([("a", "b", 1), ("a", "b", -1)], ("a", "b", 1), False),
        ([], ("a", "b", 1), False),
        ([("a", "b", 1)], ("a", "a", 0), False),
        ([("a", "b", -1), ("b", "c", -1), ("c", "d", 0)], ("d", "a", 1), True),
    ],
)
def test_a_label_follows_from_a_chain_with_one_answer(known, asked, follows) -> None:
    assert implied_labels(labels(*known), labels(asked)) == int(follows)


def test_labels_of_another_reference_imply_nothing() -> None:
    known = labels(("a", "b", 1), ("b", "c", 1), group="one")
    assert implied_labels(known, labels(("a", "c", 1), group="other")) == 0


def test_without_contradictions_every_ranking_that_fits_agrees() -> None:
    """Against all 75 weak orders of four candidates: a label follows when all that fit say so."""
    names = "abcd"
    known = [("a", "b", 1), ("b", "c", 0), ("d", "a", 1)]

    def sign(number: int) -> int:
        return (number > 0) - (number < 0)

    fitting = [
        rank
        for places in product(range(4), repeat=4)
        if (rank := dict(zip(names, places, strict=True)))
        and all(sign(rank[b] - rank[c]) == y for b, c, y in known)
    ]
    for b, c, y in product(names, names, (-1, 0, 1)):
        if b != c:
            by_orders = {sign(rank[b] - rank[c]) for rank in fitting} == {y}
            assert implied_labels(labels(*known), labels((b, c, y))) == int(by_orders), (b, c, y)
