"""The one strict JSON reader: bytes in, plain values out, or an error with line and reason."""

import json
import math
import re
from codecs import BOM_UTF8
from collections import Counter
from typing import Any, Final

MAX_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 32
WHOLE_NUMBER_DIGITS: Final = 18
HAS_BOM: Final = (
    "a byte order mark (EF BB BF) stands before the value; write it as UTF-8 without BOM"
)

_BRACKETS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|([\[{])|[\]}]', re.DOTALL)
_PLAIN_REASONS: Final = {
    "Expecting value": "a value was expected",
    "Expecting ',' delimiter": "a comma or a closing bracket was expected",
    "Expecting ':' delimiter": "a colon was expected",
    "Expecting property name enclosed in double quotes": "a field name in double quotes was "
    "expected",
    "Illegal trailing comma before end of object": "a comma stands before the closing bracket",
    "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
    "Extra data": "there is more text after the end of the value",
    "Unterminated string starting at": "a text is opened here and never closed",
    "Invalid control character at": "a control character stands unescaped in a text",
    "Invalid \\escape": "an escape that JSON does not know",
    "Invalid \\uXXXX escape": "an incomplete \\u escape",
}


class StrictJsonError(ValueError):
    """The bytes are not JSON that this project accepts.

    `reason` is plain English; `line` counts from 1; `byte` is the place within that line, from 1,
    and None where the parser does not know it (a repeated field, for example).
    """

    def __init__(self, reason: str, line: int = 1, byte: int | None = None) -> None:
        place = f"line {line}" if byte is None else f"line {line}, byte {byte}"
        super().__init__(f"{place}: {reason}")
        self.reason = reason
        self.line = line
        self.byte = byte

    @property
    def located_reason(self) -> str:
        """The reason with the byte, for a report that names the line by itself."""
        return self.reason if self.byte is None else f"byte {self.byte}: {self.reason}"


class _Refused(ValueError):
    """A value is well formed JSON, but not accepted; raised from inside the parser."""


def short(text: str) -> str:
    """Return a field name or value for a message: at most 40 characters, unprintable ones escaped.

    Input: any text. Output: the text in single quotes, cut with an ellipsis.
    """
    cut = text if len(text) <= 40 else text[:40] + "…"
    return "'" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut) + "'"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _Refused(f"the field {short(key)} stands twice in one object")
    return found


def _constant(name: str) -> Any:
    raise _Refused(f"{name} is not a JSON number")


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > WHOLE_NUMBER_DIGITS:
        raise _Refused(f"a whole number has more than {WHOLE_NUMBER_DIGITS} digits")
    if digits == "-0":
        raise _Refused("a whole number is -0; write 0")
    return int(digits)


def _fraction(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused("a number is too large")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole, parse_float=_fraction
)


def _located(reason: str, data: bytes, offset: int, first_line: int) -> StrictJsonError:
    line = first_line + data.count(b"\n", 0, offset)
    return StrictJsonError(reason, line, offset - data.rfind(b"\n", 0, offset))


def _too_deep(data: bytes, max_depth: int) -> int | None:
    """Return the offset of the first bracket deeper than `max_depth`, without recursion."""
    if data.count(b"{") + data.count(b"[") <= max_depth:
        return None
    depth = 0
    for match in _BRACKETS.finditer(data):
        if match.group(1):
            depth += 1
            if depth > max_depth:
                return match.start()
        elif match.group() in (b"]", b"}"):
            depth -= 1
    return None


def _check_texts(value: Any) -> None:
    """Refuse NUL and lone surrogates, which only escapes can bring in, at any depth."""
    if isinstance(value, str):
        if "\0" in value:
            raise _Refused("a text holds the NUL character (\\u0000)")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _Refused("a text holds half of a surrogate pair (\\ud800 to \\udfff)") from None
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_texts(key)
            _check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_texts(inner)


def _decoded(data: bytes, first_line: int) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise StrictJsonError("this is UTF-16; save it as UTF-8", first_line, 1)
    nul = data.find(b"\0")
    if nul >= 0:
        raise _located("a raw NUL byte", data, nul, first_line)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"the byte 0x{data[error.start]:02X} is not UTF-8"
        raise _located(reason, data, error.start, first_line) from None


def loads(
    data: bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, first_line: int = 1
) -> Any:
    """Return the value that `data` holds, or raise StrictJsonError.

    Input: the bytes of one JSON value (no byte order mark), at most `max_bytes` long and nested at
    most `max_depth` deep; `first_line` is the line on which they begin in their file.
    Output: dict, list, str, int, float, bool or None (RFC 8259), stricter in this: UTF-8 only, no
    field twice in one object, no NaN or Infinity, no number beyond float64 or 18 digits, no -0,
    no NUL, no half surrogate pair. A whole number is an `int`, one with a point a `float`.
    """
    if len(data) > max_bytes:
        raise StrictJsonError(f"longer than the limit of {max_bytes:,} bytes", first_line)
    if data.startswith(BOM_UTF8):
        raise StrictJsonError(HAS_BOM, first_line, 1)
    text = _decoded(data, first_line)
    if not text.strip(" \t\r\n"):
        raise StrictJsonError("there is nothing here", first_line)
    deep = _too_deep(data, max_depth)
    if deep is not None:
        raise _located(f"nested deeper than {max_depth}", data, deep, first_line)
    try:
        value = _DECODER.decode(text)
        if b"\\u" in data:
            _check_texts(value)
    except json.JSONDecodeError as error:
        reason = _PLAIN_REASONS.get(error.msg, error.msg)
        offset = len(text[: error.pos].encode())
        raise _located(reason, data, offset, first_line) from None
    except _Refused as error:
        raise StrictJsonError(str(error), first_line) from None
    return value
