"""When a rating is locked, how a new one is stored, and which ratings conflicts are found in."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.conflicts.rules import ConflictRules
from annotator.models import (
    GENUINE,
    Assignment,
    Campaign,
    Candidate,
    Conflict,
    Membership,
    Rating,
    Role,
    Round,
    Ruling,
    Turn,
    Unblinding,
)
from annotator.rating_values import RatedScores, scores_of
from core.clock import database_now
from patclaimeval.rubric import SCORE_COLUMNS

# Who holds one of these sees what others gave, and is no blind annotator.
SEEING: Final = (Role.ADMIN, Role.ADJUDICATOR, Role.RESEARCHER)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Whether an author could have seen others' work, and the unfinished round, if there is one."""

    is_blind: bool
    round_number: int
    round_kind: str


def circumstances_of(assignment: Assignment) -> Circumstances:
    """Return the circumstances of an assignment as they are now."""
    who = {"campaign": assignment.campaign_id, "user": assignment.annotator_id}
    sees_others = (
        Membership.objects.filter(**who, role__in=SEEING).exists()
        or Unblinding.objects.filter(**who).exists()
    )
    rounds = Round.objects.filter(candidate=assignment.candidate_id, finished_at=None)
    number, kind = rounds.values_list("number", "kind").first() or (1, "")
    return Circumstances(not sees_others, number, kind)


LOCKED_SENTENCE = (
    "This rating can no longer be changed. Ask the campaign's admin to reopen it if it is wrong."
)


def count_cases(conflicts: QuerySet[Conflict]) -> int:
    """Return how many cases conflicts make: those of a candidate, or of a pair, are one."""
    return conflicts.order_by().values("candidate", "other_candidate").distinct().count()


def locked_candidates(campaign: Campaign) -> QuerySet[Candidate]:
    """Return the candidates whose ratings are final.

    Locked: the campaign is closed, or all its places are rated and the revision window has passed
    since the last submit or revision, or an adjudicator has the candidate open or has ruled on it.
    Not while annotators are asked about it once more.
    """
    ratings = Rating.objects.filter(candidate=OuterRef("pk"))
    rated = Candidate.objects.filter(Exists(ratings), reference__campaign=campaign)
    if not campaign.is_open:
        return rated
    before = database_now() - timedelta(hours=campaign.revision_hours)
    turn = Turn.objects.filter(candidate=OuterRef("pk"), expires_at__gt=Now())
    ruling = Ruling.objects.filter(candidate=OuterRef("pk"), is_valid=True)
    asked = Round.objects.filter(candidate=OuterRef("pk"), finished_at=None)
    return (
        rated.annotate(rating_count=Count("ratings"), last=Max("ratings__revised_at"))
        .filter(Q(rating_count__gte=F("places"), last__lt=before) | Exists(turn) | Exists(ruling))
        .exclude(Exists(asked))
    )


def is_locked(assignment: Assignment) -> bool:
    """Return whether the rating of this assignment is locked."""
    if not assignment.campaign.is_open:
        return True
    has_rating = Rating.objects.filter(assignment=assignment).exists()
    return has_rating and (
        locked_candidates(assignment.campaign).filter(pk=assignment.candidate_id).exists()
    )


def reference_ratings(reference_id: UUID) -> list[RatedScores]:
    """Return every rating of a reference's genuine candidates.

    Keys are UUIDs as 32 hexadecimal digits.
    """
    rows = Rating.objects.filter(
        candidate__reference=reference_id, candidate__purpose__in=GENUINE
    ).values_list("annotator_id", "candidate_id", *SCORE_COLUMNS)
    return [
        RatedScores(annotator.hex, candidate.hex, scores_of(scores))
        for annotator, candidate, *scores in rows
    ]


def rules_of(campaign: Campaign) -> ConflictRules:
    """Return the rules that hold in a campaign today."""
    return ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
        campaign.has_ladder,
    )
