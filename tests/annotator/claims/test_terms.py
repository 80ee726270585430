"""Tests of the surface reading of noun phrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.terms import find_mentions, singular


def test_mentions_carry_article_term_and_span():
    text = "A pump with the flexible diaphragm clamped in said housing"
    found = find_mentions(text)
    assert [(item.article, item.term) for item in found] == [
        ("a", "pump"),
        ("the", "flexible diaphragm"),
        ("said", "housing"),
    ]
    assert [text[item.start : item.end] for item in found][1] == "the flexible diaphragm"
    assert [item.is_definite for item in found] == [False, True, True]


def test_a_verb_after_the_noun_leaves_the_noun_among_the_heads():
    (mention,) = find_mentions("the pressure sensor rises")
    assert "sensor" in mention.heads


def test_a_noun_in_ing_is_no_verb():
    (mention,) = find_mentions("the pump housing")
    assert mention.heads == ("housing",)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("valves", "valve"),
        ("boxes", "box"),
        ("batteries", "battery"),
        ("glass", "glass"),
        ("axis", "axis"),
        ("lens", "lens"),
        ("lenses", "lens"),
        ("bacteria", "bacterium"),
        ("gases", "gas"),
        ("indices", "index"),
    ],
)
def test_plurals_are_folded(plural, one):
    assert singular(plural) == one


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the at least one valve, said plurality of rods", ["valve", "rods"]),
        ("the signal received by it", ["signal"]),
        ("the lightly doped layer", ["lightly doped layer"]),
        ("the member axially moving", ["member"]),
        ("the valve assembly", ["valve assembly"]),
        ("the nip therebetween", ["nip"]),
        ("the display different from it", ["display"]),
        ("the power feed unit", ["power feed unit"]),
    ],
)
def test_a_term_ends_where_its_noun_ends(text, terms):
    found = find_mentions(text)
    assert [item.term for item in found] == terms
    assert all(item.is_definite for item in found)


@given(st.text(alphabet="the aseid,.- \n"))
def test_spans_lie_inside_any_text(text):
    for mention in find_mentions(text):
        assert 0 <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end].lower().startswith(mention.article)
