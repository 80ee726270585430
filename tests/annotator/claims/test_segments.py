"""Tests of the cut of a text at the borders of its marks."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.segments import Segment, Span, cut_segments
from tests.amounts import tries

STRANGE = st.text(
    st.one_of(st.characters(), st.sampled_from("\x00\u202e\u200b\u0301 \n\U0001f600"))
)
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
def test_joining_the_segments_gives_the_text(text, offset, spans):
    segments = cut_segments(text, offset, spans)
    assert "".join(segment.text for segment in segments) == text
    assert all(text[item.start - offset :].startswith(item.text) for item in segments)
    assert all(segment.text for segment in segments)


@given(STRANGE, st.integers(0, 9), SPANS)
def test_every_character_carries_exactly_the_marks_that_cover_it(text, offset, spans):
    for segment in cut_segments(text, offset, spans):
        for place in range(segment.start, segment.start + len(segment.text)):
            covering = [span for span in spans if span.start <= place < span.end]
            covering.sort(key=lambda span: span.start)
            kinds = tuple(dict.fromkeys(span.kind for span in covering))
            notes = tuple(dict.fromkeys(span.note for span in covering if span.note))
            assert (segment.kinds, segment.notes) == (kinds, notes)


@given(STRANGE, st.integers(0, 9), SPANS)
def test_no_two_neighbours_carry_the_same_marks(text, offset, spans):
    segments = cut_segments(text, offset, spans)
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


def test_text_without_marks_is_one_segment_and_no_text_is_none():
    assert cut_segments("abc", 7, []) == (Segment("abc", 7, (), ()),)
    assert cut_segments("", 7, [Span(0, 20, "diff")]) == ()


def test_one_hundred_thousand_marks_are_cut_at_all_their_borders():
    marks = tries(100_000)
    spans = [Span(place, place + 3, "diff", "") for place in range(0, 4 * marks, 4)]
    assert len(cut_segments("x" * 4 * marks, 0, spans)) == 2 * marks
