import pytest

from annotator.context.rules import (
    MOST_TERMS,
    Paragraphs,
    Piece,
    pieces_of,
    search_spans,
    terms_in,
)

TEXTS = [
    "The metering chambers hold one metering chamber.",
    "Other pumps have no chamber.",
    "A metering, chamber",
    "",
]


def test_a_term_stands_where_its_words_do_in_any_number() -> None:
    paragraphs = Paragraphs(TEXTS)
    # A comma between two words does not part them: words alone are compared.
    assert paragraphs.having("metering chamber") == [0, 2]
    assert paragraphs.having("chambers") == [0, 1, 2]
    assert paragraphs.having("metering chamber hold") == [0]
    assert paragraphs.having("amber") == []
    spans = paragraphs.spans(0, "metering chamber")
    assert [TEXTS[0][start:end] for start, end in spans] == [
        "metering chambers",
        "metering chamber",
    ]


def test_neighbouring_places_of_a_term_are_all_found() -> None:
    paragraphs = Paragraphs(["pump pump pump"])
    assert paragraphs.spans(0, "pump") == [(0, 4), (5, 9), (10, 14)]
    assert paragraphs.spans(0, "pump pump") == [(0, 9)]


def test_the_terms_of_claims_are_counted_by_paragraph() -> None:
    claims = "1. A pump comprising a metering chamber and a lid.\n2. The pump of claim 1, wherein "
    claims += "the metering chamber rises."
    found = [(one.text, one.paragraphs) for one in terms_in(claims, Paragraphs(TEXTS))]
    # "Rises" may be a noun: the reading that stands in the description is the one meant.
    assert found == [("pump", 1), ("metering chamber", 2), ("lid", 0)]


@pytest.mark.parametrize("claims", ["", "1. Eine Pumpe mit einer Kammer.", "1. 一种泵。"])
def test_claims_without_english_articles_have_no_terms(claims: str) -> None:
    assert terms_in(claims, Paragraphs(TEXTS)) == []


def test_so_many_terms_are_looked_for_and_no_more() -> None:
    signs = [a + b + "q" for a in "bcdfghjklmnpqrtvwxz" for b in "bcdfghjklmnpqrtvwxz"]
    claims = ", ".join(f"a {sign}" for sign in signs)
    assert len(terms_in(claims, Paragraphs(TEXTS))) == MOST_TERMS


def test_a_search_reads_signs_as_they_are_and_any_white_space_between() -> None:
    text = "A (small)\n  Chamber. a (SMALL) chamber"
    assert [text[a:b] for a, b in search_spans(text, " (small)  chamber")] == [
        "(small)\n  Chamber",
        "(SMALL) chamber",
    ]
    assert search_spans(text, ".*") == search_spans(text, "  ") == []


def test_pieces_joined_are_the_text() -> None:
    pieces = list(pieces_of("a bc d", [(0, 1), (2, 4)]))
    assert pieces == [Piece("a", True), Piece(" "), Piece("bc", True), Piece(" d")]
    assert list(pieces_of("", [])) == []
