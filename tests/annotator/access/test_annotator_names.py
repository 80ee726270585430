"""Pseudonyms: stable under one key, not to be joined under another, and nobody without a name."""

from typing import Any

from annotator.access.scopes import pseudonyms, renamed

IDS = [f"id-{number}" for number in range(30)]


def test_the_same_key_gives_the_same_numbers_whatever_the_order() -> None:
    assert pseudonyms(IDS, "a") == pseudonyms(reversed(IDS), "a")
    assert set(pseudonyms(IDS, "a").values()) == {f"Annotator {n}" for n in range(1, 31)}


def test_another_key_or_another_secret_gives_other_numbers(settings) -> None:
    one = pseudonyms(IDS, "a")
    assert pseudonyms(IDS, "b") != one
    settings.SECRET_KEY = "another secret altogether"
    assert pseudonyms(IDS, "a") != one


def test_ids_become_names_wherever_they_stand_and_the_rest_stays() -> None:
    names = {"x": "Annotator 1", "y": "Annotator 2"}
    stored: dict[str, Any] = {
        "severity": {"people": [{"annotator": "x", "n": 1}], "groups": 1},
        "pairs": [{"first": "x", "second": "y", "value": 0.5}],
        "groups": [{"annotator": None, "n": 4}],
    }
    found = renamed(stored, names)
    assert found["severity"] == {"people": [{"annotator": "Annotator 1", "n": 1}], "groups": 1}
    assert found["pairs"] == [{"first": "Annotator 1", "second": "Annotator 2", "value": 0.5}]
    assert found["groups"] == stored["groups"]
    assert stored["pairs"][0]["first"] == "x"


def test_who_has_no_name_is_left_out_and_all_together_stays() -> None:
    stored = [
        {"annotator": "x"},
        {"annotator": None},
        {"first": "x", "second": "y"},
        {"first": "y", "second": "y"},
    ]
    assert renamed(stored, {"y": "Y"}) == [{"annotator": None}, {"first": "Y", "second": "Y"}]
    assert renamed(stored, {}) == [{"annotator": None}]
