"""The keys form."""

from django.http import QueryDict

from annotator.keymap import ACTIONS, GROUPS
from annotator.models import ReadingPreference
from annotator.rating.forms import KeysForm


def form(query: str | None = None, **stored: object) -> KeysForm:
    return KeysForm(ReadingPreference(**stored), None if query is None else QueryDict(query))


def test_every_action_stands_in_its_group_once() -> None:
    groups = list(form().groups())
    assert tuple(name for name, _ in groups) == GROUPS
    assert [field.action for _, fields in groups for field in fields] == list(ACTIONS)


def test_an_unsent_form_is_filled_from_what_is_stored() -> None:
    shown = {
        field.action.code: field.value
        for _, fields in form(keys={"ten": "Ctrl+ArrowDown"}).groups()
        for field in fields
    }
    assert (shown["ten"], shown["scroll-up"], shown["flag"]) == ("Ctrl+↓", "PgUp", "!")


def test_a_sent_form_holds_what_was_typed_even_when_wrong() -> None:
    sent = form("queue=0&ten=+5+&undo=x", keys={"flag": "z"})
    assert not sent.is_valid()
    fields = {f.action.code: f for _, fields in sent.groups() for f in fields}
    assert fields["ten"].value == " 5 " and fields["ten"].errors
    assert [code for code, f in fields.items() if f.takes_focus] == ["ten"]
    assert fields["undo"].value == "x" and not fields["undo"].errors
    assert fields["flag"].value == "" and sent.changes == {}


def test_changes_hold_only_what_differs_from_the_defaults() -> None:
    sent = form("ten=t&undo=x&single_keys=on")
    assert sent.is_valid() and sent.changes == {"undo": "x"}
    assert sent.cleaned_data["single_keys"] is True


def test_stored_keys_do_not_stand_in_the_way_of_sent_ones() -> None:
    sent = form("undo=z", keys={"flag": "z"})
    assert sent.is_valid() and sent.changes == {"undo": "z"}
