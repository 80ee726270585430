"""When a rating is locked, how a new one is stored, and the ratings that conflicts are measured on.

Written as SQL: this is asked with every submit, and building it through the ORM costs several
times what it costs the database. Both databases read the same text.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection
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
from annotator.rubric import SCORE_COLUMNS
from core.clock import database_now
from core.database import as_id

# Who holds one of these sees what others gave, and is no blind annotator.
SEEING: Final = (Role.ADMIN, Role.ADJUDICATOR, Role.RESEARCHER)
_ASKED: Final = f"""
SELECT EXISTS (SELECT 1 FROM {Membership._meta.db_table}
                WHERE campaign_id = %s AND user_id = %s AND role IN (%s, %s, %s)),
       EXISTS (SELECT 1 FROM {Unblinding._meta.db_table} WHERE campaign_id = %s AND user_id = %s),
       r.number, r.kind
  FROM (SELECT 1) one LEFT JOIN {Round._meta.db_table} r
    ON r.candidate_id = %s AND r.finished_at IS NULL
"""  # noqa: S608 - table names only


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Whether an author could have seen others' work, and the unfinished round, if there is one."""

    is_blind: bool
    round_number: int
    round_kind: str


def circumstances_of(assignment: Assignment) -> Circumstances:
    """Return the circumstances of an assignment as they are now."""
    who = [as_id(assignment.campaign_id), as_id(assignment.annotator_id)]
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, [*who, *SEEING, *who, as_id(assignment.candidate_id)])
        has_role, was_shown, number, kind = cursor.fetchone()
    return Circumstances(not (has_role or was_shown), number or 1, kind or "")


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
    rated = Candidate.objects.filter(reference__campaign=campaign, ratings__isnull=False).distinct()
    if not campaign.is_open:
        return rated
    before = database_now() - timedelta(hours=campaign.revision_hours)
    turn = Turn.objects.filter(candidate=OuterRef("pk"), expires_at__gt=Now())
    ruling = Ruling.objects.filter(candidate=OuterRef("pk"), is_valid=True)
    asked = Round.objects.filter(candidate=OuterRef("pk"), finished_at=None)
    return (
        rated.annotate(
            rating_count=Count("ratings", distinct=True), last=Max("ratings__revised_at")
        )
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


_RATINGS: Final = f"""
SELECT r.annotator_id, r.candidate_id, {", ".join(f"r.{name}" for name in SCORE_COLUMNS)}
  FROM {Rating._meta.db_table} r JOIN {Candidate._meta.db_table} c ON c.id = r.candidate_id
 WHERE c.reference_id = %s AND c.purpose IN ({", ".join(["%s"] * len(GENUINE))})
"""  # noqa: S608 - table and column names only


def reference_ratings(reference_id: UUID) -> list[RatedScores]:
    """Return every rating of a reference's genuine candidates.

    Keys are UUIDs as 32 hexadecimal digits.
    """
    with connection.cursor() as cursor:
        cursor.execute(_RATINGS, [as_id(reference_id), *GENUINE])
        rows = cursor.fetchall()
    return [
        RatedScores(_hex(annotator), _hex(candidate), scores_of(scores))
        for annotator, candidate, *scores in rows
    ]


def _hex(key: UUID | str) -> str:
    # SQLite hands its text over as it is stored.
    return key if isinstance(key, str) else key.hex


def rules_of(campaign: Campaign) -> ConflictRules:
    """Return the rules that hold in a campaign today."""
    return ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
        campaign.has_ladder,
    )
