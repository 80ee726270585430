import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.text_io.strict_json import MAX_DEPTH, StrictJsonError, loads

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18) + 1, 10**18 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text("ab\u2028\U0001f600", min_size=1), inner)
    ),
    max_leaves=12,
)


def refusal(data: bytes, **limits) -> StrictJsonError:
    with pytest.raises(StrictJsonError) as caught:
        loads(data, **limits)
    return caught.value


@given(VALUES, st.booleans())
def test_every_ordinary_value_is_read_as_the_standard_library_reads_it(value, is_ascii):
    assert loads(json.dumps(value, ensure_ascii=is_ascii).encode()) == value


# What the standard library says of it changed in Python 3.13.
TRAILING_COMMA = "a comma stands" if sys.version_info >= (3, 13) else "field name in double quotes"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a": 1, "a": 2}', "the field 'a' stands twice"),
        (b'{"x": [{"a": 1, "a": 1}]}', "the field 'a' stands twice"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[1e999]", "a number is too large"),
        (b"[1234567890123456789]", "more than 18 digits"),
        (b"[-0]", "-0"),
        (b"[" + b"9" * 5000 + b"]", "more than 18 digits"),
        (b'["a\\u0000b"]', "NUL"),
        (b'{"a\\u0000": 1}', "NUL"),
        (b'["a\0b"]', "NUL"),
        (b'["\\ud800"]', "half of a surrogate pair"),
        (b'["\\udc00\\ud800"]', "half of a surrogate pair"),
        (b'["\\uD83D"]', "half of a surrogate pair"),
        (b'["\xed\xa0\x80"]', "0xED is not UTF-8"),
        (b'["caf\xe9"]', "0xE9 is not UTF-8"),
        ('["a"]'.encode("utf-16"), "UTF-16"),
        ('["a"]'.encode("utf-16-le"), "NUL"),
        (b"", "nothing here"),
        (b" \n", "nothing here"),
        (b"{} {}", "more text after the end"),
        (b'{"a": 1,}', TRAILING_COMMA),
        (b"{'a': 1}", "field name in double quotes"),
        (b"[1 2]", "a comma or a closing bracket"),
        (b'["abc', "never closed"),
        (b'["a\nb"]', "control character"),
        (b'["\\x41"]', "escape"),
        (b"[tru]", "a value was expected"),
    ],
)
def test_what_the_standard_library_or_a_database_would_stumble_over_is_refused(data, reason):
    assert reason in refusal(data).reason


def test_an_escape_before_u0000_is_a_plain_text_and_a_surrogate_pair_one_character():
    assert loads(rb'["\\u0000", "\ud83d\ude00"]') == ["\\u0000", "\U0001f600"]


def test_a_whole_number_is_an_int_and_one_with_a_point_is_not():
    assert [type(value) for value in loads(b"[1, 1.0, 1e0, true]")] == [int, float, float, bool]


def test_the_error_names_line_and_byte():
    error = refusal(b'{"a": 1,\n "\xc3\xa4\xc3\xb6": x}', first_line=41)
    assert (error.line, error.byte) == (42, 10)
    assert str(error) == "line 42, byte 10: a value was expected"


def test_a_byte_order_mark_is_named_with_what_to_do() -> None:
    for data in (b"\xef\xbb\xbf{}", b"\xef\xbb\xbf"):
        with pytest.raises(StrictJsonError, match="byte order mark.*UTF-8 without BOM") as refusal:
            loads(data, first_line=7)
        assert (refusal.value.line, refusal.value.byte) == (7, 1)


def test_depth_up_to_the_limit_is_read_and_one_more_is_refused_outside_of_texts():
    assert loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert "nested deeper than 32" in refusal(b"[" * 33 + b"]" * 33).reason
    assert loads(json.dumps(["[{" * 100 + '"\\', {"[" * 40: 1}]).encode())
    assert "limit of 10 bytes" in refusal(b'["0123456789"]', max_bytes=10).reason


def test_a_million_brackets_or_quotes_are_refused_without_recursion_or_long_search():
    # Nothing is timed: a search that grows with the square would take hours here.
    assert "nested deeper" in refusal(b"[" * 1_000_000).reason
    refusal(b"[" * 30 + b'\\"{' * 1_000_000)


def test_messages_show_a_foreign_field_name_escaped_and_cut():
    reason = refusal(
        json.dumps({"a\u202e" + "x" * 100: 1}).encode()[:-1]
        + b', "a\\u202e'
        + b"x" * 100
        + b'": 2}'
    ).reason
    assert "\u202e" not in reason
    assert len(reason) < 100
