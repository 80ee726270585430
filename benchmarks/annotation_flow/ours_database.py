"""Fills a fresh database of ours with a campaign, and counts afterwards what is in it.

Runs in a process of its own, Django being set up (processes.helper).
"""

import itertools

from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Count

from annotation_flow.texts import CANDIDATES_PER_REFERENCE, Item, make_items
from annotator.accounts.services import create_user
from annotator.accounts.sessions import create_token
from annotator.campaigns.members.services import grant_role
from annotator.campaigns.services import create_campaign
from annotator.models import Assignment, Campaign, Candidate, Rating, Reference, Role
from core.text_io.text import text_sha256

SLUG = "flow"
BATCH = 200  # references at a time


def fill(items: int, annotators: int, overlap: int) -> dict[str, object]:
    """Migrate, load the campaign, make the people; return their tokens."""
    call_command("migrate", verbosity=0)
    campaign = create_campaign(slug=SLUG)
    Campaign.objects.filter(pk=campaign.pk).update(overlap=overlap)
    source = make_items(items)
    while batch := list(itertools.islice(source, BATCH * CANDIDATES_PER_REFERENCE)):
        _store(campaign, batch)
    tokens = []
    for number in range(annotators):
        user = create_user(username=f"flow{number}", password=None)
        grant_role(user=user, campaign=campaign, role=Role.ANNOTATOR)
        tokens.append(create_token(user=user).token)
    if connection.vendor == "postgresql":
        # What the server's own housekeeping does within a minute of such a load.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return {"tokens": tokens}


@transaction.atomic
def _store(campaign: Campaign, batch: list[Item]) -> None:
    references: dict[int, Reference] = {}
    candidates = []
    for item in batch:
        if item.reference_number not in references:
            references[item.reference_number] = Reference(
                campaign=campaign,
                reference_id=f"reference-{item.reference_number}",
                title=f"Reference {item.reference_number}",
                claims=item.reference,
                claims_sha256=text_sha256(item.reference),
                position=item.reference_number + 1,
            )
        candidates.append(
            Candidate(
                reference=references[item.reference_number],
                campaign=campaign,
                queue_position=references[item.reference_number].position,
                candidate_id=f"candidate-{item.number}",
                system=f"system-{item.number % CANDIDATES_PER_REFERENCE}",
                claims=item.candidate,
                claims_sha256=text_sha256(item.candidate),
            )
        )
    Reference.objects.bulk_create(references.values())
    Candidate.objects.bulk_create(candidates, batch_size=500)


def count() -> dict[str, object]:
    """Return the ratings stored, and how often an item has more holders than it may have."""
    campaign = Campaign.objects.get(slug=SLUG)
    assignments = Assignment.objects.filter(campaign=campaign)
    holders = assignments.values("candidate").annotate(n=Count("pk"))
    pairs = assignments.values("candidate", "annotator").annotate(n=Count("pk"))
    return {
        "ratings": Rating.objects.filter(assignment__campaign=campaign).count(),
        "beyond_overlap": holders.filter(n__gt=campaign.overlap).count(),
        "twice_to_one": pairs.filter(n__gt=1).count(),
    }
