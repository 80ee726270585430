"""Tests of the figures that describe a claim set, and of the count of edits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.statistics import ClaimStatistics, EditCounts, count_edits, describe_claims

PAIR = "1. A pump, wherein a rod that moves is 2 mm wide.\n2. The pump of claim 1 with a seal."
TEXTS = st.one_of(
    st.text(), st.lists(st.sampled_from(["a", "rod", "of", ",", "\n1. "])).map(" ".join)
)


def test_the_figures_of_two_claims_are_those_counted_by_hand():
    # 11 + 8 tokens; 17 of them words in letters, with 18 syllables; 2 subordinating words.
    found = describe_claims(PAIR)
    assert found == ClaimStatistics(
        tokens=19,
        claims=2,
        independent_claims=1,
        tokens_per_claim=9.5,
        longest_claim=11,
        clauses_per_sentence=2.0,
        flesch_kincaid_grade=found.flesch_kincaid_grade,
    )
    words = 17
    assert found.flesch_kincaid_grade == pytest.approx(
        0.39 * words / 2 + 11.8 * 18 / words - 15.59, abs=1e-9
    )


@pytest.mark.parametrize("text", ["", " \n", "...", "\x00", "1. (canceled)\n2-9. (canceled)"])
def test_what_holds_no_claim_has_no_figures(text):
    assert describe_claims(text) == ClaimStatistics(0, 0, 0, 0.0, 0, 0.0, None)


def test_words_before_the_first_claim_and_cancelled_claims_do_not_count():
    padded = "What is claimed is:\n" + PAIR + "\n3. (Cancelled)"
    assert describe_claims(padded) == describe_claims(PAIR)


def test_a_text_without_numbers_is_one_claim():
    found = describe_claims("A pump with a rod.")
    assert (found.claims, found.independent_claims, found.tokens) == (1, 1, 5)


def test_ideographs_are_tokens_and_have_no_reading_grade():
    found = describe_claims("1、一种泵，包括壳体。")  # noqa: RUF001
    assert (found.tokens, found.flesch_kincaid_grade) == (7, None)


@given(TEXTS)
def test_the_figures_of_any_text_hang_together(text):
    found = describe_claims(text)
    assert found.tokens == pytest.approx(found.tokens_per_claim * found.claims)
    assert 0 <= found.independent_claims <= found.claims
    assert found.longest_claim <= found.tokens
    assert (found.clauses_per_sentence >= 1) == (found.claims > 0)


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ("1. a rod", "2) A rod.", EditCounts(0, 0, 0)),
        ("a rod", "a long rod", EditCounts(1, 0, 0)),
        ("a long rod", "a rod", EditCounts(0, 1, 0)),
        ("a rod", "a bar", EditCounts(0, 0, 1)),
        ("a long steel rod and a seal", "a bar and a round seal", EditCounts(1, 2, 1)),
        ("", "a rod", EditCounts(2, 0, 0)),
    ],
)
def test_words_are_added_deleted_or_replaced(before, after, counts):
    assert count_edits(before, after) == counts


@given(TEXTS, TEXTS)
def test_the_way_back_exchanges_what_is_lost_and_what_is_new(before, after):
    there, back = count_edits(before, after), count_edits(after, before)
    assert there.deleted + there.replaced == back.added + back.replaced
    assert there.added + there.replaced == back.deleted + back.replaced


SYLLABLES = {
    "wide": 1,
    "moves": 1,
    "turned": 1,
    "table": 2,
    "boxes": 2,
    "coated": 2,
    "apparatus": 4,
}


@pytest.mark.parametrize(("word", "syllables"), SYLLABLES.items())
def test_syllables_count_in_the_grade(word, syllables):
    grade = describe_claims(word).flesch_kincaid_grade
    assert grade == pytest.approx(0.39 + 11.8 * syllables - 15.59)
