"""Writes of what is typed on the compare page before a submit, and the question of its loss."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import resolve_url

from annotator.models import Comparison, ComparisonDraft, Preference
from annotator.typed_drafts import DraftMoved, check_typed, discard_typed, store_typed
from core.confirmation import Confirmation
from core.errors import Refused
from patclaimeval.plurals import counted
from patclaimeval.rubric import ALL_CRITERIA


def drafts_of(comparison_id: UUID) -> QuerySet[ComparisonDraft]:
    """Return the draft of a comparison, or none."""
    return ComparisonDraft.objects.filter(comparison=comparison_id)


def save_comparison_draft(
    *, comparison_id: UUID, typed: Mapping[str, Any], version: int, preference_version: int
) -> ComparisonDraft:
    """Store what is typed; `version` is the draft's version that the page has seen, 0 for none.

    Raises DraftMoved when another save or a submit came between, Refused when it is too long.
    """
    check_typed(typed)
    with transaction.atomic():
        # A submit of the same comparison ends before or begins after this.
        comparison = Comparison.objects.select_for_update(no_key=True).get(pk=comparison_id)
        if _preference_version(comparison_id) != preference_version:
            why = "This comparison was submitted in another tab; this text was not saved."
            raise DraftMoved(why, drafts_of(comparison_id).first())
        return store_typed(
            ComparisonDraft,
            {"comparison": comparison},
            version=version,
            typed=dict(typed),
            preference_version=preference_version,
        )


def keep_refused(*, comparison_id: UUID, typed: Mapping[str, Any], version: int) -> None:
    """Store what a submit was refused with, unless another tab has saved a newer draft."""
    try:
        save_comparison_draft(
            comparison_id=comparison_id,
            typed=typed,
            version=version if drafts_of(comparison_id).exists() else 0,
            preference_version=_preference_version(comparison_id),
        )
    except (DraftMoved, Refused):
        return


def discard_comparison_draft(*, comparison_id: UUID, version: int | None = None) -> None:
    """Forget the draft that the page shows; DraftMoved when another tab typed more into it."""
    discard_typed(drafts_of(comparison_id), version)


def about_discarding(
    comparison_id: UUID, label: str, draft: ComparisonDraft, version: int | None
) -> Confirmation:
    """Return what is asked before a draft is deleted; `version` is the one that was looked at."""
    answers = sum(bool(draft.typed.get(name)) for name in ALL_CRITERIA)
    parts = [counted(answers, "answer")] * bool(answers)
    parts += ["your comment"] * bool(str(draft.typed.get("comment", "")).strip())
    return Confirmation(
        question=f"Discard the draft of {label}?",
        count=", ".join(parts) or "1 draft",
        effect="will be deleted."
        + " What you submitted before stays." * bool(_preference_version(comparison_id)),
        undo="This cannot be taken back.",
        act="Discard the draft",
        leave="Keep it",
        back=resolve_url("annotator:compare", comparison_id),
        sent=() if version is None else (("typed_version", str(version)),),
    )


def _preference_version(comparison_id: UUID) -> int:
    rows = Preference.objects.filter(comparison=comparison_id)
    return rows.values_list("version", flat=True).first() or 0
