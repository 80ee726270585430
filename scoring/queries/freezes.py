"""Reads of freezes: those that a person may see, and how one was asked for, in words."""

from collections.abc import Iterator

from django.db.models import QuerySet

from annotator.models import User
from annotator.queries.access import campaigns_for
from annotator.queries.reliability_access import withheld_campaigns
from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.models import Freeze
from scoring.queries.datasets import MAY_READ


def freezes_for(user: User) -> QuerySet[Freeze]:
    """Return the freezes of the campaigns in which the user is researcher or admin.

    How one ended counts what was left out: none of an open campaign in which they rate.
    """
    rows = Freeze.objects.filter(campaign__in=campaigns_for(user, MAY_READ))
    rows = rows.exclude(campaign__in=withheld_campaigns(user))
    return rows.select_related("campaign", "version__dataset")


def settings_words(freeze: Freeze) -> Iterator[tuple[str, str]]:
    """Yield what was asked for, as names and words in the order of the form."""
    said = freeze.settings
    yield "Name", said.get("name") or freeze.campaign.slug
    yield "Policy", said["policy"]
    yield "Tie band", f"{said['tie_band']:g} points"
    chosen = said["criteria"]
    names = ", ".join(NAMES[key] for key in ALL_CRITERIA if key in chosen)
    yield "Criteria", "all five" if len(chosen) == len(ALL_CRITERIA) else names
    shares = f"{said['test_share']:g} test, {said['validation_share']:g} validation"
    yield "Split", f"by {said['split_by']}, {shares}, seed {said['seed']}"
    if said["include_unlocked"]:
        yield "Caution", "with ratings that are not locked: for trials only"
