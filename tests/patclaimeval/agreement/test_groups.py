"""Items are divided by what is known of them, and in words where it is not."""

import numpy as np

from patclaimeval.agreement.breakdowns import ALL_COPIES, NO_COPIES, WITH, WITHOUT, groupings
from patclaimeval.agreement.ceiling import Columns, Evidence
from patclaimeval.agreement.items import Item

COUNT = 12


def items(copies: int = 0) -> list[Item]:
    """Item n has candidates of n + 1 words; the first ones hold the reference."""
    return [
        Item("r", "the reference", "the reference" if n < copies else "b " * (n + 1), "c", 0)
        for n in range(COUNT)
    ]


def divided(evidence: Evidence, copies: int = 0, positions: list[int] | None = None):
    chosen = list(range(COUNT)) if positions is None else positions
    rows = items(copies)
    return groupings([rows[place] for place in chosen], np.array(chosen), evidence)


def of(name: str, *columns: list[str]) -> Evidence:
    given: Columns = list(columns)
    return Evidence(groups={name: given})


def test_an_item_stands_in_the_groups_of_both_its_candidates() -> None:
    found = divided(of("system", ["x"] * COUNT, ["y"] * 6 + ["x"] * 6))["system"]
    assert {name: len(places) for name, places in found.groups.items()} == {"x": 12, "y": 6}


def test_dropped_items_leave_their_groups() -> None:
    language = ["de"] * 6 + ["en"] * 6
    found = divided(of("language", language), positions=[1, 2, 7])["language"]
    assert {name: places.tolist() for name, places in found.groups.items()} == {
        "de": [0, 1],
        "en": [2],
    }


def test_what_is_hidden_says_why() -> None:
    found = divided(Evidence(groups={"system": "Hidden."}))["system"]
    assert (dict(found.groups), found.reason) == ({}, "Hidden.")


def test_items_are_divided_into_thirds_by_the_words_of_their_candidates() -> None:
    found = divided(Evidence())["length"]
    thirds = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert [places.tolist() for places in found.groups.values()] == thirds


def test_characters_are_counted_where_no_blanks_divide_words() -> None:
    rows = [Item("r", "\u6cf5", "\u9600" * (n + 1), "\u6cf5", 0) for n in range(COUNT)]
    found = groupings(rows, np.arange(COUNT), Evidence())["length"]
    assert [places.tolist() for places in found.groups.values()] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


def test_items_with_the_reference_stand_apart() -> None:
    found = divided(Evidence(), copies=5)["reference_in_items"]
    assert found.groups[WITH].tolist() == [0, 1, 2, 3, 4]
    assert len(found.groups[WITHOUT]) == 7
    assert divided(Evidence())["reference_in_items"].reason == NO_COPIES
    assert divided(Evidence(), copies=COUNT)["reference_in_items"].reason == ALL_COPIES
