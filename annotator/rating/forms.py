"""The rating form and the form of the keys."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import TextInput
from django.http import QueryDict

from annotator.keymap import ACTIONS, Action, clean_changes, key_problems, keymap, shown
from annotator.models import DepartureReason, Rating, ReadingPreference
from annotator.rating_values import (
    AIDS,
    ERROR_TAGS,
    LONGEST_TEXT,
    REMARKS,
    TEXT_FIELDS,
    TYPED,
    Given,
)
from core.forms import (
    LARGEST_VERSION,
    SCORE,
    ChosenField,
    CommentField,
    RefusableForm,
    RubricForm,
    TickField,
    WholeNumberField,
    words_field,
)
from core.shapes import LONGEST_REASON
from patclaimeval.rubric import CRITERIA, NAMES
from patclaimeval.text_io.strict_json import StrictJsonError, loads

LONGEST_KEY: Final = 200
LONGEST_TAGS: Final = 100_000
CONFLICT: Final = DepartureReason.CONFLICT_OF_INTEREST
# Fields of the same form that other buttons of it send: the reason of a flag, a chosen tag.
OF_OTHER_BUTTONS: Final = frozenset(
    {"csrfmiddlewaretoken", "flag_code", "flag_reason", "tag", "aid", "own_note"}
)


class TagsField(forms.CharField):
    """The chosen error tags as JSON, which the page has in a hidden field."""

    def clean(self, value: Any) -> list[Any]:
        text = str(super().clean(value) or "[]")
        try:
            tags = loads(text.encode("utf-8", "surrogatepass"))
        except StrictJsonError as error:
            raise ValidationError(f"The error tags cannot be read: {error.reason}") from error
        if not isinstance(tags, list):
            raise ValidationError("Error tags are a list.")
        return tags


def score_fields() -> dict[str, ChosenField]:
    """Return a field for the score of each criterion."""
    return {
        criterion: ChosenField(
            "score",
            SCORE,
            "Choose a score from 0 to 10.",
            "A score is a whole number from 0 to 10.",
            label=NAMES[criterion],
        )
        for criterion in CRITERIA
    }


class RatingForm(RubricForm):
    """What the rate page posts; `version` is 0 for a first rating, else the one revised."""

    of_other_buttons = OF_OTHER_BUTTONS

    key = forms.CharField(required=False, max_length=LONGEST_KEY)
    draft_version = WholeNumberField(required=False, min_value=0, max_value=LARGEST_VERSION)
    note_version = WholeNumberField(required=False, min_value=0, max_value=LARGEST_VERSION)
    shown = forms.CharField(required=False, max_length=100)
    error_tags = TagsField(required=False, max_length=LONGEST_TAGS)

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        for field in TEXT_FIELDS:
            too_long = f"A {field.name} may have"
            self.fields[field.name] = words_field(LONGEST_TEXT, too_long, required=False)
        self.fields.update(score_fields())

    @property
    def scores(self) -> dict[str, int]:
        """The valid scores; all four when the form is valid."""
        return {key: self.cleaned_data[key] for key in CRITERIA if key in self.cleaned_data}

    @property
    def given(self) -> Given:
        """What the annotator gives, once the form is valid."""
        given: dict[str, Any] = {name: self.cleaned_data[name] for name in REMARKS}
        return cast(Given, {"scores": self.scores, **given})

    @property
    def draft_version_seen(self) -> int | None:
        """The draft that the page shows; None when the sender knows of no drafts."""
        return self.cleaned_data.get("draft_version") if "draft_version" in self.data else None

    @property
    def own_note(self) -> str | None:
        """The own note on the reference as it was typed; None when the sender shows none."""
        return self.typed("own_note").replace("\r\n", "\n") if "own_note" in self.data else None

    @property
    def aids(self) -> dict[str, bool]:
        """Which reading aids were on the screen; empty when the sender has no screen of ours."""
        if "shown" not in self.data:
            return {}
        shown = str(self.cleaned_data.get("shown", "")).split()
        return {aid: aid in shown for aid in AIDS}

    @property
    def as_entered(self) -> dict[str, str]:
        """Return what a draft holds: every field as it was typed, right or wrong."""
        return {name: self.typed(name) for name in TYPED}


def as_sent(rating: Rating) -> dict[str, str]:
    """Return a stored rating as the values that the form would send for it."""
    sent = {name: str(getattr(rating, name)) for name in TYPED}
    return sent | {ERROR_TAGS: json.dumps(rating.error_tags), "version": str(rating.version)}


def _reason(**more: Any) -> CommentField:
    return words_field(LONGEST_REASON, "A reason may have", widget=TextInput, **more)


class SkipForm(RefusableForm):
    """Why a candidate is left unrated; a conflict of interest is a recusal."""

    places = {"reason_code": "leave_code", "reason": "leave_reason"}

    leave_code = forms.ChoiceField(
        label="Reason",
        choices=[("", "choose …"), *(one for one in DepartureReason.choices if one[0] != CONFLICT)],
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose a reason."),
    )
    leave_reason = _reason(
        label="In your words", help_text="Optional; for the admin.", required=False
    )

    @property
    def given(self) -> dict[str, str]:
        """What a skip takes, once the form is valid."""
        return {
            "reason_code": self.cleaned_data["leave_code"],
            "reason": self.cleaned_data["leave_reason"].strip(),
        }


class RecusalForm(RefusableForm):
    """What the conflict of interest is, which an admin reads."""

    places = {"reason": "leave_reason"}

    leave_reason = _reason(
        label="Reason",
        help_text="For the admin: the conflict of interest in a few words, no client secrets.",
        error_messages={"required": "Say in a few words what the conflict of interest is."},
    )


LONGEST_KEY_NAME: Final = 20
HIDDEN: Final = frozenset({"csrfmiddlewaretoken", "next"})


@dataclass(frozen=True, slots=True)
class KeyField:
    """One action as the page shows it: what stands in its field, defaults, what is wrong.

    The first field that is wrong takes the focus.
    """

    action: Action
    value: str
    defaults: str
    errors: tuple[str, ...]
    takes_focus: bool


class KeysForm(forms.Form):
    """What the keys page posts: a key by action code, blank for the default."""

    single_keys = TickField(required=False)

    def __init__(self, stored: ReadingPreference, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"single_keys": stored.single_keys})
        self._stored = keymap(stored.keys)
        self.changes: dict[str, str] = {}
        for action in ACTIONS:
            self.fields[action.code] = forms.CharField(
                required=False,
                max_length=LONGEST_KEY_NAME,
                error_messages={"max_length": "No key has so long a name."},
            )

    def clean(self) -> dict[str, Any]:
        if unknown := sorted(set(self.data) - set(self.fields) - HIDDEN):
            raise ValidationError(f"There is no action named {unknown[0][:40]}.")
        typed = {name: key for name, key in self.cleaned_data.items() if name != "single_keys"}
        problems = key_problems(typed)
        for code, sentence in problems.items():
            self.add_error(code, sentence)
        if not problems:
            self.changes = clean_changes(typed)
        return self.cleaned_data

    def groups(self) -> Iterator[tuple[str, list[KeyField]]]:
        """Yield each group with its fields, filled from what was typed, else from what holds."""
        first_wrong = next((action.code for action in ACTIONS if action.code in self.errors), "")
        for group, actions in groupby(ACTIONS, key=lambda action: action.group):
            yield group, [self._field(action, first_wrong) for action in actions]

    @property
    def has_single_keys(self) -> bool:
        return bool(self["single_keys"].value())

    def _field(self, action: Action, first_wrong: str) -> KeyField:
        keys = self._stored[action.code]
        in_force = shown(keys[0]) if keys else ""
        return KeyField(
            action=action,
            value=str(self.data.get(action.code, "")) if self.is_bound else in_force,
            defaults=" or ".join(shown(key) for key in action.keys),
            errors=tuple(str(reason) for reason in self.errors.get(action.code, ())),
            takes_focus=action.code == first_wrong,
        )
