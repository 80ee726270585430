"""The ruling form, and the form that sends a conflict back to annotators."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from annotator.adjudication.rounds import CHOICES, LONGEST_QUESTION
from annotator.adjudication.rulings.services import LONGEST_REASON
from annotator.models import Decision, RoundKind, RulingReason
from core.forms import (
    ASCII_SPACE,
    SCORE,
    EverySent,
    PlainTextField,
    RefusableForm,
    TickField,
    words_field,
)
from patclaimeval.rubric import CRITERIA

LABELS: Final = {
    RoundKind.AGAIN: "the same annotators look again",
    RoundKind.ANOTHER: "one more annotator rates it",
}
KINDS: Final = tuple((str(kind), LABELS[kind]) for kind in CHOICES)


class SendBackForm(RefusableForm):
    """What is asked before a conflict is sent back, under names of its own beside the ruling's."""

    places = {"kind": "back_kind", "question": "back_question"}

    back_kind = forms.ChoiceField(
        label="Before it is ruled",
        choices=KINDS,
        widget=forms.RadioSelect,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose who is asked."),
    )
    back_question = words_field(
        LONGEST_QUESTION,
        "A question has at most",
        label="Question",
        help_text="Shown to those who look again; no scores, no names.",
        widget=forms.Textarea({"rows": 3}),
        required=False,
    )


class VoidForm(RefusableForm):
    """Why a signature is voided."""

    reason = words_field(
        LONGEST_REASON,
        "A reason may have",
        label="Why",
        widget=forms.Textarea({"rows": 3}),
        error_messages={"required": "Give a short reason."},
    )


OTHER: Final = "other_"
TAKE: Final = f"{Decision.TAKE} "
SCORE_NAMES: Final = (*CRITERIA, *(f"{OTHER}{key}" for key in CRITERIA))


def _password() -> forms.CharField:
    missing = {"required": "Your password is your signature."}
    return forms.CharField(strip=False, error_messages=missing)


class DecisionForm(RefusableForm):
    """A ruling without its signature; `decision` is `mean`, `scores`, or `take` and a rating."""

    places = {"rating": "decision", "scores": "decision", "other_scores": "decision"}

    decision = PlainTextField(
        error_messages={"required": "Choose a rating, the mean, or new scores."}
    )
    reason_code = forms.ChoiceField(
        choices=RulingReason.choices, error_messages={"required": "Choose a reason."}
    )
    reason = words_field(
        LONGEST_REASON, "A reason may have", error_messages={"required": "Give a short reason."}
    )
    has_guideline_gap = TickField(required=False)
    seen = forms.CharField(required=False, max_length=64)
    rating_id: UUID | None = None

    def clean_decision(self) -> str:
        kind, _, rating = str(self.cleaned_data["decision"]).partition(" ")
        if kind == Decision.TAKE:
            try:
                self.rating_id = UUID(rating)
            except ValueError as error:
                raise ValidationError("Choose one of the ratings of this conflict.") from error
        elif kind not in Decision.values:
            raise ValidationError("Choose a rating, the mean, or new scores.")
        return kind

    def clean(self) -> dict[str, Any]:
        data = self.data
        if isinstance(data, QueryDict) and any(len(data.getlist(n)) > 1 for n in SCORE_NAMES):
            raise ValidationError("A score was sent more than once; choose one each.")
        return self.cleaned_data

    def scores(self, prefix: str = "") -> dict[str, int] | None:
        """Return the new scores as far as they are scores; None when not one was sent."""
        sent = {key: self.typed(f"{prefix}{key}").strip(ASCII_SPACE) for key in CRITERIA}
        found = {key: int(text) for key, text in sent.items() if SCORE.fullmatch(text)}
        return found if any(sent.values()) else None


class RulingForm(DecisionForm):
    """What the adjudication page posts: a decision, signed by a password."""

    password = _password()


class IdsField(forms.Field):
    """The ids of rows that were ticked."""

    widget = EverySent

    def clean(self, value: Sequence[str]) -> list[UUID]:
        try:
            return [UUID(text) for text in value]
        except ValueError as error:
            raise ValidationError("There is no such ruling.") from error


class SignListForm(RefusableForm):
    """Which of the prepared rulings one password signs."""

    ruling = IdsField()
    password = _password()
