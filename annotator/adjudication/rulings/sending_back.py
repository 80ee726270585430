"""What sending a conflict back would do, as the page that asks says it."""

from collections.abc import Mapping
from typing import Any

from django.shortcuts import resolve_url

from annotator.adjudication.rulings.forms import SCORE_NAMES
from annotator.adjudication.rulings.queries import AdjudicationPage
from core.confirmation import Confirmation
from patclaimeval.claims.openings import opening_of
from patclaimeval.plurals import counted

# What is typed for the ruling and goes along; never the password.
OF_THE_RULING = (
    *("seen", "decision", "reason_code", "reason", "has_guideline_gap"),
    *SCORE_NAMES,
)


def about_sending_back(page: AdjudicationPage, typed: Mapping[str, Any]) -> Confirmation:
    """Return what is asked before a conflict goes back to its annotators."""
    people, reference = len(page.annotators), page.reference
    return Confirmation(
        question=f"Send {page.name} back?",
        count=counted(people, "annotator"),
        effect=f"{'looks' if people == 1 else 'look'} again, or one more rates it, as you choose. "
        "The conflict leaves the list until they have answered, and your turn at it ends.",
        undo="It can be called back until they have answered. Even then another adjudicator rules "
        "on it, where the campaign has one who may.",
        act="Send it back",
        leave="Rule on it myself",
        back=resolve_url("annotator:adjudicate", page.conflict_id),
        sent=tuple((name, str(typed[name])) for name in OF_THE_RULING if typed.get(name)),
        has_typed=True,
        subjects=(
            ("Reference", reference.title or opening_of(reference.claims)),
            *((part.name, opening_of(part.claims)) for part in page.parts),
        ),
    )
