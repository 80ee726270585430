"""The actions of the rate screen, their default keys, and how a person may change them.

A key is a `KeyboardEvent.key`: one character ("t", "?"), a named key ("ArrowDown"), or either
with "Ctrl+" before it. Letters keep their case: "N" is typed with Shift. The digits 0 to 9 always
give scores. Standard library only.
"""

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

CTRL: Final = "Ctrl+"
GROUPS: Final = ("Scores", "Reading", "Notes", "Moving", "Drafts")
NAMED_KEYS: Final = (
    *("ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", "Insert", "Delete"),
    *("F2", "F4", "F8", "F9"),
)
# Names by which people and keyboards call the named keys, and how screens print them.
_SHOWN: Final = {"ArrowDown": "↓", "ArrowUp": "↑", "PageDown": "PgDn", "PageUp": "PgUp"}
_NAMED: Final = {key.casefold(): key for key in (*NAMED_KEYS, "Enter")} | {
    shown.casefold(): key for key, shown in _SHOWN.items()
}
_NEEDED_ELSEWHERE: Final = {
    "tab": "Tab moves the focus",
    "enter": "Enter presses the button in focus",
    "escape": "Escape leaves a field or a dialog",
    "esc": "Escape leaves a field or a dialog",
    "space": "Space chooses or scrolls",
    "spacebar": "Space chooses or scrolls",
    "arrowleft": "the left and right arrows move a score",
    "arrowright": "the left and right arrows move a score",
}
_MODIFIERS: Final = frozenset(
    ("alt", "altgraph", "capslock", "control", "ctrl", "ctrl+", "fn", "meta", "numlock", "shift")
)
# With Ctrl these edit text, zoom, or act on the browser before a page gets them.
_TAKEN_WITH_CTRL: Final = frozenset(
    ("PageDown", "PageUp", "Home", "End", "Insert", "Delete", "F4", *"acnqtvwxyz0123456789+-")
)


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key does: its stable code, label for people, default keys, group."""

    code: str
    words: str
    keys: tuple[str, ...]
    group: str


class KeyProblem(ValueError):
    """A key that cannot be used: the action it was sent for, and a sentence with the reason."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence


ACTIONS: Final[tuple[Action, ...]] = (
    Action("ten", "Give the score ten", ("t", "-"), "Scores"),
    Action("next-criterion", "Next criterion", ("j", "ArrowDown"), "Scores"),
    Action("previous-criterion", "Previous criterion", ("k", "ArrowUp"), "Scores"),
    Action("scroll-down", "Scroll the candidate down", ("PageDown",), "Reading"),
    Action("scroll-up", "Scroll the candidate up", ("PageUp",), "Reading"),
    Action("scroll-reference-down", "Scroll the reference down", ("]",), "Reading"),
    Action("scroll-reference-up", "Scroll the reference up", ("[",), "Reading"),
    Action("toggle-aligned", "Aligned claims on or off", ("a",), "Reading"),
    Action("toggle-diff", "Word differences on or off", ("d",), "Reading"),
    Action("toggle-marks", "Marks on or off", ("m",), "Reading"),
    Action("fold-dependents", "Fold or unfold dependent claims", ("f",), "Reading"),
    Action("fold-all", "Fold or unfold all claims", ("F",), "Reading"),
    Action("fold-equal", "Fold or unfold claims without a change", ("=",), "Reading"),
    Action("next-difference", "Next difference", (".",), "Reading"),
    Action("previous-difference", "Previous difference", (",",), "Reading"),
    Action("next-mark", "Next mark", (">",), "Reading"),
    Action("previous-mark", "Previous mark", ("<",), "Reading"),
    Action("go-to-claim", "Go to a claim by its number", ("g",), "Reading"),
    Action("find", "Find a term on both sides", ("/",), "Reading"),
    Action("context", "Description and drawings, beside the claims", ("i",), "Reading"),
    Action("rubric", "Bands and worked examples of the criterion", ("b",), "Reading"),
    Action("keys", "List of all keys", ("?",), "Reading"),
    Action("comment", "Write the comment", ("c",), "Notes"),
    Action("note", "Write a note to the adjudicator", ("o",), "Notes"),
    Action("tag", "Tag the selected words with an error", ("e",), "Notes"),
    Action("tag-mark", "Tag the mark in focus with its error", ("E",), "Notes"),
    Action("flag", "Flag the candidate", ("!",), "Notes"),
    Action("next-candidate", "Next candidate", ("n",), "Moving"),
    Action("previous-candidate", "Previous candidate", ("p",), "Moving"),
    Action("all-candidates", "All candidates of the reference, side by side", ("v",), "Moving"),
    Action("skip", "Skip the candidate with a reason", ("s",), "Moving"),
    Action("recuse", "Recuse yourself: conflict of interest", ("r",), "Moving"),
    Action("queue", "Back to the queue", ("q",), "Moving"),
    Action("undo", "Undo the last change", ("u",), "Drafts"),
    Action("submit", "Submit the rating", ("Ctrl+Enter",), "Drafts"),
)
_BY_CODE: Final = {action.code: action for action in ACTIONS}


def is_single(key: str) -> bool:
    """Return whether a key is one character without Ctrl, as WCAG 2.2, 2.1.4, speaks of them."""
    return len(key) == 1


def shown(key: str) -> str:
    """Return a key as screens print it: `PgDn` for PageDown, an arrow for ArrowDown."""
    prefix, plain = (CTRL, key[len(CTRL) :]) if key.startswith(CTRL) else ("", key)
    return prefix + _SHOWN.get(plain, plain)


def keymap(changes: Mapping[str, str], *, single_keys: bool = True) -> dict[str, tuple[str, ...]]:
    """Return every action's keys by its code, in the order of ACTIONS.

    `changes` holds a person's one key by action code, as `clean_changes` returns them; it takes
    the place of all that action's defaults. Changes stored for actions that exist no longer are
    passed over, and a default key that the person gave to another action falls to that one.
    Without `single_keys` the keys of one character are left out, so that an action may have none.
    """
    taken = {key for code, key in changes.items() if code in _BY_CODE}
    keys = {
        action.code: (changes[action.code],)
        if action.code in changes
        else tuple(key for key in action.keys if key not in taken)
        for action in ACTIONS
    }
    if single_keys:
        return keys
    return {
        code: tuple(key for key in of_action if not is_single(key))
        for code, of_action in keys.items()
    }


# The keys of the columns on the ruling page. They are capitals because new scores and the lists of
# that page are typed in lower case and digits; A and B are the candidates of an order flip.
MEAN_KEY: Final = "M"
NEW_SCORES_KEY: Final = "N"
ANNOTATOR_KEYS: Final = "XYZWVUTSRQPOLKJIHGFEDC"


def column_keys(annotators: int, in_use: Collection[str]) -> list[str]:
    """Return the keys that choose a column of a ruling: each annotator's, the mean's, new scores'.

    A key that the person uses for something else (`in_use`) is passed over for the next one that is
    free; "" where none is left.
    """
    free = [key for key in ANNOTATOR_KEYS if key not in in_use]
    keys = [(free.pop(0) if free else "") for _ in range(annotators)]
    for key in (MEAN_KEY, NEW_SCORES_KEY):
        instead = free.pop(0) if key in in_use and free else ""
        keys.append(instead if key in in_use else key)
    return keys


def key_problems(sent: Mapping[str, str]) -> dict[str, str]:
    """Return a sentence for each action code sent whose key cannot be used; {} when all can.

    A key is wrong when it is no key, is needed elsewhere, or is a key of another action once all
    changes are made; of two actions changed to one key, the later in ACTIONS is named.
    """
    problems = {code: "There is no such action." for code in sent if code not in _BY_CODE}
    changes: dict[str, str] = {}
    for action in ACTIONS:
        try:
            key = _cleaned(action, sent.get(action.code, ""))
        except ValueError as error:
            problems[action.code] = str(error)
            continue
        if key:
            changes[action.code] = key
    return problems | _shared(changes)


def clean_changes(sent: Mapping[str, str]) -> dict[str, str]:
    """Return the changes to be stored: one key by action code, in the order of ACTIONS.

    `sent` is what a person typed by action code. Blanks, and keys that are the action's first
    default, are dropped. Raises KeyProblem for the first that `key_problems` finds.
    """
    for field, sentence in key_problems(sent).items():
        raise KeyProblem(field, sentence)
    cleaned = {action.code: _cleaned(action, sent.get(action.code, "")) for action in ACTIONS}
    return {code: key for code, key in cleaned.items() if key}


def _cleaned(action: Action, typed: str) -> str:
    """Return the changed key, or "" when nothing was typed or it is the first default.

    Raises ValueError for what is no key, or is needed elsewhere.
    """
    key = _key(typed.strip()) if typed.strip() else ""
    return "" if key == action.keys[0] else key


def _key(typed: str) -> str:
    if typed.casefold() in _MODIFIERS:
        raise ValueError("A modifier alone is no key; put another key after it.")
    has_ctrl = typed.casefold().startswith(CTRL.casefold())
    plain = typed[len(CTRL) :] if has_ctrl else typed
    named = _NAMED.get(plain.casefold())
    if has_ctrl and named:
        return CTRL + _free_with_ctrl(named)
    if why := _NEEDED_ELSEWHERE.get(plain.casefold()):
        raise ValueError(f"This key is needed elsewhere: {why}.")
    if named:
        return named
    if len(plain) != 1 or unicodedata.category(plain)[0] not in "LNPS":
        raise ValueError(f"Type one character, or a key's name such as {NAMED_KEYS[0]} or F2.")
    if has_ctrl:
        return CTRL + _free_with_ctrl(plain.lower())
    if plain in "0123456789":
        raise ValueError("The digits 0 to 9 always give scores.")
    return plain


def _free_with_ctrl(plain: str) -> str:
    if plain in _TAKEN_WITH_CTRL:
        raise ValueError(f"Ctrl+{plain} belongs to the browser; choose another key.")
    return plain


def _shared(changes: Mapping[str, str]) -> dict[str, str]:
    problems: dict[str, str] = {}
    owners: dict[str, Action] = {}
    # Unchanged actions first: they were there before the person's key.
    for action in sorted(ACTIONS, key=lambda action: action.code in changes):
        keys = (changes[action.code],) if action.code in changes else action.keys
        for key in keys:
            owner = owners.setdefault(key, action)
            if owner is not action:
                label = owner.words[0].lower() + owner.words[1:]
                problems[action.code] = f"{shown(key)} is already the key for: {label}."
    return problems
