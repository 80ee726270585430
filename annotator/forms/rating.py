"""The rating form: four scores by one strict rule, and a comment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.http import QueryDict

from annotator.rubric import CRITERIA, NAMES, RUBRIC, Band, band_of

# ASCII white space at the ends is forgiven; "9.0", "+9", "09" and "٩" are no scores.
SCORE = re.compile(r"[ \t\r\n]*(10|[0-9])[ \t\r\n]*", re.ASCII)


class ScoreField(forms.Field):
    """A whole number from 0 to 10, sent exactly once."""

    def __init__(self, name: str) -> None:
        super().__init__(
            label=name,
            error_messages={"required": f"Choose a score from 0 to 10 for {name.lower()}."},
            widget=forms.RadioSelect,
        )

    def to_python(self, value: object) -> int | None:
        if value in (None, ""):
            return None
        match = SCORE.fullmatch(str(value))
        if match is None:
            raise forms.ValidationError("A score is a whole number from 0 to 10.")
        return int(match[1])


@dataclass(frozen=True, slots=True)
class CriterionScale:
    """One criterion as the screen shows it: its scale, what is chosen, what is wrong."""

    key: str
    name: str
    question: str
    weight: int
    bands: tuple[Band, ...]
    chosen: str
    sentence: str
    errors: tuple[str, ...]


class RatingForm(forms.Form):
    """What an annotator sends from the rate screen."""

    comment = forms.CharField(required=False, max_length=20_000, strip=False)
    key = forms.CharField(required=False, max_length=100)
    version = forms.IntegerField(required=False, min_value=1, max_value=10**6)

    def __init__(self, data: QueryDict | None = None, initial: Mapping[str, object] | None = None) -> None:
        super().__init__(data, initial=dict(initial or {}))
        for key in CRITERIA:
            self.fields[key] = ScoreField(NAMES[key])

    def clean(self) -> dict[str, object]:
        for name in CRITERIA:
            if isinstance(self.data, QueryDict) and len(self.data.getlist(name)) > 1:
                self.add_error(name, "This score was sent more than once; choose one.")
        return self.cleaned_data

    @property
    def scores(self) -> dict[str, int]:
        """The scores that are valid so far."""
        return {k: self.cleaned_data[k] for k in CRITERIA if k in self.cleaned_data}

    @property
    def scales(self) -> list[CriterionScale]:
        """The four scales with what was typed, whether valid or not."""
        return [self._scale(criterion.key) for criterion in RUBRIC]

    def _scale(self, key: str) -> CriterionScale:
        criterion = next(entry for entry in RUBRIC if entry.key == key)
        value = self[key].value()
        chosen = "" if value is None else str(value).strip()
        match = SCORE.fullmatch(chosen)
        return CriterionScale(
            key=key,
            name=criterion.name,
            question=criterion.question,
            weight=criterion.weight,
            bands=criterion.bands,
            chosen=chosen,
            sentence=band_of(key, int(match[1])).sentence if match else "",
            errors=tuple(str(error) for error in self.errors.get(key, ())) if self.is_bound else (),
        )
