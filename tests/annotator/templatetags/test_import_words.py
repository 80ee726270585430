"""What nobody could see in a text stands as its code, and nothing in it is markup."""

from annotator.templatetags.import_words import with_signs


def test_a_plain_text_stays_as_it_is() -> None:
    assert with_signs("1. A cup;\n2. The cup of claim 1.") == "1. A cup;\n2. The cup of claim 1."


def test_invisible_characters_stand_as_their_codes() -> None:
    shown = with_signs("a\u202eb\u200b")
    assert "\u202e" not in shown and "\u200b" not in shown
    assert '<mark title="U+202E RIGHT-TO-LEFT OVERRIDE">U+202E</mark>b' in shown
    assert shown.endswith("U+200B</mark>")


def test_markup_is_text() -> None:
    assert with_signs("<img src=x>\u202e<b>") == (
        '&lt;img src=x&gt;<mark title="U+202E RIGHT-TO-LEFT OVERRIDE">U+202E</mark>&lt;b&gt;'
    )
