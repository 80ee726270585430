"""The keys form: one key per action of the rate screen, and whether single characters count."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from annotator.forms.fields import TickField
from annotator.keymap import ACTIONS, Action, clean_changes, key_problems, keymap, shown
from annotator.models import ReadingPreference

LONGEST_KEY: Final = 20
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
                max_length=LONGEST_KEY,
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
