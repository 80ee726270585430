"""Numbers of a document in the form in which every database gives them back as they were."""

from typing import Any, Final

LARGEST_PLAIN: Final = 1e16
"""From here on Python writes a float with an exponent, and PostgreSQL reads a whole number."""


def storable(value: Any) -> Any:
    """Return a JSON value without negative zeros and without whole floats that have an exponent.

    Input: nested dicts, lists and plain values; floats are finite. PostgreSQL keeps JSON numbers as
    decimals: it would give 0.0 back for -0.0, and a whole number for 1e+16.
    """
    if isinstance(value, dict):
        return {key: storable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    if isinstance(value, float):
        if value == 0:
            return 0.0
        return int(value) if abs(value) >= LARGEST_PLAIN else value
    return value
