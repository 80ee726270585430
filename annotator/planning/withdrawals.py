"""What taking candidates back from an annotator would do, as the page that asks says it."""

from collections.abc import Mapping
from typing import Any

from django.shortcuts import resolve_url

from annotator.models import Assignment, AssignmentStatus, Campaign
from core.confirmation import Confirmation
from patclaimeval.plurals import counted


def about_withdrawal(
    campaign: Campaign, given: Mapping[str, Any], references: str
) -> Confirmation | None:
    """Return what is asked before a withdrawal; None where nothing of it is open.

    `given` is the form as it was read, `references` the list as it was typed.
    """
    person = given["annotator"]
    rows = Assignment.objects.filter(
        campaign=campaign, annotator=person, status=AssignmentStatus.OPEN
    )
    if given["references"]:
        rows = rows.filter(candidate__reference__in=given["references"])
    count, drafts = rows.count(), rows.filter(draft__isnull=False).count()
    if not count or not campaign.is_open:
        return None
    typed = f" {drafts} of them with a draft, which stays stored." if drafts else ""
    return Confirmation(
        question=f"Withdraw from {person.username}?",
        count=counted(count, "open candidate"),
        effect=f"{'goes' if count == 1 else 'go'} back and their places are free for others."
        f"{typed} What {person.username} rated stays; the reason stays in the trail.",
        undo="Assigned by name, the same references are theirs again at any time, with their "
        "drafts.",
        act=f"Withdraw {counted(count, 'candidate')}",
        leave="Keep it with them" if count == 1 else "Keep them there",
        back=resolve_url("annotator:plan", campaign.slug),
        sent=(
            ("annotator", person.username),
            ("references", references),
            ("reason", given["reason"]),
        ),
    )
