from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.segments import Segment, Span, cut_segments
from patclaimeval.claims.word_diff import find_gaps
from patclaimeval.claims.words import read_tokens
from tests.amounts import tries

STRANGE = st.text(
    st.one_of(st.characters(), st.sampled_from("\x00\u202e\u200b\u0301\u00ad \n\U0001f600"))
)
WORDY = st.lists(
    st.sampled_from(["the", "rod", "seal", "of", ",", ";", "2", "一", "\n", "1. ", "CO", "\u202e"]),
    max_size=25,
).map(" ".join)
# So few words that differences can slide far and into one another.
FEW = st.lists(st.sampled_from(["rod", "the", ";"]), max_size=14).map(" ".join)
TEXTS = st.one_of(STRANGE, WORDY, FEW)


def compared(reference, candidate):
    """Return the tokens of both texts and, for each, the places that differ."""
    left, right = read_tokens(reference), read_tokens(candidate)
    gaps = find_gaps(left.keys, right.keys)
    here = {place for gap in gaps for place in range(gap.low, gap.high)}
    there = {place for gap in gaps for place in range(gap.start, gap.stop)}
    return (left, here), (right, there)


def shown(text, side):
    """Return a text with its runs of differing tokens in brackets."""
    tokens, places = side
    out, end = "", 0
    for place, (start, stop) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        opens = place in places and place - 1 not in places
        closes = place in places and place + 1 not in places
        out += text[end:start] + "[" * opens + text[start:stop] + "]" * closes
        end = stop
    return out + text[end:]


def same_keys(side):
    tokens, places = side
    return [key for place, key in enumerate(tokens.keys) if place not in places]


@given(TEXTS, TEXTS)
def test_what_does_not_differ_is_the_same_on_both_sides(reference, candidate):
    left, right = compared(reference, candidate)
    assert same_keys(left) == same_keys(right)


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text):
    left, right = compared(text, text)
    assert not left[1] and not right[1]


@given(WORDY)
def test_white_space_and_unseen_characters_alone_are_no_difference(text):
    left, right = compared(text, "\n\t " + text.replace(" ", "  \u200b\n") + " ")
    assert not left[1] and not right[1]


@pytest.mark.parametrize(
    ("reference", "candidate", "left", "right"),
    [
        ("a rubber seal", "a seal", "a [rubber] seal", "a seal"),
        ("1. A rod, wide.", "2) A bar, wide.", "1. A [rod], wide.", "2) A [bar], wide."),
        ("A pump of steel.", "A valve of brass.", "A [pump of steel].", "A [valve of brass]."),
        ("a rod; a seal; and a cap", "a rod; and a cap", "a rod; [a seal;] and a cap", None),
        ("the seal holds the cap", "the cap", "[the seal holds] the cap", None),
        ("Fe and CO", "fe and Co", "Fe and [CO]", "fe and [Co]"),
        ("of 10mm", "of 10 mm", "of 10mm", None),
        ("一种水泵", "一种泵", "一种[水]泵", None),
        ("p q y r y t z", "y t w", "[p q y r] y t [z]", "y t [w]"),
        ("a first layer", "a second, thin layer", "a [first] layer", "a [second, thin] layer"),
    ],
)
def test_differences_stand_where_a_reader_expects_them(reference, candidate, left, right):
    sides = compared(reference, candidate)
    assert shown(reference, sides[0]) == left
    assert shown(candidate, sides[1]) == (right or candidate)


def test_an_added_text_differs_as_a_whole():
    assert shown("a seal ", compared("", "a seal ")[1]) == "[a seal] "


def test_one_claim_of_five_thousand_words_meets_another():
    reference = "1. " + "the rod of the seal and " * 1_000
    candidate = "1. " + "the seal of a rod or " * 1_000
    left, right = compared(reference, candidate)
    assert same_keys(left) == same_keys(right)
    assert len(same_keys(left)) >= 1_000


SPANS = st.lists(
    st.builds(
        Span,
        st.integers(-5, 40),
        st.integers(-5, 40),
        st.sampled_from(["diff", "term", "basis"]),
        st.sampled_from(["", "first note", "second note"]),
    ),
    max_size=12,
)


@given(STRANGE, st.integers(0, 9), SPANS)
def test_segments_give_the_text_with_the_marks_that_cover_each_character(text, offset, spans):
    segments = cut_segments(text, offset, spans)
    assert "".join(segment.text for segment in segments) == text
    assert all(text[item.start - offset :].startswith(item.text) for item in segments)
    assert all(segment.text for segment in segments)
    for segment in cut_segments(text, offset, spans):
        for place in range(segment.start, segment.start + len(segment.text)):
            covering = [span for span in spans if span.start <= place < span.end]
            covering.sort(key=lambda span: span.start)
            kinds = tuple(dict.fromkeys(span.kind for span in covering))
            notes = tuple(dict.fromkeys(span.note for span in covering if span.note))
            assert (segment.kinds, segment.notes) == (kinds, notes)
    for left, right in pairwise(segments):
        assert (left.kinds, left.notes) != (right.kinds, right.notes)


def test_overlapping_marks_are_cut_at_every_border():
    spans = [Span(102, 106, "term", "unknown"), Span(104, 120, "diff")]
    assert cut_segments("abcdefgh", 100, spans) == (
        Segment("ab", 100, (), ()),
        Segment("cd", 102, ("term",), ("unknown",)),
        Segment("ef", 104, ("term", "diff"), ("unknown",)),
        Segment("gh", 106, ("diff",), ()),
    )


def test_touching_marks_of_one_kind_are_one_segment_and_empty_ones_are_none():
    spans = [Span(0, 2, "diff"), Span(2, 4, "diff"), Span(5, 5, "term"), Span(6, 3, "term")]
    assert [item.text for item in cut_segments("abcdefg", 0, spans)] == ["abcd", "efg"]
    assert cut_segments("abc", 7, []) == (Segment("abc", 7, (), ()),)
    assert cut_segments("", 7, [Span(0, 20, "diff")]) == ()


def test_one_hundred_thousand_marks_are_cut_at_all_their_borders():
    marks = tries(100_000)
    spans = [Span(place, place + 3, "diff", "") for place in range(0, 4 * marks, 4)]
    assert len(cut_segments("x" * 4 * marks, 0, spans)) == 2 * marks
