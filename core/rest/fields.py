"""Serializer fields that take what they name and nothing else."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as FormError
from django.http import QueryDict
from rest_framework import serializers

from core.forms import TickField as FormTick
from core.forms import WholeNumberField as FormWhole
from patclaimeval.text_io.shapes import has_content


class StrictSerializer(serializers.Serializer):
    """Refuses fields that it does not know, so that a misspelt one is not dropped silently."""

    def to_internal_value(self, data: Any) -> Any:
        known = {name for name, field in self.fields.items() if not field.read_only}
        unknown = sorted(set(data) - known) if isinstance(data, dict) else []
        if unknown:
            raise serializers.ValidationError(
                {name[:100]: ["This field is not known here."] for name in unknown[:20]}
            )
        return super().to_internal_value(data)


class IdField(serializers.UUIDField):
    """An id as text; a number is none, though it could be read as one."""

    def to_internal_value(self, data: Any) -> UUID:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class MomentField(serializers.DateTimeField):
    """A time as Python writes it, to the microsecond and with its zone."""

    def to_representation(self, value: Any) -> str:
        return str(value.isoformat())


class TextField(serializers.CharField):
    """Text as it is; a number or a bool is no text."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class CommentField(TextField):
    """Text; where it may not be blank it holds a letter or a digit, as in a form."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if isinstance(data, str) and not self.allow_blank and not has_content(data):
            self.fail("blank")
        return super().run_validation(data)


class TickField(serializers.BooleanField):
    """true or false; of a form, the values that its boxes send, and no others."""

    def to_internal_value(self, data: Any) -> bool:
        is_form = isinstance(getattr(self.root, "initial_data", None), QueryDict)
        if isinstance(data, str) and not is_form:
            self.fail("invalid", input=data[:40])
        try:
            return FormTick(required=False).to_python(data)
        except FormError:
            self.fail("invalid", input=str(data)[:40])


class WholeNumberField(serializers.IntegerField):
    """A whole number; of a form, in ASCII digits, and empty where it may be null."""

    def to_internal_value(self, data: Any) -> int:
        is_form = isinstance(getattr(self.root, "initial_data", None), QueryDict)
        try:
            found = FormWhole(required=False).to_python(data) if is_form else data
        except FormError:
            self.fail("invalid")
        if type(found) is not int:
            self.fail("invalid")
        return super().to_internal_value(found)
