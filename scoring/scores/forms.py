"""The form that takes a reference and candidates to be scored."""

from typing import Any, Final

from django import forms
from django.forms.utils import ErrorDict
from django.http import QueryDict

from core.forms import DISCREET, CommentField, RefusableForm
from patclaimeval.limits import CANDIDATES, CHARACTERS
from patclaimeval.text_io.shapes import is_blank

CANDIDATE: Final = "candidate_"
ADD: Final = "add"
TOO_LONG: Final = {"max_length": "At most %(limit_value)d characters; this has %(show_value)d."}


class ScoreForm(RefusableForm):
    """A reference, and as many candidates as were sent, or one more."""

    def __init__(
        self, data: QueryDict | None = None, initial: dict[str, Any] | None = None
    ) -> None:
        super().__init__(data, initial=initial)
        sent = data if data is not None else initial or {}
        numbers = [number for number in range(1, CANDIDATES + 1) if _name(number) in sent]
        self.count = max(numbers, default=1)
        if data is not None and ADD in data:
            self.count = min(self.count + 1, CANDIDATES)
        self.fields["reference"] = _text("Reference", is_required=True)
        for number in range(1, self.count + 1):
            self.fields[_name(number)] = _text(f"Candidate {number}", is_required=False)

    @property
    def may_add(self) -> bool:
        return self.count < CANDIDATES

    @property
    def is_adding(self) -> bool:
        return ADD in self.data

    def clean(self) -> dict[str, Any]:
        if not self.candidates and not self.errors:
            self.add_error(_name(1), "Paste at least one candidate.")
        return self.cleaned_data

    @property
    def candidates(self) -> list[str]:
        """The candidates in their order; those left empty are passed over."""
        texts = [self.cleaned_data.get(_name(number), "") for number in range(1, self.count + 1)]
        return [text for text in texts if not is_blank(text)]

    def open_another(self) -> None:
        """Show what was typed as it is, with the new candidate in focus and no complaints."""
        self._errors = ErrorDict()
        self.fields[_name(self.count)].widget.attrs["autofocus"] = True


def entered_texts(reference: str, candidates: list[str]) -> dict[str, str]:
    """Return the texts of a request as the form names them."""
    named = {_name(number): text for number, text in enumerate(candidates, start=1)}
    return {"reference": reference} | named


def _name(number: int) -> str:
    return f"{CANDIDATE}{number}"


def _text(label: str, *, is_required: bool) -> CommentField:
    return CommentField(
        label=label,
        required=is_required,
        strip=False,
        max_length=CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 8} | DISCREET),
        error_messages=TOO_LONG | {"required": "Paste the claims of the reference."},
    )
