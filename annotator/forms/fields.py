"""Form fields with one reading each: what a call or a command refuses, a form refuses too."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from annotator.formats.free_text import says_something

SCORE: Final = re.compile(r"(10|[0-9])")


LARGEST_VERSION: Final = 2**31 - 1


ASCII_SPACE: Final = " \t\r\n\f\v"
WHOLE: Final = re.compile(r"0|-?[1-9][0-9]*")
NUMBER: Final = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TICKS: Final[dict[str, bool]] = {
    "": False, "0": False, "false": False, "off": False, "1": True, "true": True, "on": True
}  # fmt: skip


def _written(value: Any, rule: re.Pattern[str], why: Any) -> Any:
    """Return what was typed, cut of ASCII space, if it is written by the rule."""
    if not isinstance(value, str):
        return value
    text = value.strip(ASCII_SPACE)
    is_minus_zero = text.startswith("-") and not re.split("[eE]", text)[0].strip("-0.")
    if text and (is_minus_zero or not rule.fullmatch(text)):
        raise ValidationError(why, code="invalid")
    return text


class WordsField(forms.CharField):
    """Words; where they are required they hold a letter or a digit."""

    def validate(self, value: Any) -> None:
        super().validate(value)
        if self.required and not says_something(str(value)):
            raise ValidationError(self.error_messages["required"], code="required")


class WholeNumberField(forms.IntegerField):
    """A whole number in ASCII digits: no sign but a minus, no zero before it, no fraction."""

    def to_python(self, value: Any) -> int | None:
        why = self.error_messages["invalid"]
        if isinstance(value, bool | float):
            raise ValidationError(why, code="invalid")
        return super().to_python(_written(value, WHOLE, why))


class FractionField(forms.DecimalField):
    """A decimal number in ASCII digits."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(_written(value, NUMBER, self.error_messages["invalid"]))


class NumberField(forms.FloatField):
    """A number in ASCII digits, in powers of ten where wanted."""

    def to_python(self, value: Any) -> Any:
        why = self.error_messages["invalid"]
        if isinstance(value, bool):
            raise ValidationError(why, code="invalid")
        return super().to_python(_written(value, NUMBER, why))


class DayField(forms.DateField):
    """A day as `2026-12-31`, which is how a browser sends one."""

    def __init__(self, **more: Any) -> None:
        more.setdefault("widget", forms.DateInput({"type": "date"}, format="%Y-%m-%d"))
        super().__init__(input_formats=["%Y-%m-%d"], **more)

    def to_python(self, value: Any) -> date | None:
        return super().to_python(_written(value, DAY, self.error_messages["invalid"]))


class AsSent(forms.CheckboxInput):
    """A box to tick that hands on what was sent, so that its field can refuse a third thing."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        return data.get(name, False)


class TickField(forms.BooleanField):
    """Ticked or not; any other word than those for yes and no is refused."""

    widget = AsSent

    def to_python(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        ticked = TICKS.get(value.strip(ASCII_SPACE).lower()) if isinstance(value, str) else None
        if ticked is None:
            raise ValidationError("Give true or false.", code="invalid")
        return ticked


class EverySent(forms.Widget):
    """Hands on every value sent under a name, so that a name sent twice is seen."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> list[str]:
        return data.getlist(name) if isinstance(data, QueryDict) else list(data.get(name, []))


class CommentField(WordsField):
    """Free words; the line ends that a form adds are taken off again."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")
