import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.keymap import (
    ACTIONS,
    GROUPS,
    KeyProblem,
    clean_changes,
    column_keys,
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


def test_every_action_has_its_own_keys_and_groups_stand_together_in_their_order() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(set(keys)) == len(keys) and len(set(CODES)) == len(CODES)
    groups = [GROUPS.index(action.group) for action in ACTIONS]
    assert groups == sorted(groups) and set(groups) == set(range(len(GROUPS)))
    assert not set("0123456789") & set(keys)


@pytest.mark.parametrize(
    ("stored", "other"),
    [
        ({}, {}),
        ({"ten": "x"}, {"ten": ("x",)}),
        ({"dance": "t"}, {}),
        ({"flag": "j"}, {"flag": ("j",), "next-criterion": ("ArrowDown",)}),
    ],
    ids=["nothing stored", "a key", "an action that is gone", "what became a default elsewhere"],
)
def test_a_persons_key_takes_the_place_of_all_defaults_of_that_action_only(stored, other) -> None:
    assert keymap(stored) == DEFAULTS | other
    assert DEFAULTS["next-criterion"] == ("j", "ArrowDown")


def test_two_actions_may_swap_their_keys() -> None:
    swap = {"undo": "q", "queue": "u"}
    assert clean_changes(swap) == {"queue": "u", "undo": "q"}
    assert keymap(swap)["undo"] == ("q",)


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


REFUSED = {
    "always give scores": "0123456789",
    "moves the focus": ["Tab", "Ctrl+Tab"],
    "button in focus": ["enter"],
    "leaves": ["Escape", "Esc"],
    "chooses": ["Space"],
    "move a score": ["ArrowLeft"],
    "modifier alone": ["Shift", "ctrl", "Ctrl+", "Control", "Alt"],
    "one character": [
        *("ab", "jj", "F13", "Ctrl+Shift+s", "Ctrl+Alt"),
        *("\x00", "\u200b", "\u0301", "\ud800"),
    ],
    "belongs to the browser": ["Ctrl+w", "Ctrl+C", "Ctrl+1", "Ctrl+PageDown"],
    "n is already the key for: next candidate": ["n"],
    "\u2191 is already the key for: previous criterion": ["\u2191"],
    "already the key for: submit": ["Ctrl+Enter"],
}


@pytest.mark.parametrize("words", REFUSED)
def test_a_key_that_cannot_be_used_is_refused_at_its_action(words: str) -> None:
    for key in REFUSED[words]:
        with pytest.raises(KeyProblem, match=words) as caught:
            clean_changes({"comment": key})
        assert caught.value.field == "comment"
        assert str(caught.value) == caught.value.sentence


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(KeyProblem, match="no such action") as caught:
        clean_changes({"dance": "x"})
    assert caught.value.field == "dance"


def test_every_problem_is_named_at_once_and_of_two_changes_to_one_key_at_the_later() -> None:
    problems = key_problems({"undo": "5", "flag": "Tab", "note": "n", "tag": "w"})
    assert set(problems) == {"undo", "flag", "note"}
    problems = key_problems({"undo": "x", "ten": "x"})
    assert problems == {"undo": "x is already the key for: give the score ten."}
    # A key that is given away in the same change is free.
    assert clean_changes({"next-candidate": "x", "comment": "n"})["comment"] == "n"


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


def test_columns_of_a_ruling_have_keys_that_no_action_and_no_score_has() -> None:
    in_use = {key for keys in keymap({}).values() for key in keys}
    assert column_keys(2, in_use) == ["X", "Y", "M", "N"]
    found = column_keys(8, in_use)
    assert len(set(found)) == 10
    assert not set(found) & (in_use | set("0123456789"))


def test_a_key_that_a_person_uses_chooses_no_column() -> None:
    in_use = {key for keys in keymap({"tag": "X", "flag": "M"}).values() for key in keys}
    assert column_keys(2, in_use) == ["Y", "Z", "W", "N"]


def test_columns_without_a_free_key_have_none() -> None:
    found = column_keys(30, set("FMN"))
    assert found[-3:] == ["", "", ""]
    assert len(found) == 32
