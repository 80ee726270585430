"""Form fields with one reading each, and forms that show a refusal beside what was typed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from core.errors import Refused
from core.shapes import LONGEST_REASON
from patclaimeval.text_io.shapes import has_content

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


class PlainTextField(forms.CharField):
    """Text; where it is required it holds a letter or a digit."""

    def validate(self, value: Any) -> None:
        super().validate(value)
        if self.required and not has_content(str(value)):
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
    """Ticked or not; any other value than those for yes and no is refused."""

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


class ChosenField(forms.Field):
    """A whole number that was chosen once, and is written as one; ASCII space around it is cut."""

    widget = EverySent

    def __init__(
        self, noun: str, rule: re.Pattern[str], missing: str, wrong: str, **more: Any
    ) -> None:
        super().__init__(**more)
        self._noun, self._rule, self._missing, self._wrong = noun, rule, missing, wrong

    def clean(self, value: Sequence[str]) -> int:
        if len(value) > 1:
            why = f"This criterion was sent more than once; choose one {self._noun}."
            raise ValidationError(why)
        text = value[0].strip(ASCII_SPACE) if value else ""
        if not self._rule.fullmatch(text):
            raise ValidationError(self._wrong if text else self._missing)
        return int(text)


class CommentField(PlainTextField):
    """Free text; the line ends that a form adds are taken off again."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


def words_field(longest: int, too_long: str, **more: Any) -> CommentField:
    """Return a field for free words as they are typed; `too_long` begins what is said of more."""
    why = f"{too_long} %(limit_value)d characters; this has %(show_value)d."
    messages = {"max_length": why} | more.pop("error_messages", {})
    return CommentField(strip=False, max_length=longest, error_messages=messages, **more)


DISCREET: Final = {"spellcheck": "false", "translate": "no", "autocomplete": "off"}


class DiscreetForm(forms.Form):
    """A form whose text fields ask the browser to keep what is typed to itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            widget = field.widget
            is_text = getattr(widget, "input_type", "") in {"text", "search"}
            if isinstance(widget, forms.Textarea) or is_text:
                widget.attrs = DISCREET | widget.attrs


class RefusableForm(DiscreetForm):
    """A form that shows what a service refused, and what was typed."""

    # Where a service calls something by another name than the form does.
    places: ClassVar[Mapping[str, str]] = {}
    # Of an answer that shows the form.
    status = 200

    def is_valid(self) -> bool:
        is_valid = super().is_valid()
        if not is_valid and self.is_bound:
            self.status = Refused.status
        return is_valid

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Show what a service refuses in here."""
        try:
            yield
        except Refused as refusal:
            self.take_refusal(refusal)

    def take_refusal(self, refusal: Refused, where: str | None = None) -> None:
        """Show what a service refused beside its field, or else by `where` or above the form."""
        self.status = refusal.status
        named = {self.places.get(name, name): why for name, why in refusal.fields.items()}
        fields = {name: why for name, why in named.items() if name in self.fields}
        for name, reasons in fields.items():
            self.add_error(name, reasons)
        if not fields:
            self.add_error(where, refusal.sentence)

    def focus_error(self) -> None:
        """Have the first wrong field take the focus."""
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong:
            self.fields[wrong].widget.attrs["autofocus"] = True

    def typed(self, name: str) -> str:
        """Return what was sent under a name, the last when there are several."""
        return str(self.data.get(name, ""))


class RubricForm(RefusableForm):
    """A form over the criteria; a field of another rubric is refused, not passed over."""

    # Fields of the same form that only its other buttons read.
    of_other_buttons: ClassVar[frozenset[str]]

    version = WholeNumberField(required=False, min_value=0, max_value=LARGEST_VERSION)

    def clean(self) -> dict[str, Any]:
        unknown = sorted(set(self.data) - set(self.fields) - self.of_other_buttons)
        if unknown:
            raise ValidationError(f"This rubric has no field named {unknown[0][:40]}.")
        return self.cleaned_data

    @property
    def version_seen(self) -> int:
        """The revision that the sender saw; 0 before the first."""
        return self.cleaned_data.get("version") or 0


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button; `key` is its place from 1, the digit that chooses it."""

    value: str
    label: str
    key: int
    is_chosen: bool
    takes_focus: bool
    group: Any = None
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class RadioGroup:
    """The radio buttons of one field, with what is asked and what is wrong."""

    key: str
    name: str
    question: str
    choices: tuple[Choice, ...]
    errors: tuple[str, ...]
    hint: str = ""


def radio_choices(
    labels: Iterable[tuple[object, str]], sent: str, *, has_focus: bool = False
) -> tuple[Choice, ...]:
    """Return the buttons of a group; the chosen one can take the focus, or the first if none is."""
    named = [(str(value), label) for value, label in labels]
    target = sent if sent in dict(named) else named[0][0]
    return tuple(
        Choice(value, label, key, value == sent, has_focus and value == target)
        for key, (value, label) in enumerate(named, start=1)
    )


def focused_group(names: Iterable[str], errors: Mapping[str, Sequence[str]]) -> str:
    """Return the group that takes the focus: the first wrong one, "" where none is."""
    return next((name for name in names if errors.get(name)), "")


class ReasonForm(RefusableForm):
    """Why something is done; what is wrong with the reason is told once, by the form."""

    reason = PlainTextField(label="Reason", max_length=LONGEST_REASON)

    @property
    def reason_sent(self) -> str:
        """The reason where it is a good one, else nothing, which the services refuse."""
        self.is_valid()
        return str(self.cleaned_data.get("reason", ""))

    def take_refusal(self, refusal: Refused, where: str | None = None) -> None:
        if "reason" in self.errors:
            self.status = refusal.status
        else:
            super().take_refusal(refusal, where)
