"""What is chosen about a Word document: whose claims, and which differences are tracked."""

from typing import Final

from django import forms

from core.errors import Refused
from core.forms import PlainTextField, RefusableForm, WholeNumberField
from patclaimeval.claims.change_classes import CLASSES, Change

LONGEST_ID: Final = 200
MOST_PARTS: Final = 2
# Substance is tracked always.
CHOICES: Final = tuple(
    (one.change.value, one.label) for one in CLASSES if one.change is not Change.SUBSTANCE
)
ALL: Final = "all"


class ClaimsForm(RefusableForm):
    """Which claim set of a campaign is taken."""

    reference_id = PlainTextField(max_length=LONGEST_ID)
    candidate_id = PlainTextField(max_length=LONGEST_ID, required=False)


class ChangesForm(RefusableForm):
    """Which classes of differences are tracked, and on which candidate of a case."""

    changes = forms.MultipleChoiceField(choices=CHOICES, required=False)
    number = WholeNumberField(required=False, min_value=1, max_value=MOST_PARTS)

    @property
    def tracked(self) -> frozenset[Change]:
        """The classes that are tracked, once the form is valid."""
        return frozenset({Change.SUBSTANCE, *map(Change, self.cleaned_data["changes"])})

    @property
    def place(self) -> int:
        """Which candidate is meant, once the form is valid: the first unless another is named."""
        return int(self.cleaned_data["number"] or 1)


def tracked_of(sent: str | None) -> frozenset[Change]:
    """Return the classes that a program names, divided by commas; all where it names none.

    Raises Refused for a name that is none.
    """
    if sent in (None, ALL):
        return frozenset(Change)
    names = [name for name in str(sent).split(",") if name]
    known = [change.value for change in Change]
    if any(name not in known for name in names):
        why = f"Give {ALL}, or some of {', '.join(known)}, divided by commas."
        raise Refused.at("changes", why)
    return frozenset({Change.SUBSTANCE, *map(Change, names)})
