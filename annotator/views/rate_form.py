"""The rate form as its template shows it: every scale with its bands, choice and errors."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from annotator.forms.rating import ASCII_SPACE, SCORE, RatingForm, as_sent
from annotator.queries.rate_page import RatePage
from annotator.rubric import (
    CRITERIA,
    LOWEST,
    OVERALL,
    RUBRIC,
    TOTAL_WEIGHT,
    Band,
    Criterion,
    band_of,
    overall_numerator,
    overall_text,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button."""

    value: int
    is_chosen: bool
    takes_focus: bool


@dataclass(frozen=True, slots=True)
class BandChoices:
    """A band with its radio buttons."""

    band: Band
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """One criterion's radio group."""

    criterion: Criterion
    bands: tuple[BandChoices, ...]
    errors: tuple[str, ...]


def page_context(
    page: RatePage, form: RatingForm | None = None, *, is_conflict: bool = False
) -> dict[str, Any]:
    """Return what the rate template needs, filled from what was typed, else from what is stored.

    After a conflict the form carries the version that is shown beside it, so that sending it
    again is a choice made with both in view; after a plain mistake it keeps the version it had.
    """
    sent = _values(page, form)
    scores = form.scores if form else page.rating.scores if page.rating else {}
    if form is None or is_conflict:
        sent |= {
            "version": str(page.rating.version if page.rating else 0),
            "key": str(uuid.uuid4()),
        }
    stored = page.rating if is_conflict else None
    return {
        "page": page,
        "sent": sent,
        "scales": _scales(sent, form),
        "comment_errors": form.errors.get("comment", []) if form else [],
        "form_errors": form.non_field_errors() if form else [],
        "is_refused": form is not None,
        "stored": stored,
        "stored_overall": overall_text(stored.overall_numerator) if stored else "",
        **overall_context(scores),
    }


def overall_context(scores: Mapping[str, int]) -> dict[str, Any]:
    """Return the overall of the scores by the server's own rule, or how many are missing."""
    missing = sum(criterion not in scores for criterion in CRITERIA)
    if missing:
        return {"overall": "", "overall_band": "", "missing": missing}
    numerator = overall_numerator(scores)
    band = band_of(OVERALL, Fraction(numerator, TOTAL_WEIGHT))
    return {"overall": overall_text(numerator), "overall_band": band.sentence, "missing": 0}


def _values(page: RatePage, form: RatingForm | None) -> dict[str, str]:
    names = (*CRITERIA, "comment", "version", "key")
    if form is not None:
        typed = {name: form.typed(name) for name in names}
        return typed | {key: typed[key].strip(ASCII_SPACE) for key in CRITERIA}
    return dict.fromkeys(names, "") | (as_sent(page.rating) if page.rating else {})


def _scales(sent: Mapping[str, str], form: RatingForm | None) -> tuple[Scale, ...]:
    errors = {key: _reasons(form, key) for key in CRITERIA}
    focused = _focused(errors, form)
    return tuple(
        Scale(
            criterion=entry,
            bands=tuple(_band(band, sent[entry.key], entry.key == focused) for band in entry.bands),
            errors=errors[entry.key],
        )
        for entry in RUBRIC
    )


def _reasons(form: RatingForm | None, key: str) -> tuple[str, ...]:
    return tuple(str(reason) for reason in form.errors.get(key, ())) if form else ()


def _focused(errors: Mapping[str, tuple[str, ...]], form: RatingForm | None) -> str:
    """Return the criterion that takes the focus: the first wrong one, or a new page's first."""
    if form is None:
        return CRITERIA[0]
    return next((key for key in CRITERIA if errors[key]), "")


def _band(band: Band, sent: str, has_focus: bool) -> BandChoices:
    # One button of a group can take the focus: the chosen one, or the lowest when none is.
    target = sent if SCORE.fullmatch(sent) else str(LOWEST)
    return BandChoices(
        band,
        tuple(
            Choice(value, sent == str(value), has_focus and target == str(value))
            for value in range(band.low, band.high + 1)
        ),
    )
