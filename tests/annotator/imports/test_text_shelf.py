"""Texts laid aside come back as they were, in any order."""

import pytest

from annotator.imports.preferences.texts import TextShelf


def test_texts_come_back_in_any_order_also_between_new_ones() -> None:
    shelf = TextShelf()
    texts = ["1. A cup.\r\n", "", "e\u0301 \u2028 \U0001f600", "x" * 100_000]
    places = [shelf.put(text) for text in texts[:2]]
    assert shelf.get(places[0]) == texts[0]
    places += [shelf.put(text) for text in texts[2:]]
    assert [shelf.get(place) for place in reversed(places)] == texts[::-1]


def test_a_closed_shelf_gives_nothing() -> None:
    shelf = TextShelf()
    place = shelf.put("1. A cup.")
    shelf.close()
    with pytest.raises(ValueError, match="closed"):
        shelf.get(place)
