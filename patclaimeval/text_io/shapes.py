"""What fields of records, forms and calls may hold: known fields, texts with content."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from patclaimeval.text_io.streams import BadRecord, BadRecordList, FormatError, ReadNotes, Record
from patclaimeval.text_io.strict_json import short

T = TypeVar("T")
_LOOKS_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_TYPE_NAMES: Final = {
    dict: "an object",
    list: "an array",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number with a point",
    type(None): "null",
}


def describe_type(value: Any) -> str:
    """Return the plain name of the kind of JSON value that `value` is."""
    return _TYPE_NAMES[type(value)]


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing: no letter, number, punctuation or symbol with a form.

    Input: any text. Output: True for the empty text and for one of white space, control,
    zero-width and lone combining characters only (Unicode general categories Z, C, M), or of the
    five fillers that Unicode calls letters or symbols but that print as space.
    """
    return not any(
        unicodedata.category(character)[0] in "LNPS" and character not in _LOOKS_BLANK
        for character in text
    )


class Shape:
    """Reads the fields of one JSON object and gathers what is wrong with them.

    Input: the value, the names of all fields it may have, and the path to it for messages ("" at
    the top, "candidates[2]" below). Each method returns a usable value and notes a problem where
    the field is wrong; `problems` holds (field path, reason) pairs in the order found.
    """

    def __init__(self, value: Any, known: Iterable[str], path: str = "") -> None:
        self.path = path
        self.problems: list[tuple[str, str]] = []
        self.fields: Mapping[str, Any] = {}
        if not isinstance(value, dict):
            self.problems.append((path, f"an object was expected, not {describe_type(value)}"))
            self.is_object = False
            return
        self.is_object = True
        self.fields = value
        if not value.keys() <= (names := frozenset(known)):
            for name in value:
                if name not in names:
                    self.wrong(name, "unknown field", show=True)

    def wrong(self, name: str, reason: str, *, show: bool = False) -> None:
        """Note that the field `name` is wrong; `show` escapes and shortens a foreign name."""
        shown = short(name)[1:-1] if show else name
        self.problems.append((f"{self.path}.{shown}" if self.path else shown, reason))

    def given(self, name: str, *, is_required: bool = True) -> Any:
        """Return the field's value; None where it is null or missing, noted where required."""
        if self.is_object and is_required and name not in self.fields:
            self.wrong(name, "missing")
        return self.fields.get(name)

    def claims(self, name: str) -> str:
        """Return a required claim text exactly as it stands; it must show something."""
        value = self.given(name)
        if isinstance(value, str):
            if not is_blank(value):
                return value
            self.wrong(name, "empty" if value == "" else "blank: nothing in it can be seen")
        elif name in self.fields:
            self.wrong(name, f"a text was expected, not {describe_type(value)}")
        return ""

    def text(self, name: str, longest: int) -> str:
        """Return an optional text of at most `longest` characters; "" where missing or null."""
        value = self.given(name, is_required=False)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.wrong(name, f"a text was expected, not {describe_type(value)}")
            return ""
        if len(value) > longest:
            self.wrong(name, f"longer than {longest} characters")
        return value

    def identifier(self, name: str, *, is_required: bool = True, longest: int = 200) -> str:
        """Return an id: one line that shows something, without white space around it."""
        value = self.given(name, is_required=is_required)
        if name not in self.fields or (value is None and not is_required):
            return ""
        if not isinstance(value, str):
            self.wrong(name, f"a text was expected, not {describe_type(value)}")
        elif is_blank(value):
            self.wrong(name, "empty" if value == "" else "blank: nothing in it can be seen")
        elif len(value) > longest:
            self.wrong(name, f"longer than {longest} characters")
        elif value != value.strip() or any(unicodedata.category(c) == "Cc" for c in value):
            self.wrong(name, "white space around it, or a control character in it")
        else:
            return value
        return ""


Build = Callable[[Record], tuple[T | None, list[tuple[str, str]]]]


def checked(
    stream: Iterable[Record | BadRecord], build: Build[T], notes: ReadNotes, *, file: str = ""
) -> Iterator[T]:
    """Yield what `build` makes of each record; refuse the whole file for any bad one.

    Input: the records of a file, and a function from a record to (value, problems), where problems
    are (field, reason) pairs. Output: the values in file order up to the first bad record; reading
    then goes on to list up to 100 of them. Raises FormatError at the end, also for 0 records.
    """
    bad = BadRecordList()
    for record in stream:
        if isinstance(record, BadRecord):
            bad.add(BadRecord(record.line, record.field, record.reason, record.item, file))
            continue
        notes.records += 1
        value, problems = build(record)
        bad.add(*(BadRecord(record.line, name, why, record.item, file) for name, why in problems))
        if value is not None and not bad.found:
            yield value
    bad.refuse_if_any()
    if not notes.records:
        raise FormatError(f"{file or 'The file'} holds 0 records.")


def has_content(text: str) -> bool:
    """Return whether a text holds a letter or a digit, of whatever script.

    Input: any text. Output: False for white space, zero-width characters, fillers, punctuation and
    symbols alone. Full-width and circled characters count as what they stand for (NFKC).
    """
    return any(
        unicodedata.category(character)[0] in "LN" and not is_blank(character)
        for character in unicodedata.normalize("NFKC", text)
    )
