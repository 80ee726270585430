"""SARI: the authors' own example, hand-computed n-grams, and pairs without a draft."""

import pytest

from patclaimeval.metrics.base import Missing, Pair
from patclaimeval.metrics.sari import Sari, sari

DRAFT = "About 95 species are currently accepted ."
REFERENCES = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]


def words(text: str) -> list[str]:
    return text.lower().split()


@pytest.mark.parametrize(
    ("candidate", "published"),
    [
        ("About 95 you now get in .", 0.2682782411698074),
        ("About 95 species are now agreed .", 0.5889995423074248),
        ("About 95 species are currently agreed .", 0.5071608864657479),
    ],
)
def test_the_example_of_the_authors_script_is_repeated(candidate, published) -> None:
    found = sari(words(DRAFT), words(candidate), [words(text) for text in REFERENCES])
    assert found == pytest.approx(published, abs=1e-12)


def test_one_reference_gives_the_number_computed_by_hand() -> None:
    # Draft a b c d, reference a b e, candidate a b c e.
    # 1-grams: kept a b c, rightly a b: P 2/3, R 1, F .8; deleted d, rightly: 1; added e: 1.
    # 2-grams: kept ab bc, rightly ab: P 1/2, R 1, F 2/3; deleted cd: 1; added ce, wanted be: 0.
    # 3-grams: kept abc, wrongly: 0; deleted bcd: 1; added bce, wanted abe: 0.
    # 4-grams: nothing kept: 0; deleted abcd: 1; added abce, none wanted: 0.
    by_hand = ((0.8 + 2 / 3 + 0 + 0) / 4 + (1 + 1 + 1 + 1) / 4 + (1 + 0 + 0 + 0) / 4) / 3
    found = Sari().score([Pair("a b e", "a b c e", "a b c d")])
    assert found == [pytest.approx(by_hand, abs=1e-12)]


def test_repeated_words_count_as_often_as_they_stand() -> None:
    # Draft a a b, reference a, candidate a a.
    # 1-grams: kept 2 a, one of them wanted: P 1/2, R 1, F 2/3; deleted b: 1; added none: 0.
    # 2-grams: kept aa, wrongly: 0; deleted ab: 1. 3-grams: deleted aab: 1. 4-grams: none.
    by_hand = ((2 / 3) / 4 + (1 + 1 + 1 + 0) / 4 + 0) / 3
    assert Sari().score([Pair("a", "a a", "a a b")]) == [pytest.approx(by_hand, abs=1e-12)]


def test_the_reference_itself_beats_the_untouched_draft() -> None:
    draft, reference = "1. A cup with a body.", "1. A cup with a body, a handle and a lid."
    copy, perfect = Sari().score([Pair(reference, draft, draft), Pair(reference, reference, draft)])
    assert isinstance(copy, float)
    assert isinstance(perfect, float)
    assert copy < perfect <= 1


def test_a_pair_without_a_draft_says_so_and_the_others_are_scored() -> None:
    missing, found = Sari().score([Pair("a b", "a c"), Pair("a b", "a c", "a d")])
    assert isinstance(missing, Missing)
    assert "no draft" in missing.reason
    assert isinstance(found, float)


def test_empty_texts_score_zero() -> None:
    assert Sari().score([Pair("", "", ""), Pair("a", "", "a")])[0] == 0.0
