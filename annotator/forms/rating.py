"""The rating form: four scores by one rule, a comment, and what makes a resend harmless."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from annotator.models import Rating
from annotator.refusals import Refused
from annotator.rubric import CRITERIA, NAMES
from annotator.services.ratings import LONGEST_COMMENT

SCORE: Final = re.compile(r"(10|[0-9])")
ASCII_SPACE: Final = " \t\r\n\f\v"
LONGEST_KEY: Final = 200
LARGEST_VERSION: Final = 2**31 - 1
HIDDEN: Final = frozenset({"csrfmiddlewaretoken"})


class EverySent(forms.Widget):
    """Hands on every value sent under a name, so that a name sent twice is seen."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> list[str]:
        return data.getlist(name) if isinstance(data, QueryDict) else list(data.get(name, []))


class ScoreField(forms.Field):
    """A whole number from 0 to 10, written as `10` or one digit; ASCII space around it is cut."""

    widget = EverySent

    def clean(self, value: Sequence[str]) -> int:
        if len(value) > 1:
            raise ValidationError("This criterion was sent more than once; choose one score.")
        text = value[0].strip(ASCII_SPACE) if value else ""
        if not text:
            raise ValidationError("Choose a score from 0 to 10.")
        if not SCORE.fullmatch(text):
            raise ValidationError("A score is a whole number from 0 to 10.")
        return int(text)


class CommentField(forms.CharField):
    """Free words; the line ends that a form adds are taken off again."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class RatingForm(forms.Form):
    """What the rate page posts; `version` is 0 for a first rating, else the one revised."""

    key = forms.CharField(required=False, max_length=LONGEST_KEY)
    version = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_VERSION)
    comment = CommentField(
        required=False,
        strip=False,
        max_length=LONGEST_COMMENT,
        error_messages={
            "max_length": "A comment may have %(limit_value)d characters; this has %(show_value)d."
        },
    )

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        for criterion in CRITERIA:
            self.fields[criterion] = ScoreField(label=NAMES[criterion])

    def clean(self) -> dict[str, Any]:
        unknown = sorted(set(self.data) - set(self.fields) - HIDDEN)
        if unknown:
            raise ValidationError(f"This rubric has no field named {unknown[0][:40]}.")
        return self.cleaned_data

    def take_refusal(self, refusal: Refused) -> None:
        """Show what a service refused beside its field, or above the form when it has none."""
        fields = {name: why for name, why in refusal.fields.items() if name in self.fields}
        for name, reasons in fields.items():
            self.add_error(name, reasons)
        if not fields:
            self.add_error(None, refusal.sentence)

    @property
    def scores(self) -> dict[str, int]:
        """The valid scores; all four when the form is valid."""
        return {key: self.cleaned_data[key] for key in CRITERIA if key in self.cleaned_data}

    @property
    def version_seen(self) -> int:
        return self.cleaned_data.get("version") or 0

    def typed(self, name: str) -> str:
        """Return what was sent under a name, the last when there are several."""
        return str(self.data.get(name, ""))


def as_sent(rating: Rating) -> dict[str, str]:
    """Return a stored rating as the values that the form would send for it."""
    return {key: str(value) for key, value in rating.scores.items()} | {
        "comment": rating.comment,
        "version": str(rating.version),
    }
