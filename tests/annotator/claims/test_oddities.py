import pytest

from annotator.claims.invisible import STACKED, odd_signs


@pytest.mark.parametrize(
    "text",
    ["", "1. A cup,\r\n\twherein.", "1. Ein Gef\u00e4\u00df \u2264 5 \u00b5m", "e\u0301", "\u6743"],
)
def test_ordinary_texts_have_nothing_odd(text):
    assert odd_signs(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a\x00b", "U+0000"),
        ("a\x7fb", "U+007F"),
        ("a\u202eb", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\u200bb\u200bc", "U+200B ZERO WIDTH SPACE"),
        ("a\U000e0041b", "U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("a\u2028b", "U+2028 LINE SEPARATOR"),
    ],
)
def test_a_sign_that_nobody_sees_is_named_once(text, name):
    (sign,) = odd_signs(text)
    assert sign.startswith(name)


def test_ten_thousand_marks_on_one_letter_are_reported():
    assert odd_signs("a" + "\u0301" * 10_000) == [STACKED]
