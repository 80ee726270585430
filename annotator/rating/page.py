"""The rate form as its template shows it: every scale with its bands, choice and errors."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from django.conf import settings
from django.urls import reverse

from annotator.keymap import ACTIONS, GROUPS, keymap, shown
from annotator.models import DepartureReason, Draft, FlagReason, ReadingPreference
from annotator.rating.forms import RatingForm, as_sent
from annotator.rating.queries import RatePage
from annotator.rating_values import AIDS, ERROR_TAGS, TEXT_FIELDS, TYPED
from annotator.reading import chosen_tags
from annotator.rubric import (
    CRITERIA,
    HIGHEST,
    LOWEST,
    OVERALL,
    RUBRIC,
    TOTAL_WEIGHT,
    band_of,
    overall_numerator,
    overall_text,
)
from core.forms import ASCII_SPACE, SCORE, RadioGroup, focused_group, radio_choices

LEAVING: Final = ("leave_code", "leave_reason", "flag_code", "flag_reason")
AID_LABELS: Final = {"aligned": "Aligned", "diff": "Differences", "marks": "Marks"}


@dataclass(frozen=True, slots=True)
class AidButton:
    """One reading aid with its button."""

    name: str
    words: str
    is_on: bool
    keys: str


@dataclass(frozen=True, slots=True)
class TextBox:
    """One of the boxes for free text."""

    name: str
    label: str
    hint: str
    keys: str
    value: str
    errors: tuple[str, ...]


def page_context(
    page: RatePage, form: RatingForm | None = None, *, is_conflict: bool = False
) -> dict[str, Any]:
    """Return what the rate template needs, filled from what was typed, else from what is stored.

    After a conflict the form has the version that is shown beside it, so that sending it
    again is a choice made with both in view; after a plain mistake it has the version it had.
    """
    own, sent = page.assignment, _values(page, form)
    is_unkept = form is not None and not is_conflict
    if not is_unkept:
        sent |= {
            "version": str(page.rating_version),
            "draft_version": str(page.draft_version),
            "key": str(uuid.uuid4()),
        }
    elif page.draft and not _differs(page.draft, sent):
        # Stored a moment ago from this very form: it is no other tab's.
        sent["draft_version"] = str(page.draft_version)
        is_unkept = False
    stored = page.rating if is_conflict else None
    return {
        "page": page,
        "sent": sent,
        "scales": _scales(sent, form),
        "word_fields": _text_boxes(page.preference, sent, form),
        "errors": {ERROR_TAGS: _reasons(form, ERROR_TAGS)},
        "form_errors": form.non_field_errors() if form else [],
        "is_refused": form is not None,
        "is_unkept": is_unkept,
        "stored": stored,
        "rated_overall": overall_text(page.rating.overall_numerator) if page.rating else "",
        "other_draft": page.draft if is_conflict and _differs(page.draft, sent) else None,
        "skip_reasons": [r for r in DepartureReason.choices if r[0] != "conflict-of-interest"],
        "flag_reasons": FlagReason.choices,
        "idle_seconds": settings.READING_IDLE_SECONDS,
        "keys_url": f"{reverse('annotator:keys')}?next={reverse('annotator:rate', args=[own.pk])}",
        **tags_context(page, sent[ERROR_TAGS]),
        **reading_context(page.preference),
        **overall_context(entered_scores(sent)),
    }


def reading_context(preference: ReadingPreference) -> dict[str, Any]:
    """Return which reading aids are on, and the person's keys for them and for all else."""
    aids = {aid: bool(getattr(preference, f"shows_{aid}")) for aid in AIDS}
    keys = keymap(preference.keys, single_keys=preference.single_keys)
    printed = {code: [shown(key) for key in pressed] for code, pressed in keys.items()}
    return {
        "aids": aids,
        "shown_changes": preference.shows_changes,
        "shown": " ".join(aid for aid in AIDS if aids[aid]),
        "aid_buttons": [
            AidButton(aid, AID_LABELS[aid], aids[aid], " ".join(printed[f"toggle-{aid}"]))
            for aid in AIDS
        ],
        "keys": {code.replace("-", "_"): " ".join(pressed) for code, pressed in printed.items()},
        "key_groups": [
            (group, [(a.words, printed[a.code]) for a in ACTIONS if a.group == group])
            for group in GROUPS
        ],
        "has_single_keys": preference.single_keys,
        "keymap": json.dumps({"keys": keys, "single": preference.single_keys}),
    }


def tags_context(page: RatePage, sent: str) -> dict[str, Any]:
    """Return the chosen error tags as chips, and the tags to choose from."""
    candidate = page.assignment.candidate
    return chosen_tags(
        sent, {"candidate": candidate.claims, "reference": candidate.reference.claims}
    )


def entered_scores(sent: Mapping[str, str]) -> dict[str, int]:
    """Return the scores among what was typed, by the rule of the form."""
    return {key: int(sent[key]) for key in CRITERIA if SCORE.fullmatch(sent[key])}


def overall_context(scores: Mapping[str, int]) -> dict[str, Any]:
    """Return the overall of the scores by the server's own rule, or how many are missing."""
    missing = sum(criterion not in scores for criterion in CRITERIA)
    if missing:
        return {"overall": "", "overall_band": "", "missing": missing}
    numerator = overall_numerator(scores)
    band = band_of(OVERALL, Fraction(numerator, TOTAL_WEIGHT))
    return {"overall": overall_text(numerator), "overall_band": band.sentence, "missing": 0}


def _values(page: RatePage, form: RatingForm | None) -> dict[str, str]:
    names = (*TYPED, "version", "draft_version", "key", *LEAVING)
    if form is not None:
        typed = {name: form.typed(name) for name in names}
        typed[ERROR_TAGS] = typed[ERROR_TAGS] or "[]"
        return typed | {key: typed[key].strip(ASCII_SPACE) for key in CRITERIA}
    empty = dict.fromkeys(names, "") | {ERROR_TAGS: "[]"}
    if page.draft:
        return empty | {name: str(page.draft.typed.get(name) or empty[name]) for name in TYPED}
    return empty | (as_sent(page.rating) if page.rating else {})


def _text_boxes(
    preference: ReadingPreference, sent: Mapping[str, str], form: RatingForm | None
) -> list[TextBox]:
    keys = keymap(preference.keys, single_keys=preference.single_keys)
    return [
        TextBox(
            field.name,
            field.label,
            field.hint,
            " ".join(shown(key) for key in keys.get(field.name, ())),
            sent[field.name],
            _reasons(form, field.name),
        )
        for field in TEXT_FIELDS
    ]


def _differs(draft: Draft | None, sent: Mapping[str, str]) -> bool:
    """Return whether a stored draft holds anything that is not on the page already."""
    return draft is not None and any(
        not same_text(str(draft.typed.get(name, "")), sent[name]) for name in TYPED
    )


def same_text(one: str, other: str) -> bool:
    """Return whether two texts differ in line ends only, which a form sends in its own way."""
    return one.replace("\r\n", "\n") == other.replace("\r\n", "\n")


def _scales(sent: Mapping[str, str], form: RatingForm | None) -> tuple[RadioGroup, ...]:
    """Return a scale for each criterion, with a button for each score, grouped by band."""
    errors = {key: _reasons(form, key) for key in CRITERIA}
    focused = focused_group(CRITERIA, errors, is_new=form is None)
    labels = [(value, str(value)) for value in range(LOWEST, HIGHEST + 1)]
    scales = []
    for entry in RUBRIC:
        key, hint = entry.key, f"weight {entry.weight}"
        buttons = tuple(
            replace(choice, group=band_of(key, int(choice.value)))
            for choice in radio_choices(labels, sent[key], has_focus=key == focused)
        )
        scales.append(RadioGroup(key, entry.name, entry.question, buttons, errors[key], hint))
    return tuple(scales)


def _reasons(form: RatingForm | None, key: str) -> tuple[str, ...]:
    return tuple(str(reason) for reason in form.errors.get(key, ())) if form else ()
