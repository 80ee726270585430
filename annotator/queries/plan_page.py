"""What the plan page shows: who has what, and what is there to check the annotators by."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet, Sum

from annotator.clock import database_now
from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Membership,
    Purpose,
    Reference,
    Role,
)
from annotator.queries.annotators import annotators_of
from annotator.rubric import CRITERIA, NAMES

MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class PersonsWork:
    """One annotator: what they have, rated or not, and their quota."""

    username: str
    can_work: bool
    assigned: int
    rated: int
    overdue: int
    quota: int | None

    @property
    def open(self) -> int:
        return self.assigned - self.rated


@dataclass(frozen=True, slots=True)
class Checks:
    """What tells about the annotators: qualification, sentinels, repeats."""

    qualification: tuple[str, ...]
    qualification_count: int
    sentinels: tuple[tuple[str, int], ...]
    sentinel_ratings: int
    repeats: int
    repeats_rated: int

    @property
    def sentinel_count(self) -> int:
        return sum(count for _, count in self.sentinels)


def people_at_work(campaign: Campaign) -> tuple[PersonsWork, ...]:
    """Return the annotators by name with the counts of their assignments."""
    late = Q(status=AssignmentStatus.OPEN, due_at__lt=database_now())
    counts = {
        row["annotator"]: row
        for row in Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values("annotator")
        .annotate(
            assigned=Count("pk", filter=Q(status__in=HOLDING)),
            rated=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
            overdue=Count("pk", filter=late),
        )
    }
    able = set(annotators_of(campaign).values_list("pk", flat=True))
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    rows = members.order_by("user__username").values_list("user_id", "user__username", "quota")
    nothing = {"assigned": 0, "rated": 0, "overdue": 0}
    found = []
    for pk, username, quota in rows:
        own = counts.get(pk, nothing)
        work = (own["assigned"], own["rated"], own["overdue"])
        found.append(PersonsWork(username, pk in able, *work, quota))
    return tuple(found)


def references_named(campaign: Campaign, ids: Iterable[str]) -> QuerySet[Reference]:
    """Return the references of a campaign that have one of these ids of its files."""
    return Reference.objects.filter(campaign=campaign, reference_id__in=ids)


def free_places(campaign: Campaign) -> int:
    """Return how many places of the campaign's candidates nobody holds."""
    rows = Candidate.objects.filter(campaign=campaign, held__lt=F("places"))
    free = rows.exclude(purpose=Purpose.REPEAT).aggregate(free=Sum(F("places") - F("held")))
    return free["free"] or 0


def checks_of(campaign: Campaign) -> Checks:
    """Return what is there to check the annotators by; lists are cut, counts are not."""
    references = Reference.objects.filter(
        campaign=campaign, candidates__purpose=Purpose.QUALIFICATION
    ).distinct()
    rows = Candidate.objects.filter(campaign=campaign)
    damages = rows.filter(purpose=Purpose.SENTINEL).values_list("damage", flat=True)
    by_criterion = Counter(damage.get("criterion") for damage in damages)
    hidden = rows.filter(purpose__in=(Purpose.SENTINEL, Purpose.REPEAT))
    rated = Assignment.objects.filter(status=AssignmentStatus.SUBMITTED, candidate__in=hidden)
    times = Counter(rated.values_list("candidate__purpose", flat=True))
    return Checks(
        tuple(references.order_by("position").values_list("reference_id", flat=True)[:MOST_LISTED]),
        references.count(),
        tuple((NAMES[key], by_criterion[key]) for key in CRITERIA),
        times[Purpose.SENTINEL],
        rows.filter(purpose=Purpose.REPEAT).count(),
        times[Purpose.REPEAT],
    )
