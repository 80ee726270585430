"""What one field takes, every field of its kind takes: over every form and every call of the site.

A field that is added tomorrow is tried as well: what is listed here are values, not fields.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django import forms
from django.core.exceptions import ValidationError
from rest_framework import serializers

from core.rest.bodies import _wrong_type
from core.rest.fields import StrictSerializer
from patclaimeval.text_io.shapes import has_content

ROOT: Final = Path(__file__).resolve().parents[2]
NO_TEXTS: Final = (
    *("\u200b", "\u2060\ufeff", "\u3164", "\u2800", "\u00ad", "...", " \u200d ", "\u202e"),
)
NO_WHOLE: Final = (
    *("-0", "+9", "09", "9.0", "9.", "1e0", "1_0", "\u0669", "\uff19", "9\u00a0", "true", "0x1"),
)
NO_NUMBER: Final = ("-0", "-0.0", "-0e5", "+9", "1_0", "\u0669", "\uff19.5", "NaN", "inf", "1e999")
NO_DAY: Final = ("12/31/2026", "2026-2-3", "0000-01-01", "10000-01-01", "\u0662026-01-01", "-0")
NO_TICK: Final = ("maybe", "yes please", "2", "null", "-0", "\u200b")
# What must be refused by each kind of field of a form; the first kind that fits counts.
OF_FORMS: Final = (
    (forms.BooleanField, NO_TICK),
    (forms.FloatField, NO_NUMBER),
    (forms.DecimalField, (*NO_NUMBER, "1e")),
    (forms.IntegerField, NO_WHOLE),
    (forms.DateField, NO_DAY),
)
OF_CALLS: Final[tuple[tuple[type[serializers.Field], tuple[Any, ...]], ...]] = (
    (serializers.BooleanField, ("maybe", "true", "false", 0, 1, 1.0, None, [], "\u200b")),
    (serializers.IntegerField, ("5", True, 5.0, "-0", None, -1)),
    (serializers.UUIDField, (5, True, None, "\u200b")),
    (serializers.CharField, (5, True, 1.5, ["a"], {})),
)
# What a body holds for each kind of field, and for all others a text.
IN_BODIES: Final = (
    (forms.BooleanField, True),
    (forms.FloatField, 0.5),
    (forms.DecimalField, 0.5),
    (forms.IntegerField, 1),
    (forms.MultipleChoiceField, ["a"]),
    (forms.ModelMultipleChoiceField, ["a"]),
)
EVERY_KIND: Final[tuple[Any, ...]] = (True, 1, 0.5, ["a"], [1], {}, "text")


def _subclasses(base: Any) -> Iterator[Any]:
    for one in base.__subclasses__():
        yield one
        yield from _subclasses(one)


def _load(*stems: str) -> None:
    """Load every module of ours whose name ends so: what it declares can be found then."""
    for package in ("core", "annotator", "scoring"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.stem.endswith(stems):
                module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                importlib.import_module(module)


def _form_fields() -> dict[str, forms.Field]:
    _load("forms")
    return {
        f"{form.__name__}.{name}": field
        for form in _subclasses(forms.Form)
        if form.__module__.startswith(("core.", "annotator.", "scoring."))
        for name, field in form.base_fields.items()
    }


def _call_fields() -> dict[str, serializers.Field]:
    _load("api", "fields")
    return {
        f"{one.__name__}.{name}": field
        for one in _subclasses(StrictSerializer)
        for name, field in one().fields.items()
    }


def _taken(clean: Any, values: Any, refusal: type[Exception]) -> list[Any]:
    taken = []
    for value in values:
        try:
            clean(value)
        except refusal:
            continue
        taken.append(value)
    return taken


def test_no_field_of_a_form_takes_what_only_looks_like_its_kind() -> None:
    faults, kinds = [], set()
    for name, field in _form_fields().items():
        for kind, values in OF_FORMS:
            if isinstance(field, kind):
                kinds.add(kind)
                faults += [(name, one) for one in _taken(field.clean, values, ValidationError)]
                break
    assert not faults
    assert kinds == {kind for kind, _ in OF_FORMS}


def test_no_required_text_of_a_form_may_be_empty_of_meaning() -> None:
    # A password may be signs alone; a name that somebody signs in with is looked up, not stored.
    fields = {
        name: field
        for name, field in _form_fields().items()
        if isinstance(field, forms.CharField) and field.required and not _is_secret(name)
    }
    assert len(fields) > 8
    faults = [
        (n, one) for n, f in fields.items() for one in _taken(f.clean, NO_TEXTS, ValidationError)
    ]
    assert not faults


def test_no_field_of_a_call_takes_what_only_looks_like_its_kind() -> None:
    faults, kinds = [], set()
    for name, field in _call_fields().items():
        for kind, values in OF_CALLS:
            if isinstance(field, kind):
                kinds.add(kind)
                tried = [one for one in values if one is not None or not field.allow_null]
                run = field.run_validation
                faults += [(name, one) for one in _taken(run, tried, serializers.ValidationError)]
        if isinstance(field, serializers.CharField) and not field.allow_blank:
            tried = [] if _is_secret(name) else list(NO_TEXTS)
            run = field.run_validation
            faults += [(name, one) for one in _taken(run, tried, serializers.ValidationError)]
    assert not faults
    assert len(kinds) > 2


def test_every_field_of_a_form_takes_its_own_kind_of_a_body_and_no_other() -> None:
    for name, field in _form_fields().items():
        own = next((value for kind, value in IN_BODIES if isinstance(field, kind)), "text")
        assert not _wrong_type(field, own), name
        taken = [one for one in EVERY_KIND if not _wrong_type(field, one)]
        assert taken in ([own], [1, own]) and (taken == [own] or own == 0.5), (name, taken)


@pytest.mark.parametrize("text", ["a", "7", " \u200bé", "\u2460", "請求項", "حق", "x" * 9])
def test_a_letter_or_a_digit_of_any_script_says_something(text) -> None:
    assert has_content(text)


def _is_secret(name: str) -> bool:
    is_looked_up = name == "SignInForm.username"
    return is_looked_up or "password" in name or name.split(".")[1] in {"new", "again", "current"}
