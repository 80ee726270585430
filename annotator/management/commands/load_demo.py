"""`manage.py load_demo`: the demo campaign and its accounts, once.

The claim texts are files in fixtures/demo; annotator.demo plans which damage each candidate
holds and what the two absent annotators rated; here the plan goes through the same services
as real work does.
"""

import random
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
from annotator.demo import (
    NAMED_ANNOTATORS,
    RATED_REFERENCES,
    DemoPlan,
    DemoReference,
    build_demo_plan,
)
from annotator.imports.claims.services import import_claims
from annotator.management.base import WorkbenchCommand
from annotator.models import Assignment, Campaign, Candidate, Conflict, Rating, Role, User
from annotator.rating.services import submit_rating
from core import configuration
from core.errors import Refused
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord

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
                _load(build_demo_plan(FIXTURES))
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


def _load(plan: DemoPlan) -> None:
    campaign = create_campaign(slug=SLUG, name=plan.title)
    people = {
        name: User.objects.filter(username=name).first()
        or create_user(username=name, password=None)
        for name in (*CAST, *ABSENT)
    }
    for name, role in CAST.items():
        grant_role(user=people[name], campaign=campaign, role=role)
    for name in ABSENT:
        grant_role(user=people[name], campaign=campaign, role=Role.ANNOTATOR)
    import_claims(
        campaign=campaign,
        records=[_record(reference) for reference in plan.references],
        may_train=True,
    )
    candidates = {
        (row.reference.reference_id, row.candidate_id): row
        for row in Candidate.objects.filter(reference__campaign=campaign).select_related(
            "reference"
        )
    }
    _assign(plan, campaign, people, candidates)
    _compare(plan, campaign, people, candidates)
    _rate(plan, people, candidates)


def _record(reference: DemoReference) -> ReferenceRecord:
    source = reference.source
    return ReferenceRecord(
        reference_id=source.reference_id,
        reference_claims=source.text,
        candidates=tuple(
            CandidateRecord(candidate_id=c.label, claims=c.text, system=c.system)
            for c in reference.candidates
        ),
        office=source.office,
        ipc=source.ipc,
        language=source.language,
        title=source.title,
    )


def _assign(
    plan: DemoPlan,
    campaign: Campaign,
    people: dict[str, User],
    candidates: dict[tuple[str, str], Candidate],
) -> None:
    shares: dict[str, list[Candidate]] = {}
    places = [(p.annotator, p.reference_id, p.label) for p in plan.ratings]
    places += [(p.annotator, p.reference_id, p.label) for p in plan.assignments]
    for annotator, reference_id, label in places:
        shares.setdefault(annotator, []).append(candidates[reference_id, label])
    for name, share_of_one in shares.items():
        assign_candidates(
            campaign=campaign,
            annotator=people[name],
            candidates=share_of_one,
            chance=random.Random(f"demo {name}"),
        )


def _compare(
    plan: DemoPlan,
    campaign: Campaign,
    people: dict[str, User],
    candidates: dict[tuple[str, str], Candidate],
) -> None:
    """Give the named annotators pairs of the first reference that they are to rate whole."""
    first = plan.references[RATED_REFERENCES].source.reference_id
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
    plan: DemoPlan, people: dict[str, User], candidates: dict[tuple[str, str], Candidate]
) -> None:
    assignments = {(row.annotator_id, row.candidate_id): row.pk for row in Assignment.objects.all()}
    now = timezone.now()
    for rating in plan.ratings:
        annotator = people[rating.annotator]
        candidate = candidates[rating.reference_id, rating.label]
        submit_rating(
            assignment_id=assignments[annotator.pk, candidate.pk],
            annotator=annotator,
            scores=dict(rating.scores),
            submitted_at=now - rating.before_now,
        )
