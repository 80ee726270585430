"""Tests of the cut of a claim into features."""

from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.features import count_elements, listed_elements, split_features
from annotator.claims.parsing import parse_claims

PIECES = st.sampled_from(
    ["a rod", ";", ":\n", "\n", ", wherein ", "comprising: ", "and ", ".", " "]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=20).map("".join)))
def test_joining_the_features_gives_the_input(text):
    features = split_features(text)
    assert "".join(feature.text for feature in features) == text
    assert all(text[item.start : item.end] == item.text for item in features)


def test_a_list_is_cut_at_its_lines_and_wherein_clauses():
    text = "A pump comprising:\n  a rod;\n  a seal; and\n  a cap, wherein the cap is round."
    assert [feature.text.split() for feature in split_features(text)] == [
        ["A", "pump", "comprising:"],
        ["a", "rod;"],
        ["a", "seal;", "and"],
        ["a", "cap,"],
        ["wherein", "the", "cap", "is", "round."],
    ]


def test_elements_are_counted_over_all_claims():
    text = "1. A pump comprising a rod; a seal; and a cap.\n2. The pump of claim 1, wherein x."
    assert count_elements(parse_claims(text)) == 4
    assert ";".join(listed_elements(text)) == text
