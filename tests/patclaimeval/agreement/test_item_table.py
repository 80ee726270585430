"""The items of a report: what is chosen, in which order, and that they count what figures count."""

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest

from patclaimeval.agreement.ceiling import Evidence
from patclaimeval.agreement.item_table import (
    DIFFER,
    FIRST,
    RIGHT,
    SAME,
    SECOND,
    WRONG,
    ItemTable,
    Wanted,
    choose,
    pack,
    strongest_pulls,
    unpack,
)
from patclaimeval.agreement.items import Item, Question, ScorerScores, subtract
from patclaimeval.agreement.preferences import preferences
from patclaimeval.agreement.report import report_with_items

# Differences of two scorers by hand, with a tie threshold of 0.1.
Y: Final = np.array([1, 1, -1, 0, 0, -1])
ONE: Final = np.array([0.5, -0.3, -0.2, 0.05, 0.4, 0.05])
TWO: Final = np.array([0.2, 0.3, 0.6, -0.5, 0.0, -0.1])


def table(**more: Any) -> ItemTable:
    labels = {"one": np.array([1, -1, -1, 0, 1, 0]), "two": np.array([1, 1, 1, -1, 0, 0])}
    found = ItemTable(
        tie_threshold=0.1,
        rows=np.array([4, 9, 2, 7, 1, 3]),
        y=Y,
        references=np.array([0, 0, 1, 1, 2, 2]),
        pairs=np.array([[0, 2, 4, 6, 8, 8], [1, 3, 5, 7, 9, 10]]),
        points=np.array([1.0, 2.0, np.nan, *range(8)]),
        predicted={**labels, "most": np.ones(6, dtype=np.int64)},
        differences={"one": ONE, "two": TWO},
        # A score of 0 for every B; the second compares, and gives its verdicts on both orders.
        scores={"one": np.stack([0 * ONE, -ONE]), "two": np.stack([TWO, -TWO])},
        without={"one": np.array([0.1, 0.9, 0.4]), "two": np.full(3, np.nan)},
        compares=frozenset({"two"}),
        groups={"length": {"short": np.array([0, 1]), "long": np.array([2, 3, 4, 5])}},
    )
    return replace(found, **more)


def chosen(**wanted: Any) -> list[int]:
    return choose(table(), Wanted(**wanted)).tolist()


def test_each_filter_takes_its_items_in_the_order_of_the_dataset() -> None:
    assert chosen() == [4, 2, 5, 0, 3, 1]
    assert chosen(label=0) == [4, 3]
    assert chosen(scorer="one", prediction=0) == [5, 3]
    assert chosen(scorer="one", label=1, prediction=-1) == [1]
    assert chosen(scorer="one", outcome=RIGHT) == [2, 0, 3]
    assert chosen(scorer="one", outcome=WRONG) == [4, 5, 1]
    assert chosen(group=("length", "short")) == [0, 1]
    assert chosen(reference=2) == [4, 5]
    assert chosen(candidate=8) == [4, 5]
    assert chosen(scorer="most", prediction=1, label=-1) == [2, 5]


def test_two_scorers_are_held_against_each_other() -> None:
    both = {"scorer": "one", "second": "two"}
    assert chosen(**both, both=SAME) == [5, 0]
    assert chosen(**both, both=DIFFER) == [4, 2, 3, 1]
    assert chosen(**both, both=FIRST) == [2, 3]
    assert chosen(**both, both=SECOND) == [4, 1]
    assert chosen(**both, prediction=0, second_prediction=-1) == [3]
    # First those where one alone is right, then the others on which they differ.
    one_right = table(y=np.array([1, 1, 0, 0, 0, -1]))
    order = choose(one_right, Wanted(**both, sort="one-right"))
    assert order.tolist() == [1, 3, 4, 2, 0, 5]


def test_an_error_is_how_far_a_scorer_is_from_saying_what_people_say() -> None:
    # y = 1 at -0.3 lacks 0.4 to the threshold; a tie at 0.4 is 0.3 too far; y = -1 at 0.05, 0.15.
    assert table().errors("one") == pytest.approx([0, 0.4, 0, 0, 0.3, 0.15])
    assert table().errors("most").tolist() == [0] * 6
    assert chosen(scorer="one", error=0.3) == [4, 1]
    assert chosen(scorer="one", sort="error", is_descending=True) == [1, 4, 5, 0, 2, 3]


def test_other_orders() -> None:
    assert chosen(scorer="one", sort="difference") == [1, 2, 3, 5, 4, 0]
    assert chosen(sort="label") == [2, 5, 3, 4, 0, 1]
    assert chosen(sort="reference", is_descending=True) == [4, 5, 2, 3, 0, 1]
    # What does not apply leaves the order of the dataset.
    assert chosen(scorer="most", sort="difference") == chosen(sort="one-right") == chosen()


def test_orders_are_asked_of_a_scorer_that_compares() -> None:
    verdicts = np.array([[0.2, 0.3, 0.6, -0.5, 0.0, -0.1], [-0.2, 0.3, -0.6, 0.5, 0.0, -0.1]])
    of_both = table(scores={"two": verdicts})
    wanted = Wanted(scorer="two", orders=DIFFER)
    assert choose(of_both, wanted).tolist() == [5, 1]
    assert len(choose(of_both, replace(wanted, orders=SAME))) == 4
    assert chosen(scorer="one", orders=DIFFER) == chosen()


def test_the_references_that_move_a_figure_most_come_first() -> None:
    (first, second) = strongest_pulls(table(), "one", 0.5, most=2)
    assert (first.reference, first.items, first.tau_b) == (0, 2, 0.1)
    assert first.change == pytest.approx(-0.4)
    assert second.reference == 1
    assert second.change == pytest.approx(0.4)
    assert strongest_pulls(table(), "two", 0.5) == strongest_pulls(table(), "most", 0.5) == []


def test_a_table_comes_back_from_its_bytes() -> None:
    content = pack(table())
    assert content == pack(table())
    found = unpack(content)
    assert found.tie_threshold == 0.1 and found.compares == {"two"}
    for name in ("rows", "y", "references", "pairs", "points"):
        assert np.array_equal(getattr(found, name), getattr(table(), name), equal_nan=True)
    for name in ("predicted", "differences", "scores", "without"):
        ours, theirs = getattr(table(), name), getattr(found, name)
        assert list(ours) == list(theirs)
        assert all(np.array_equal(ours[one], theirs[one], equal_nan=True) for one in ours)
    assert {key: list(one) for key, one in found.groups.items()} == {"length": ["short", "long"]}
    assert found.groups["length"]["long"].tolist() == [2, 3, 4, 5]


def test_differences_come_back_to_the_last_bit() -> None:
    random = np.random.default_rng(1)
    by_pair = random.random(11)
    scores = by_pair[table().pairs]
    verdicts = random.uniform(-1, 1, (2, 6))
    found = table(
        scores={"one": scores, "two": verdicts},
        differences={"one": subtract(*scores), "two": preferences(*verdicts)},
    )
    back = unpack(pack(found))
    for name in ("one", "two"):
        assert np.array_equal(back.scores[name], found.scores[name])
        assert np.array_equal(back.differences[name], found.differences[name])


def made_items(count: int = 40) -> list[Item]:
    random = np.random.default_rng(5)
    return [
        Item(f"r{at % 7}", f"ref {at % 7}", f"{at} b" * (1 + at % 5), f"{at} c", int(y), f"q{at}")
        for at, y in enumerate(random.integers(-1, 2, count))
    ]


def test_the_items_are_those_that_every_figure_counts() -> None:
    items, random = made_items(), np.random.default_rng(6)
    texts = [(one.reference, text) for one in items for text in (one.b, one.c)]
    scorers = [
        ScorerScores(name, "1", dict(zip(texts, random.integers(0, 4, len(texts)), strict=True)))
        for name in ("one", "two")
    ]
    del scorers[0].scores[texts[6]]  # type: ignore[attr-defined] # an item without a score
    evidence = Evidence(groups={"ipc": [["AB"[at % 2] for at in range(len(items))]]})
    question = Question("overall_quality", resamples=100)
    document, found = report_with_items(question, items, scorers, [], evidence)
    assert len(found) == document["checks"]["items"] == 39
    assert found.rows.tolist() == [at for at in range(40) if at != 3]
    for name, entry in (document["scorers"] | document["baselines"]).items():
        for at, line in enumerate(entry["confusion"]["table"]):
            for to, count in enumerate(line):
                wanted = Wanted(scorer=name, label=at - 1, prediction=to - 1)
                assert len(choose(found, wanted)) == count
    for key, grouping in document["breakdowns"].items():
        for group in grouping["groups"]:
            assert len(choose(found, Wanted(group=(key, group["group"])))) == group["n"]
    (pair,) = document["comparisons"]["families"][0]["pairs"]
    for at, line in enumerate(pair["labels"]):
        for to, count in enumerate(line):
            both = Wanted("one", "two", prediction=at - 1, second_prediction=to - 1)
            assert len(choose(found, both)) == count
    value = document["scorers"]["one"]["tau_b"]["value"]
    assert len(strongest_pulls(found, "one", value)) == 5
