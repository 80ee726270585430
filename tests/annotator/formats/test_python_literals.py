"""Lists and objects as Python writes them: read without evaluating anything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.label_studio import MAX_CHARACTERS, LiteralError, is_literal, read_literal

texts = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20)
plain = st.one_of(texts, st.integers(-(10**17), 10**17), st.booleans(), st.none())
objects = st.dictionaries(texts, plain, max_size=3)
values = st.lists(st.one_of(plain, objects, st.lists(plain, max_size=3)), max_size=3)


@given(st.one_of(values, st.dictionaries(texts, values, max_size=3)))
def test_what_python_writes_is_read_back(value: Any) -> None:
    assert read_literal(repr(value)) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[{'selected': 'left'}", "not well formed"),
        ("[{'selected': 'left}]", "not closed"),
        ("['a' 'b'", "not well formed"),
        ("[" * 1000 + "]" * 1000, "deeper"),
        ("[" * 100_000, "deeper"),
        ("]" * 100_000, "not well formed"),
        ("[" + "-" * 100_000 + "1]", "character 2"),
        ("[9**9**9]", "character"),
        ("[__import__('os').system('true')]", "character 2"),
        ("[(1, 2)]", "character 2"),
        ("[f'{1}']", "character 2"),
        ("[b'a']", "character 2"),
        ("[1_000]", "character 2"),
        ("[0x10]", "character 2"),
        ("[1e999]", "character 2"),
        ("[01]", "not well formed"),
        ("[" + "9" * 19 + "]", "character 2"),
        ("[nan]", "character 2"),
        ("[\u0661]", "character 2"),
        ("{'a'}", "without field names"),
        ("{1: 2}", "no text"),
        ("{'a': 1, 'a': 2}", "twice"),
        ("['\\x00']", "NUL"),
        ("['a\0b']", "NUL"),
        ("['\\ud800']", "surrogate"),
        ("['\ud800']", "surrogate"),
        ("['\\U00110000']", "not well formed"),
        ("['\\d']", "not closed"),
        ("['a\nb']", "not closed"),
        ("", "not well formed"),
        (" " * (MAX_CHARACTERS + 1), "longer"),
    ],
    ids=range(31),
)
def test_anything_else_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(LiteralError, match=reason):
        read_literal(text)


def test_only_an_opening_bracket_marks_a_literal() -> None:
    assert [is_literal(text) for text in (" [1]", "{'a': 1}", "Grammar - [x]", "")] == [
        True,
        True,
        False,
        False,
    ]
