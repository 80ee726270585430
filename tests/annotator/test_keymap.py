"""The keys of the rate screen: defaults, changes, and what is no usable key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.keymap import (
    ACTIONS,
    GROUPS,
    KeyProblem,
    clean_changes,
    is_single,
    key_problems,
    keymap,
    shown,
)

CODES = [action.code for action in ACTIONS]
DEFAULTS = {action.code: action.keys for action in ACTIONS}
typed = st.dictionaries(
    st.sampled_from(CODES),
    st.one_of(st.sampled_from(["x", "N", "é", "Ctrl+s", "ctrl+enter", "f2", "t", "j"]), st.text()),
)


def test_every_action_has_its_own_keys_and_a_known_group() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(set(keys)) == len(keys) and len(set(CODES)) == len(CODES)
    assert {action.group for action in ACTIONS} == set(GROUPS)
    assert not set("0123456789") & set(keys)


def test_groups_stand_together_in_their_order() -> None:
    assert list(dict.fromkeys(action.group for action in ACTIONS)) == [*GROUPS]
    places = [GROUPS.index(action.group) for action in ACTIONS]
    assert places == sorted(places)


def test_without_changes_the_defaults_hold() -> None:
    assert keymap({}) == DEFAULTS
    assert keymap({})["next-criterion"] == ("j", "ArrowDown")


def test_a_persons_key_takes_the_place_of_all_defaults_of_that_action_only() -> None:
    assert keymap({"ten": "x"}) == DEFAULTS | {"ten": ("x",)}


def test_two_actions_may_swap_their_keys() -> None:
    swap = {"undo": "q", "queue": "u"}
    assert clean_changes(swap) == {"queue": "u", "undo": "q"}
    assert keymap(swap)["undo"] == ("q",)


def test_a_stored_change_of_an_action_that_is_gone_is_passed_over() -> None:
    assert keymap({"dance": "t"}) == DEFAULTS


def test_a_stored_key_that_became_a_default_elsewhere_stays_the_persons() -> None:
    keys = keymap({"flag": "j"})
    assert keys["flag"] == ("j",) and keys["next-criterion"] == ("ArrowDown",)


def test_without_single_keys_only_named_keys_and_ctrl_are_left() -> None:
    keys = keymap({"comment": "Ctrl+m"}, single_keys=False)
    assert keys["next-criterion"] == ("ArrowDown",)
    assert (keys["comment"], keys["submit"], keys["undo"]) == (("Ctrl+m",), ("Ctrl+Enter",), ())
    assert is_single("?") and not is_single("F2") and not is_single("Ctrl+m")


def test_keys_are_shown_as_printed_on_keyboards() -> None:
    assert [shown(key) for key in ("t", "ArrowDown", "PageUp", "Ctrl+ArrowUp", "F2")] == [
        *("t", "↓", "PgUp", "Ctrl+↑", "F2")
    ]


def test_blanks_and_first_defaults_are_dropped_and_second_defaults_are_changes() -> None:
    sent = {"ten": "t", "undo": "", "queue": "  ", "submit": "ctrl+ENTER", "next-criterion": "↓"}
    assert clean_changes(sent) == {"next-criterion": "ArrowDown"}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (" x ", "x"),
        ("X", "X"),
        ("é", "é"),
        ("+", "+"),
        ("pagedown", ""),
        ("PgDn", ""),
        ("f2", "F2"),
        ("ctrl+S", "Ctrl+s"),
        ("Ctrl+F8", "Ctrl+F8"),
        ("CTRL+↓", "Ctrl+ArrowDown"),
    ],
)
def test_keys_are_stored_as_the_browser_names_them(sent: str, stored: str) -> None:
    assert clean_changes({"scroll-down": sent}).get("scroll-down", "") == stored


@pytest.mark.parametrize(
    ("key", "words"),
    [
        *((digit, "always give scores") for digit in "0123456789"),
        ("Tab", "moves the focus"),
        ("enter", "button in focus"),
        ("Escape", "leaves"),
        ("Esc", "leaves"),
        ("Space", "chooses"),
        ("ArrowLeft", "move a score"),
        ("Ctrl+Tab", "moves the focus"),
        *((name, "modifier alone") for name in ("Shift", "ctrl", "Ctrl+", "Control", "Alt")),
        ("ab", "one character"),
        ("jj", "one character"),
        ("F13", "one character"),
        ("Ctrl+Shift+s", "one character"),
        ("Ctrl+Alt", "one character"),
        ("\x00", "one character"),
        ("\u200b", "one character"),
        ("\u0301", "one character"),
        ("\ud800", "one character"),
        ("Ctrl+w", "belongs to the browser"),
        ("Ctrl+C", "belongs to the browser"),
        ("Ctrl+1", "belongs to the browser"),
        ("Ctrl+PageDown", "belongs to the browser"),
        ("n", "n is already the key for: next candidate"),
        ("↑", "↑ is already the key for: previous criterion"),
        ("Ctrl+Enter", "already the key for: submit"),
    ],
)
def test_a_key_that_cannot_be_used_is_refused_at_its_action(key: str, words: str) -> None:
    with pytest.raises(KeyProblem, match=words) as caught:
        clean_changes({"comment": key})
    assert caught.value.field == "comment"
    assert str(caught.value) == caught.value.sentence


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(KeyProblem, match="no such action") as caught:
        clean_changes({"dance": "x"})
    assert caught.value.field == "dance"


def test_two_changes_to_one_key_are_reported_at_the_later_action() -> None:
    problems = key_problems({"undo": "x", "ten": "x"})
    assert problems == {"undo": "x is already the key for: give the score ten."}


def test_a_key_given_away_in_the_same_change_is_free() -> None:
    assert clean_changes({"next-candidate": "x", "comment": "n"})["comment"] == "n"


def test_every_problem_is_reported_at_once() -> None:
    assert set(key_problems({"undo": "5", "flag": "Tab", "note": "n", "tag": "w"})) == {
        *("undo", "flag", "note")
    }


@given(typed)
def test_what_is_taken_is_stable_and_gives_every_action_its_own_keys(sent: dict[str, str]) -> None:
    problems = key_problems(sent)
    if problems:
        with pytest.raises(KeyProblem):
            clean_changes(sent)
        return
    stored = clean_changes(sent)
    assert clean_changes(stored) == stored
    keys = [key for of_action in keymap(stored).values() for key in of_action]
    assert len(set(keys)) == len(keys)
    assert all(keymap(stored)[code] for code in CODES)
