"""The rate form as its template shows it: every scale with its bands, choice and errors."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from django.conf import settings
from django.urls import reverse

from annotator.keymap import ACTIONS, GROUPS
from annotator.models import FlagReason, ReadingPreference
from annotator.rating.forms import RatingForm, as_sent
from annotator.rating.queries import RatePage
from annotator.rating_values import AIDS, ERROR_TAGS, TEXT_FIELDS, TYPED, RatingField
from annotator.reading import chosen_tags, reading_context
from annotator.typed_drafts import differs_from
from annotator.typology import TAGS_OF_MARKS
from core.forms import (
    ASCII_SPACE,
    SCORE,
    RadioGroup,
    RubricForm,
    focused_group,
    radio_choices,
)
from patclaimeval.rubric import (
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

FLAGGING: Final = ("flag_code", "flag_reason")
ACTION_LABELS: Final = {action.code: action.words for action in ACTIONS}


@dataclass(frozen=True, slots=True)
class TextBox:
    """One of the boxes for free text."""

    field: RatingField
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
    elif page.draft and not differs_from(page.draft, sent, TYPED):
        # Stored a moment ago from this very form: it is no other tab's.
        sent["draft_version"] = str(page.draft_version)
        is_unkept = False
    stored = page.rating if is_conflict else None
    aids = aids_context(page.preference)
    return {
        "page": page,
        "sent": sent,
        "scales": scales_of(sent, form),
        "word_fields": _text_boxes(aids["keys"], sent, form),
        "errors": {ERROR_TAGS: _reasons(form, ERROR_TAGS)},
        "form_errors": form.non_field_errors() if form else [],
        "is_refused": form is not None,
        "is_unkept": is_unkept,
        "stored": stored,
        "rated_overall": overall_text(page.rating.overall_numerator) if page.rating else "",
        "other_draft": page.draft
        if is_conflict and differs_from(page.draft, sent, TYPED)
        else None,
        "typed_fields": json.dumps(TYPED),
        "tags_field": ERROR_TAGS,
        "tags_of_marks": json.dumps(TAGS_OF_MARKS),
        "flag_reasons": FlagReason.choices,
        "idle_seconds": settings.READING_IDLE_SECONDS,
        "keys_url": f"{reverse('annotator:keys')}?next={reverse('annotator:rate', args=[own.pk])}",
        **note_context(page, form),
        **tags_context(page, sent[ERROR_TAGS]),
        **aids,
        **overall_context({key: int(sent[key]) for key in CRITERIA if SCORE.fullmatch(sent[key])}),
    }


def aids_context(preference: ReadingPreference) -> dict[str, Any]:
    """Return which reading aids are on, and the person's keys for them and for all else."""
    context = reading_context(preference, ACTION_LABELS, AIDS)
    pressed = dict(context["key_list"])
    groups = [
        (group, [(a.words, pressed.get(a.words)) for a in ACTIONS if a.group == group])
        for group in GROUPS
    ]
    on = " ".join(aid for aid in AIDS if context["aids"][aid])
    ten = pressed.get(ACTION_LABELS["ten"], [])
    return context | {"shown": on, "key_groups": groups, "ten_key": "".join(ten[:1])}


def note_context(page: RatePage, form: RatingForm | None) -> dict[str, Any]:
    """Return the own note on the reference as it was typed, else as it is stored."""
    stored = page.own_note
    typed = form.own_note if form else None
    text = stored.text if stored else ""
    return {
        "own_note": text if typed is None else typed,
        "note_version": stored.version if stored else 0,
        # What another tab stored stands beside what was typed here.
        "other_note": stored if typed is not None and typed != text else None,
    }


def tags_context(page: RatePage, sent: str) -> dict[str, Any]:
    """Return the chosen error tags as chips, and the tags to choose from."""
    candidate = page.assignment.candidate
    return chosen_tags(
        sent, {"candidate": candidate.claims, "reference": candidate.reference.claims}
    )


def overall_context(scores: Mapping[str, int]) -> dict[str, Any]:
    """Return the overall of the scores by the server's own rule, or how many are missing."""
    missing = sum(criterion not in scores for criterion in CRITERIA)
    if missing:
        return {"overall": "", "overall_band": "", "missing": missing}
    numerator = overall_numerator(scores)
    band = band_of(OVERALL, Fraction(numerator, TOTAL_WEIGHT))
    return {"overall": overall_text(numerator), "overall_band": band.sentence, "missing": 0}


def _values(page: RatePage, form: RatingForm | None) -> dict[str, str]:
    names = (*TYPED, "version", "draft_version", "key", *FLAGGING)
    if form is not None:
        typed = {name: form.typed(name) for name in names}
        typed[ERROR_TAGS] = typed[ERROR_TAGS] or "[]"
        return typed | {key: typed[key].strip(ASCII_SPACE) for key in CRITERIA}
    empty = dict.fromkeys(names, "") | {ERROR_TAGS: "[]"}
    if page.draft:
        return empty | {name: str(page.draft.typed.get(name) or empty[name]) for name in TYPED}
    return empty | (as_sent(page.rating) if page.rating else {})


def _text_boxes(
    keys: Mapping[str, str], sent: Mapping[str, str], form: RatingForm | None
) -> list[TextBox]:
    return [
        TextBox(field, keys.get(field.name, ""), sent[field.name], _reasons(form, field.name))
        for field in TEXT_FIELDS
    ]


def scales_of(sent: Mapping[str, str], form: RubricForm | None) -> tuple[RadioGroup, ...]:
    """Return a scale for each criterion, with a button for each score, grouped by band.

    The first wrong one takes the focus. A new page begins at its top: on a wide screen, where the
    scales are seen beside the claims, the page's script puts the focus there.
    """
    errors = {key: _reasons(form, key) for key in CRITERIA}
    focused = focused_group(CRITERIA, errors)
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


def _reasons(form: RubricForm | None, key: str) -> tuple[str, ...]:
    return tuple(str(reason) for reason in form.errors.get(key, ())) if form else ()
