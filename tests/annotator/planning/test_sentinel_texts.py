"""Texts of sentinels: one criterion suffers, and the id tells nothing."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.planning import sentinel_texts
from annotator.planning.sentinel_texts import KINDS, sentinel_text, unguessable_id
from patclaimeval.claims.damage import Damaged, NothingToDamage, rename_term
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.tree import build_tree
from patclaimeval.claims.words import WordPairs
from patclaimeval.rubric import CRITERIA
from tests.amounts import few
from tests.claims_in_languages import CHINESE, FRENCH, GERMAN, JAPANESE

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(REFERENCES.glob("*.txt"))}


def test_each_criterion_that_is_rated_has_a_damage() -> None:
    assert set(KINDS) == set(CRITERIA)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", few(TEXTS, 4))
def test_every_reference_of_the_demo_can_be_damaged_on_every_criterion(name, criterion) -> None:
    done = sentinel_text(TEXTS[name], criterion, 7)
    assert done == sentinel_text(TEXTS[name], criterion, 7)
    assert done.text != TEXTS[name]
    assert done.criterion == criterion
    assert 1 <= done.places <= 3


def test_terms_of_the_text_get_a_second_name_where_no_known_one_stands() -> None:
    text = "1. A spoon with a bowl, wherein the bowl is deep and a rim of the bowl is flat."
    done = sentinel_text(text, "terminology_consistency", 1)
    assert "the bowl member" in done.text


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_text_without_a_place_is_refused(criterion) -> None:
    with pytest.raises(NothingToDamage):
        sentinel_text("A cup", criterion, 0)


@given(st.text(min_size=1, max_size=30), st.integers())
def test_an_id_has_the_shape_of_its_model_and_letters_enough_to_be_drawn(like, seed) -> None:
    name = unguessable_id(like, {like}, random.Random(seed))
    assert name != like

    def shape(text: str) -> str:
        for kind, mark in (("[0-9]", "0"), ("[a-z]", "a"), ("[A-Z]", "A")):
            text = re.sub(kind, mark, text)
        return text

    assert shape(name[: len(like)]) == shape(like)
    drawn = re.findall("[0-9a-zA-Z]", name)
    assert len(drawn) >= 8


def test_an_id_that_is_taken_is_drawn_again() -> None:
    first = unguessable_id("cand-12345678", set(), random.Random(3))
    assert unguessable_id("cand-12345678", {first}, random.Random(3)) != first


def test_of_a_text_with_thousands_of_terms_the_most_frequent_are_looked_for(monkeypatch) -> None:
    given: list[int] = []

    def counted(text: str, severity: int, seed: int, *pairs: WordPairs) -> Damaged:
        given.extend(map(len, pairs))
        return rename_term(text, severity, seed, *pairs)

    monkeypatch.setattr(sentinel_texts, "rename_term", counted)
    letters = "bdfghkmnpr"
    names = [f"q{a}{b}{c}um" for a in letters for b in letters for c in letters]
    text = "1. A kit with " + ", ".join(f"the {name}" for name in [*names, names[-1]])
    assert sentinel_text(text, "terminology_consistency", 1).kind == "rename_term"
    assert given == [200]
    assert dict(sentinel_texts._own_pairs(text))[names[-1]] == f"{names[-1]} member"


@pytest.mark.parametrize("claims", [*GERMAN, *FRENCH, *CHINESE, *JAPANESE])
def test_no_word_of_english_enters_claims_in_another_language(claims):
    for criterion in ("conceptual_clarity", "terminology_consistency"):
        with pytest.raises(NothingToDamage):
            sentinel_text(claims.text, criterion, 1, claims.language)
    broken = sentinel_text(claims.text, "logical_linkage", 1, claims.language)
    letters = [
        "".join(sign for sign in text if not sign.isdecimal())
        for text in (broken.text, claims.text)
    ]
    assert letters[0] == letters[1]
    # Nor do digits of another width show that it was touched.
    widths = [
        {sign.isascii() for sign in text if sign.isdecimal()} for text in (broken.text, claims.text)
    ]
    assert widths[0] == widths[1]
    assert build_tree(parse_claims(broken.text)).faults
