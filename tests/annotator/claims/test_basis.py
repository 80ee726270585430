"""Tests of what introduces a term."""

from annotator.claims.antecedents import Basis, Reading
from annotator.claims.terms import find_mentions


def mention(text):
    return next(item for item in find_mentions(text) if item.is_definite)


def test_a_reading_separates_definite_terms_from_other_words():
    reading = Reading.of("a rod and the small seal of steel, said cap")
    assert [item.term for item in reading.definite] == ["cap"]
    assert {"rod", "seal", "small seal", "steel"} <= set(reading.words)
    assert "cap" not in reading.words


def test_a_word_counts_from_its_place_on():
    text = "the rod is here, a rod"
    assert not Basis().holds(mention(text), Reading.of(text), 0, loosely=False)
    text = "a rod is here, the rod"
    assert Basis().holds(mention(text), Reading.of(text), 0, loosely=False)


def test_a_claim_counts_only_where_it_stands_above():
    basis = Basis()
    basis.add(Reading.of("a seal"), 0)
    basis.add(Reading.of("a rod"), 1)
    text = "the rod turns"
    assert not basis.holds(mention(text), Reading.of(text), 0b01, loosely=False)
    assert basis.holds(mention(text), Reading.of(text), 0b10, loosely=False)


def test_loosely_the_noun_is_enough():
    basis = Basis()
    basis.add(Reading.of("a rod"), 0)
    text = "the hollow rod"
    assert not basis.holds(mention(text), Reading.of(text), 1, loosely=False)
    assert basis.holds(mention(text), Reading.of(text), 1, loosely=True)
