from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.change_classes import CLASSES, Change, classify
from patclaimeval.claims.word_diff import find_gaps
from patclaimeval.claims.words import read_tokens

WORDS = ["the", "a", "(", "22", ")", "lid", "lids", "and", "or", "wherein", ";", "-", "in", "that"]
SIGN = {"(": "signs", ")": "signs"}
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def changes(reference: str, candidate: str) -> tuple[dict[str, Change], dict[str, Change]]:
    """Return the class of each token that differs, by what it is."""
    left, right = read_tokens(reference), read_tokens(candidate)
    gaps = [(gap.low, gap.high, gap.start, gap.stop) for gap in find_gaps(left.keys, right.keys)]
    here, there = classify(left.keys, right.keys, gaps)
    return (
        {left.keys[place]: change for place, change in here.items()},
        {right.keys[place]: change for place, change in there.items()},
    )


@pytest.mark.parametrize(
    ("change", "one", "other"),
    [(entry.change, *pair) for entry in CLASSES for pair in entry.examples],
)
def test_each_example_of_a_class_differs_in_that_class_alone(change, one, other) -> None:
    for reference, candidate in ((one, other), (other, one)):
        found = {c for side in changes(reference, candidate) for c in side.values()}
        if change is Change.SUBSTANCE:
            assert Change.SUBSTANCE in found
        else:
            assert found == {change}


def test_every_class_has_a_label_and_examples() -> None:
    assert [entry.change for entry in CLASSES] == list(Change)
    assert all(entry.label and entry.examples for entry in CLASSES)


@pytest.mark.parametrize(
    ("reference", "candidate", "left", "right"),
    [
        (
            "the lid (7) of steel",
            "the cap (9) of brass",
            SIGN | {"lid": "substance", "7": "signs", "of": "substance", "steel": "substance"},
            SIGN | {"cap": "substance", "9": "signs", "of": "substance", "brass": "substance"},
        ),
        (
            "a pump, said pump has a lid;",
            "a pump, said pump has",
            {"a": "substance", "lid": "substance", ";": "substance"},
            {},
        ),
        (
            "comprising a lid",
            "consisting a lid",
            {"comprising": "substance"},
            {"consisting": "substance"},
        ),
        ("a layer of 5-10 mm", "a layer of 5 10 mm", {"-": "substance"}, {}),
        ("the axis (A)", "the axis", {"(": "signs", "a": "signs", ")": "signs"}, {}),
        (
            "magnesium (Mg)",
            "magnesium",
            {"(": "substance", "mg": "substance", ")": "substance"},
            {},
        ),
        (
            "of claims 1 (2) a lid",
            "of claims 1 a lid",
            {"(": "substance", "2": "substance", ")": "substance"},
            {},
        ),
        ("a. heating", "heating", {"a": "punctuation", ".": "punctuation"}, {}),
        ("the device and the lid of the device", "the lid and the device", None, None),
    ],
)
def test_words_in_one_place_are_told_apart(reference, candidate, left, right) -> None:
    found = changes(reference, candidate)
    if left is None:
        # Moved words are the same words, and yet of substance.
        assert Change.SUBSTANCE in {*found[0].values(), *found[1].values()}
        assert Change.FORMS not in {*found[0].values(), *found[1].values()}
    else:
        assert found == (left, right)


@given(TEXTS, TEXTS)
def test_the_classes_do_not_depend_on_which_side_is_which(reference, candidate) -> None:
    left, right = read_tokens(reference).keys, read_tokens(candidate).keys
    gaps = [(gap.low, gap.high, gap.start, gap.stop) for gap in find_gaps(left, right)]
    turned = [(start, stop, low, high) for low, high, start, stop in gaps]
    here, there = classify(left, right, gaps)
    assert classify(right, left, turned) == (there, here)
    assert [*here] == [place for low, high, _, _ in gaps for place in range(low, high)]


def test_other_languages_are_of_substance_but_for_signs_and_punctuation() -> None:
    left, right = (read_tokens(text).keys for text in ("eine Pumpe (7), und", "die Pumpe; und"))
    gaps = [(gap.low, gap.high, gap.start, gap.stop) for gap in find_gaps(left, right)]
    here, _ = classify(left, right, gaps)
    found = [change for change, _ in groupby(here[place] for place in sorted(here))]
    assert found == [Change.SUBSTANCE, Change.SIGNS, Change.PUNCTUATION]


class CountedWord(str):
    """A word that counts how often words are compared with each other."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        CountedWord.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def count_comparisons(phrase: str, repeats: int) -> int:
    """Count the comparisons of words between a repeated phrase and its mirror image."""
    texts = (phrase * repeats, phrase[::-1] * repeats)
    keys, others = ([CountedWord(key) for key in read_tokens(text).keys] for text in texts)
    CountedWord.comparisons = 0
    classify(keys, others, [(0, len(keys), 0, len(others))])
    return CountedWord.comparisons


@pytest.mark.parametrize(
    "phrase",
    [
        "lever (10) ",
        "and/or ",
        "of the ",
        "and ",
        "the lever ",
        ", wherein the lever",
        "said plurality of levers ",
    ],
)
def test_twice_the_words_take_about_twice_the_comparisons(phrase: str) -> None:
    once, twice = (count_comparisons(phrase, repeats) for repeats in (200, 400))
    assert once > 0
    assert twice <= 2.3 * once
