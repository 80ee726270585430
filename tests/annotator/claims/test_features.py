"""Tests of the cut of a claim into features."""

from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.limitations import count_elements, listed_elements, split_features
from core.claim_text import parse_claims

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


def test_a_claim_on_one_line_is_cut_like_one_on_many():
    text = (
        "A lamp comprising: a base; and/or a shade, where the shade is red, in which a bulb glows "
        "wherein said bulb includes: a wire; characterised in that: the ratio is 1: 2, wherein: x"
    )
    assert [feature.text.strip() for feature in split_features(text)] == [
        "A lamp comprising:",
        "a base; and/or",
        "a shade,",
        "where the shade is red,",
        "in which a bulb glows",
        "wherein said bulb includes:",
        "a wire;",
        "characterised in that:",
        "the ratio is 1: 2,",
        "wherein:",
        "x",
    ]


def test_ideographic_marks_cut_too():
    parts = ["1\u3001\u6cf5\uff0c\u5305\u62ec\uff1a", "\u58f3\u4f53\uff1b", "\u8f74\uff0c"]
    parts.append("\u5176\u4e2d\u8f74\u957f")
    assert [feature.text for feature in split_features("".join(parts))] == parts


@given(st.one_of(st.text(), st.lists(PIECES, max_size=20).map("".join)))
def test_every_feature_holds_a_word_if_the_text_does(text):
    if any(char.isalnum() for char in text):
        assert all(any(map(str.isalnum, feature.text)) for feature in split_features(text))


def test_long_runs_of_spaces_and_marks_are_no_trap():
    for run in (" " * 200_000, ";" * 200_000, ", " * 100_000, ":\n" * 100_000):
        assert [feature.text for feature in split_features("a" + run)] == ["a" + run]
