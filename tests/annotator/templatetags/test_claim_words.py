from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.templatetags.claim_words import claim_words, indent
from annotator.templatetags.import_words import with_signs
from patclaimeval.claims.reading import ClaimView, LimitationView, read_pair
from patclaimeval.claims.segments import Segment

PIECES = st.sampled_from(
    [
        *("1. ", "2. ", "A cup", " comprising: ", "a body; ", "the handle", " of claim 1", ".\n"),
        *("\r\n", "\r", "\n\n", "\t", " ", "\u00a0", "\u2028", "\u2029", "\x85", "\x1c", "\x0b"),
        *("\u200b", "\u202e", "\ufeff", "\u00ad", "\U000e0041", "\x00", "<b>", "</span>", "&lt;"),
        *("&#13;", "&amp", '"', "'", "{{7*7}}", "{% load %}", "<!--", "]]>", "一种", "e\u0301"),
        "<script>alert(1)</script>",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))
OURS = {"span", "mark"}
OURS_ATTRIBUTES = {"class", "title", "data-code", "data-note"}


class Browser(HTMLParser):
    """Reads HTML as a browser does: line ends made one first, then references put in."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html.replace("\r\n", "\n").replace("\r", "\n"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"claim text opened a comment: {data!r}")

    def marks(self) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == "mark"]


def shown(text: str) -> Browser:
    claims = read_pair("1. A jug.", text).candidate.claims
    return Browser("".join(claim_words(claim) for claim in claims))


@given(TEXTS, TEXTS)
@example("\r\n\r1. A\r\n", " \t ")
@example("\u20281. A cup\u2028\n", "1. <b>A</b> cup &#13; ")
def test_without_its_tags_the_html_is_the_claim(one: str, other: str) -> None:
    reading = read_pair(one, other)
    for text, side in ((one, reading.reference), (other, reading.candidate)):
        browser = Browser("".join(claim_words(claim) for claim in side.claims))
        assert browser.text == text
        assert {tag for tag, _ in browser.tags} <= OURS
        assert all(set(attributes) <= OURS_ATTRIBUTES for _, attributes in browser.tags)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_stay_as_they_are_stored(end: str) -> None:
    text = f"1. A cup.{end}2. The cup of claim 1,{end}  wherein it is blue.{end}"
    assert shown(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '" onmouseover="x',
        "</span></mark><p hx-get='/logout/'>",
        "{{ 7|add:7 }}{% include 'x' %}",
        "<!-- -->",
        "&lt;b&gt;",
        "<![CDATA[x]]>",
    ],
)
def test_markup_in_a_claim_or_in_its_term_is_text(text: str) -> None:
    browser = shown(f"1. A cup with the {text} and {text}.")
    assert browser.text == f"1. A cup with the {text} and {text}."
    assert {tag for tag, _ in browser.tags} <= OURS


@pytest.mark.parametrize("char", list("\u202e\u200b\x00\u00ad\U000e0041\u2028\x85\x1c"), ids=ascii)
@pytest.mark.parametrize(
    "claim", ["1. A c{}p.", "1. {}A cup.", "1. A cup{}", "1. A cup, the gr{}ip of it."]
)
def test_what_nobody_sees_is_shown_by_its_code(char: str, claim: str) -> None:
    (mark,) = (m for m in shown(claim.format(char)).marks() if "invisible" in (m["class"] or ""))
    assert mark["data-code"] == f"U+{ord(char):04X}"
    assert f"U+{ord(char):04X}" in (mark["title"] or "")


def test_white_space_around_a_limitation_is_kept_apart_and_not_marked() -> None:
    limitation = LimitationView("added", (Segment("\n  a body; ", 3, ("only-here",), ()),))
    claim = ClaimView(1, 0, 0, "1. ", (limitation,), (), ())
    assert claim_words(claim) == (
        '<span class="claim-marker">1. </span><span class="limitation is-added">'
        '<span class="gap">\n  </span><mark class="only-here">a body;</mark>'
        '<span class="gap"> </span></span>'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "1. The cup of claim 1, wherein it is blue; and\nwherein it is tall.",
            [False, True, False],
        ),
        ("1. The cup of claim 1 wherein it is blue.", [False, True]),
        ("1. The cup of claim 1,\nwherein it is blue.", [False, False]),
    ],
)
def test_a_limitation_behind_a_comma_or_a_number_may_share_the_line(
    text: str, expected: list[bool]
) -> None:
    classes = [str(attributes["class"]).split() for tag, attributes in shown(text).tags]
    found = ["runs-on" in names for names in classes if "limitation" in names]
    assert found == expected


def test_a_claim_of_nothing_is_no_fault() -> None:
    assert claim_words(ClaimView(None, 0, 0, "", (), (), ())) == ""
    blank = LimitationView("", (Segment(" \n", 0, (), ()),))
    assert Browser(claim_words(ClaimView(None, 0, 0, "", (blank,), (), ()))).text == " \n"


def test_deep_claims_are_indented_no_further() -> None:
    assert [indent(depth) for depth in (0, 1, 4, 5, 1000)] == [0, 1, 4, 4, 4]


def test_invisible_characters_stand_as_their_codes_and_all_else_as_it_is() -> None:
    assert with_signs("1. A cup;\n2. The cup of claim 1.") == "1. A cup;\n2. The cup of claim 1."
    mark = '<mark title="U+202E RIGHT-TO-LEFT OVERRIDE">U+202E</mark>'
    assert with_signs("<img src=x>\u202e<b>") == f"&lt;img src=x&gt;{mark}&lt;b&gt;"
    shown = with_signs("a\u202eb\u200b")
    assert "\u202e" not in shown and "\u200b" not in shown
    assert f"{mark}b" in shown and shown.endswith("U+200B</mark>")
