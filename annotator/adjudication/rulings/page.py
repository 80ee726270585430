"""The adjudication page as its template shows it: one table of scores, one choice, the remarks."""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from django.core.exceptions import NON_FIELD_ERRORS

from annotator.adjudication.cases import SENT_SENTENCE
from annotator.adjudication.rulings.forms import OTHER, TAKE, DecisionForm, SendBackForm
from annotator.adjudication.rulings.queries import MEANING, AdjudicationPage, SeenRating
from annotator.keymap import column_keys, keymap
from annotator.models import Decision, RulingReason
from annotator.rating_values import mean_text, points_text
from annotator.reading import READING_KEYS, Chip, chosen_tags, reading_context
from core.forms import Choice, RefusableForm, focused_group, radio_choices
from patclaimeval.claims.minimap import State
from patclaimeval.claims.reading import SideView
from patclaimeval.claims.side_by_side import (
    SideBySide,
    joint_cells,
    note_by_names,
    set_side_by_side,
    unlike_states,
)
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, HIGHEST, NAMES

# The keys of the rate screen that work here too, as this screen calls them.
KEY_LABELS: Final = {
    **READING_KEYS,
    "ten": "Ten, in a new score",
    "comment": "Write the reason",
    "submit": "Sign the ruling",
    "queue": "Back to the list",
    "keys": "List of all keys",
}
# What both forms of the page type, apart from scores and the password.
TYPED: Final = (
    *("decision", "reason_code", "reason", "has_guideline_gap"),
    *("back_kind", "back_question"),
)
SIDES: Final = ("left", "right")
# The fields of a ruling that may be wrong, in the order of the page.
CHECKED: Final = ("decision", "reason_code", "reason", "password")


@dataclass(frozen=True, slots=True)
class RulingColumn:
    """A column of the table that may be chosen, and its key."""

    choice: Choice
    key: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What an annotator gave a criterion; `was` in earlier rounds, where it was something else."""

    value: str
    was: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A criterion of a candidate across the columns; `field` is where a new score is typed."""

    name: str
    values: tuple[Cell, ...]
    mean: str
    ruled: str
    is_disputed: bool
    field: str
    sent: str


@dataclass(frozen=True, slots=True)
class Remarks:
    """What an annotator wrote about a candidate, by the names of the fields, and tagged in it."""

    number: int
    round: int
    texts: tuple[tuple[str, str], ...]
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class PartView:
    """A candidate's rows of the table, and what was written about it.

    Of two candidates the overall stands apart, above the rows of both: it is what is in dispute.
    """

    name: str
    side: str
    view: SideView
    states: list[tuple[State, int]]
    rows: tuple[ScoreRow, ...]
    overall: ScoreRow | None
    words: tuple[Remarks, ...]
    is_ruled: bool


def page_context(
    page: AdjudicationPage,
    form: DecisionForm | SendBackForm | None = None,
    *,
    is_checked: bool = True,
) -> dict[str, Any]:
    """Return what the adjudication template needs, filled from what was typed in both its forms.

    `form` is the one whose button was pressed; the page sends the other one's fields along.
    With `is_checked` false it was sent for another reason, and its mistakes are not shown.
    """
    errors: dict[str, list[str]] = {}
    if form and is_checked:
        errors = {name: [str(e) for e in why] for name, why in form.errors.items()}
    sent = {name: form.typed(name) if form else "" for name in TYPED}
    focused = focused_group(CHECKED, errors)
    # What the reading pane shows, for one candidate or for two.
    names = [part.name for part in page.parts]
    seen = set_side_by_side([part.reading for part in page.parts], note_by_names(names))
    parts = [_part(page, place, seen, form) for place in range(len(page.parts))]
    return {
        "page": page,
        "parts": parts,
        "columns": _columns(page, sent["decision"], has_focus=focused == "decision" or not errors),
        "focused": focused,
        "sent": sent,
        "errors": errors,
        "form_errors": errors.get(NON_FIELD_ERRORS, []),
        "is_refused": bool(errors),
        "is_sent_back": isinstance(form, SendBackForm),
        "sent_sentence": SENT_SENTENCE,
        "reasons": RulingReason.choices,
        "choices": range(HIGHEST + 1),
        "meaning": MEANING,
        "span": len(page.annotators) + 3,
        "seen": seen,
        "cells": joint_cells(seen, [part.side for part in parts], names),
        "spans": json.dumps(
            [
                {"side": chip.side, "start": chip.start, "end": chip.end}
                for part in parts
                for remarks in part.words
                for chip in remarks.chips
                if chip.start >= 0
            ]
        ),
        **reading_context(page.preference, KEY_LABELS),
    }


def _columns(page: AdjudicationPage, sent: str, *, has_focus: bool) -> list[RulingColumn]:
    """Return what may be chosen, each with its key: a rating, the mean, or new scores."""
    rows = [(f"{TAKE}{one.takes}", f"Annotator {one.number}") for one in page.annotators]
    rows.append((str(Decision.MEAN), "Mean"))
    if page.is_open:
        rows.append((str(Decision.SCORES), "New scores"))
    closed = {f"Annotator {one.number}" for one in page.annotators if one.takes is None}
    in_use = {key for keys in keymap(page.preference.keys).values() for key in keys}
    choices = radio_choices(rows, sent, has_focus=has_focus)
    return [
        RulingColumn(replace(choice, is_open=choice.label not in closed), key)
        for choice, key in zip(choices, column_keys(len(page.annotators), in_use), strict=False)
    ]


def _part(
    page: AdjudicationPage, place: int, seen: SideBySide, form: RefusableForm | None
) -> PartView:
    part = page.parts[place]
    by_number = {rating.number: rating for rating in part.ratings}
    ratings = [by_number.get(one.number) for one in page.annotators]
    rows = []
    for key in ALL_CRITERIA:
        name = f"{OTHER if part.is_other else ''}{key}" if key in CRITERIA else ""
        cells = tuple(_cell(rating, key) for rating in ratings)
        ruled = points_text(key, part.ruled[key]) if part.ruled else ""
        sent = form.typed(name) if form and name else ""
        is_disputed = key in part.disputed
        rows.append(
            ScoreRow(NAMES[key], cells, mean_text(part.mean(key)), ruled, is_disputed, name, sent)
        )
    side = SIDES[place] if len(page.parts) > 1 else "candidate"
    texts = {"candidate": part.claims, "reference": page.reference.claims}
    remarks = tuple(_remarks(rating, side, texts) for rating in part.ratings)
    overall = rows.pop() if len(page.parts) > 1 else None
    view, states = seen.candidates[place], unlike_states(seen, place)
    is_ruled = part.ruled is not None
    return PartView(part.name, side, view, states, tuple(rows), overall, remarks, is_ruled)


def _cell(rating: SeenRating | None, key: str) -> Cell:
    if rating is None:
        return Cell("", "")
    now = points_text(key, rating.points[key])
    before = [points_text(key, earlier[key]) for earlier in rating.earlier]
    return Cell(now, ", ".join(before) if any(value != now for value in before) else "")


def _remarks(rating: SeenRating, side: str, texts: dict[str, str]) -> Remarks:
    chips = tuple(
        replace(chip, side=side) if chip.side == "candidate" else chip
        for chip in chosen_tags(json.dumps(rating.tags), texts)["chips"]
    )
    given = tuple((name, text) for name, text in rating.texts.items() if text)
    return Remarks(rating.number, rating.round, given, chips)
