"""Tests of changes to claim text by spans."""

from typing import Any

from annotator.claims.edits import Edit, apply_edits, remove_claim, remove_element, without_overlaps
from core.claim_text import parse_claims

LIST = "1. A pump comprising:\n  a rod;\n  a seal; and\n  a cap.\n\n2. The pump of claim 1."


def test_edits_are_made_in_any_order():
    assert apply_edits("abcd", [Edit(0, 1, "xx"), Edit(3, 4, ""), Edit(2, 2, "-")]) == "xxb-c"


def test_an_insertion_before_a_replacement_at_one_place_loses_nothing():
    for edits in ([Edit(1, 1, "-"), Edit(1, 3, "xx")], [Edit(1, 3, "xx"), Edit(1, 1, "-")]):
        assert apply_edits("abcd", edits) == "a-xxd"


class CountedText(str):
    """Counts the characters that are copied out of it or joined to it."""

    __slots__ = ()
    copied = 0

    def __getitem__(self, key: Any) -> "CountedText":
        return self._made(super().__getitem__(key))

    def __add__(self, other: str) -> "CountedText":
        return self._made(super().__add__(other))

    def _made(self, text: str) -> "CountedText":
        CountedText.copied += len(text)
        return CountedText(text)


def test_many_edits_copy_the_text_once_and_not_each():
    source = CountedText("abcd" * 500)
    CountedText.copied = 0
    assert apply_edits(source, [Edit(4 * n, 4 * n + 1, "x") for n in range(500)]) == "xbcd" * 500
    assert CountedText.copied <= 2 * len(source)


class CountedPlace(int):
    """Counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedPlace.compared += 1
        return int.__eq__(self, other)

    def __lt__(self, other: int) -> bool:
        CountedPlace.compared += 1
        return int.__lt__(self, other)

    def __le__(self, other: int) -> bool:
        CountedPlace.compared += 1
        return int.__le__(self, other)

    __hash__ = int.__hash__


def test_an_edit_is_not_compared_with_all_that_were_chosen():
    def compared(count: int) -> int:
        # Every place twice, in no order.
        starts = [3 * (n * 7919 % count) for n in range(2 * count)]
        edits = [Edit(CountedPlace(start), CountedPlace(start + 2), "") for start in starts]
        CountedPlace.compared = 0
        assert without_overlaps(edits) == edits[:count]
        return CountedPlace.compared

    assert compared(1000) < 3 * compared(500)


def test_of_overlapping_edits_the_first_is_chosen():
    first, second, third = Edit(2, 5, "a"), Edit(4, 6, "b"), Edit(5, 6, "c")
    assert without_overlaps([first, second, third]) == [first, third]


def test_a_removed_middle_element_leaves_a_list():
    shorter = remove_element(LIST, parse_claims(LIST)[0], 1)
    assert shorter == "1. A pump comprising:\n  a rod; and\n  a cap.\n\n2. The pump of claim 1."


def test_the_conjunction_moves_when_the_last_element_is_removed():
    shorter = remove_element(LIST, parse_claims(LIST)[0], 2)
    assert shorter == "1. A pump comprising:\n  a rod; and\n  a seal.\n\n2. The pump of claim 1."


def test_a_removed_claim_renumbers_claims_and_citations_after_it():
    text = "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 1.\n"
    text += "4. The pump of claims 1 to 3."
    shorter = remove_claim(text, parse_claims(text)[1])
    assert shorter == "1. A pump.\n2. The pump of claim 1.\n3. The pump of claims 1 to 2."


def test_a_removed_last_claim_leaves_no_blank_lines():
    text = "1. A pump.\n\n2. The pump of claim 1."
    assert remove_claim(text, parse_claims(text)[1]) == "1. A pump."
