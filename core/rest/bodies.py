"""The JSON object that a call is sent: its fields by kind, or as a form checks them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from django import forms
from django.http import QueryDict
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

# What a value of a body must be, and what is said of anything else.
Kind = tuple[Callable[[Any], bool], str]
TEXT: Final[Kind] = (lambda value: isinstance(value, str), "Give a text.")
TEXTS: Final[Kind] = (
    lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "Give a list of texts.",
)
TRUTH: Final[Kind] = (lambda value: type(value) is bool, "Give true or false.")
NUMBER: Final[Kind] = (lambda value: type(value) in (int, float), "Give a number.")
WHOLE: Final[Kind] = (lambda value: type(value) is int, "Give a whole number.")
ANY: Final[Kind] = (lambda value: True, "")


def body(request: Request, allowed: Iterable[str], needed: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON object that was sent; an unknown key is refused, not dropped.

    `allowed` may give the Kind of each key. Raises ValidationError by field.
    """
    sent = request.data
    if not isinstance(sent, dict) or isinstance(sent, QueryDict):
        raise ValidationError({"non_field_errors": ["Send one JSON object."]})
    kinds = dict(allowed) if isinstance(allowed, Mapping) else dict.fromkeys(allowed, ANY)
    unknown = sorted(set(sent) - set(kinds))
    if unknown:
        raise ValidationError({name[:100]: ["This field is not known here."] for name in unknown})
    wrong = {name: ["This field is required."] for name in needed if name not in sent}
    wrong |= {name: [kinds[name][1]] for name in sent if not kinds[name][0](sent[name])}
    if wrong:
        raise ValidationError(wrong)
    return dict(sent)


# What each kind of field is in JSON; the first that fits counts.
IN_JSON: Final = (
    (forms.BooleanField, TRUTH),
    (forms.FloatField, NUMBER),
    (forms.DecimalField, NUMBER),
    (forms.IntegerField, WHOLE),
    (forms.MultipleChoiceField, TEXTS),
    (forms.ModelMultipleChoiceField, TEXTS),
    (forms.Field, TEXT),
)


def cleaned(form: forms.Form) -> dict[str, Any]:
    """Return what a form makes of a body; 400 with the reasons by field otherwise.

    A body shows what it means by its types, where a form has texts only: `"maybe"` is no bool.
    """
    if wrong := {
        name: [why]
        for name, value in form.data.items()
        if (why := _wrong_type(form.fields[name], value))
    }:
        raise ValidationError(wrong)
    if not form.is_valid():
        raise ValidationError({name: list(map(str, why)) for name, why in form.errors.items()})
    return form.cleaned_data


def _wrong_type(field: forms.Field, value: Any) -> str:
    kind = next(kind for fields, kind in IN_JSON if isinstance(field, fields))
    # A text that need not be given may be null.
    may_be_null = kind is TEXT and not field.required
    return "" if kind[0](value) or (value is None and may_be_null) else kind[1]
