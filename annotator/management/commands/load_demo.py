"""`manage.py load_demo`: the demo campaign and its accounts, once.

Claim sets and ratings are files in fixtures/demo; here they go through the same services as real
work does.
"""

import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotator.accounts.services import create_user, set_demo_password
from annotator.assignments.services import assign_candidates
from annotator.campaigns.members.services import grant_role
from annotator.campaigns.services import create_campaign
from annotator.comparisons.services import assign_comparisons
from annotator.demo import TITLE, DemoRating, read_demo_ratings, read_demo_references
from annotator.imports.claims.services import import_claims
from annotator.management.base import WorkbenchCommand
from annotator.models import Assignment, Campaign, Candidate, Conflict, Rating, Role, User
from annotator.rating.services import submit_rating
from core import configuration
from core.errors import Refused

SLUG = "demo"
FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "demo"
CAST = {
    "alice": Role.ANNOTATOR,
    "bob": Role.ANNOTATOR,
    "carol": Role.ADJUDICATOR,
    "rita": Role.RESEARCHER,
    "ada": Role.ADMIN,
}
# They rated the demo before you came; without a password nobody signs in as them.
ABSENT = ("demo-1", "demo-2")
NAMED_ANNOTATORS = ("alice", "bob")
COMPARISONS_EACH = 4


class Command(WorkbenchCommand):
    help = "Load the demo campaign (in local mode only) and print its logins."

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        if not settings.IS_LOCAL:
            raise Refused(
                "The demo is for local mode: its accounts share one password, which production "
                "never allows. Unset SECRET_KEY, ALLOWED_HOSTS and DATABASE_URL to load it."
            )
        password = settings.DEMO_PASSWORD or configuration.demo_password(Path(settings.DATA_DIR))
        is_new = not Campaign.objects.filter(slug=SLUG).exists()
        if is_new:
            self.log("Loading the demo campaign ...")
            with transaction.atomic():
                _load()
        for user in User.objects.filter(username__in=CAST):
            set_demo_password(user=user, password=password)
        campaign = Campaign.objects.get(slug=SLUG)
        return {
            "campaign": SLUG,
            "loaded": is_new,
            "references": campaign.references.count(),
            "candidates": Candidate.objects.filter(reference__campaign=campaign).count(),
            "ratings": Rating.objects.filter(candidate__reference__campaign=campaign).count(),
            "conflicts": Conflict.objects.filter(campaign=campaign).count(),
            "users": list(CAST),
            "password": password,
        }

    def sentence(self, document: dict[str, Any]) -> str:
        return (
            f"Demo campaign: {document['references']} references, {document['candidates']} "
            f"candidates, {document['ratings']} ratings, {document['conflicts']} conflicts.\n"
            f"Demo logins: {', '.join(document['users'])}; password: {document['password']}"
        )


def _load() -> None:
    references, ratings = read_demo_references(FIXTURES), read_demo_ratings(FIXTURES)
    campaign = create_campaign(slug=SLUG, name=TITLE)
    people = {
        name: User.objects.filter(username=name).first()
        or create_user(username=name, password=None)
        for name in (*CAST, *ABSENT)
    }
    for name, role in CAST.items():
        grant_role(user=people[name], campaign=campaign, role=role)
    for name in ABSENT:
        grant_role(user=people[name], campaign=campaign, role=Role.ANNOTATOR)
    import_claims(campaign=campaign, records=references, may_train=True)
    rows = Candidate.objects.filter(reference__campaign=campaign).select_related("reference")
    candidates = {
        (row.reference.reference_id, row.candidate_id): row
        for row in rows.order_by("reference__position", "candidate_id")
    }
    _assign(ratings, campaign, people, candidates)
    _compare(ratings, campaign, people, candidates)
    _rate(ratings, people, candidates)


def _assign(
    ratings: Sequence[DemoRating],
    campaign: Campaign,
    people: dict[str, User],
    candidates: dict[tuple[str, str], Candidate],
) -> None:
    """Assign what is rated to who rated it, and all else to the named annotators."""
    shares: dict[str, list[Candidate]] = {}
    for rating in ratings:
        row = candidates[rating.reference_id, rating.candidate_id]
        shares.setdefault(rating.annotator, []).append(row)
    rated = {(rating.reference_id, rating.candidate_id) for rating in ratings}
    unrated = [row for place, row in candidates.items() if place not in rated]
    for name, share_of_one in {**shares, **dict.fromkeys(NAMED_ANNOTATORS, unrated)}.items():
        assign_candidates(
            campaign=campaign,
            annotator=people[name],
            candidates=share_of_one,
            chance=random.Random(f"demo {name}"),
        )


def _compare(
    ratings: Sequence[DemoRating],
    campaign: Campaign,
    people: dict[str, User],
    candidates: dict[tuple[str, str], Candidate],
) -> None:
    """Give the named annotators pairs of the first reference that they are to rate whole."""
    begun = {rating.reference_id for rating in ratings}
    first = next(name for name, _ in candidates if name not in begun)
    pairs = list(combinations([row for (name, _), row in candidates.items() if name == first], 2))
    for name in NAMED_ANNOTATORS:
        chance = random.Random(f"demo comparisons {name}")
        assign_comparisons(
            campaign=campaign,
            annotator=people[name],
            pairs=chance.sample(pairs, COMPARISONS_EACH),
            chance=chance,
        )


def _rate(
    ratings: Sequence[DemoRating],
    people: dict[str, User],
    candidates: dict[tuple[str, str], Candidate],
) -> None:
    assignments = {(row.annotator_id, row.candidate_id): row.pk for row in Assignment.objects.all()}
    now = timezone.now()
    for rating in ratings:
        annotator = people[rating.annotator]
        candidate = candidates[rating.reference_id, rating.candidate_id]
        submit_rating(
            assignment_id=assignments[annotator.pk, candidate.pk],
            annotator=annotator,
            scores=dict(rating.scores),
            submitted_at=now - rating.before_now,
        )
