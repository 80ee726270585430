"""Numbers are stored in the form in which PostgreSQL gives them back."""

import json
import math
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from scoring.reports.files import storable

PLAIN = st.floats(allow_nan=False, allow_infinity=False)


def as_decimals_keep_them(value: float) -> object:
    """Write a number as PostgreSQL does: all its decimals, no exponent, no sign of zero."""
    number = Decimal(json.dumps(value))
    return json.loads(format(abs(number) if number == 0 else number, "f"))


@given(PLAIN)
def test_a_storable_number_comes_back_as_the_same_text(value: float) -> None:
    stored = storable(value)
    assert stored == value
    assert json.dumps(as_decimals_keep_them(stored)) == json.dumps(stored)


def test_a_negative_zero_would_come_back_without_its_sign() -> None:
    assert math.copysign(1, storable(-0.0)) == 1
    assert json.dumps(as_decimals_keep_them(-0.0)) != json.dumps(-0.0)


def test_all_that_is_nested_is_looked_at_and_the_rest_stays() -> None:
    given_value = {"a": [1e16, {"b": (-0.0, True, None, "x", 3)}]}
    assert json.dumps(storable(given_value)) == (
        '{"a": [10000000000000000, {"b": [0.0, true, null, "x", 3]}]}'
    )
