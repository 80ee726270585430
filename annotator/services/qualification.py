"""Writes of qualification: references that every annotator rates, before all else."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Purpose,
    Reference,
    User,
)
from annotator.queries.annotators import annotators_of
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.named_work import (
    give_by_name,
    lock_annotator,
    lock_open_campaign,
    refuse_erased,
)
from annotator.services.places import spread_places


@transaction.atomic
def mark_qualification(*, campaign: Campaign, references: Sequence[Reference], by: User) -> int:
    """Have every annotator rate these references, first; return how many candidates were marked.

    Each gets them by name now, whoever joins later when they join. A quota does not count here.
    Raises OutOfDate when all are marked already.
    """
    row = lock_open_campaign(campaign)
    if not references:
        why = "Name at least one reference."
        raise Refused(why, {"references": [why]})
    refuse_erased(references)
    rated = Candidate.objects.filter(reference__in=references, purpose=Purpose.RATED)
    marked = rated.update(purpose=Purpose.QUALIFICATION)
    if not marked:
        raise OutOfDate("These references are for qualification already.")
    fit_qualification(row)
    for annotator in annotators_of(row).order_by("pk"):
        give_qualification(campaign=row, annotator=annotator)
    _audit(row, by, "qualification.marked", references)
    return marked


@transaction.atomic
def unmark_qualification(*, campaign: Campaign, references: Sequence[Reference], by: User) -> int:
    """Make these references ordinary ones again; what is given or rated stays with its annotator.

    Return how many candidates it was. Raises OutOfDate when none is for qualification.
    """
    row = lock_open_campaign(campaign)
    rows = Candidate.objects.filter(reference__in=references, purpose=Purpose.QUALIFICATION)
    count = rows.update(purpose=Purpose.RATED)
    if not count:
        raise OutOfDate("These references are not for qualification.")
    spread_places(row)
    fit_qualification(row)
    _audit(row, by, "qualification.unmarked", references)
    return count


def give_qualification(*, campaign: Campaign, annotator: User) -> int:
    """Give an annotator the qualification references that they never had; return how many
    candidates. Called where somebody becomes annotator."""
    # Asked step by step: as one query, PostgreSQL compared all candidates with all for want of
    # statistics, while an import that made the annotators had just written them.
    marked = _marked(campaign)
    references = set(marked.values_list("reference_id", flat=True))
    if not references:
        return 0
    own = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    recused = own.filter(status=AssignmentStatus.RECUSED)
    references -= set(recused.values_list("candidate__reference_id", flat=True))
    had = own.exclude(status=AssignmentStatus.LAPSED)
    had_candidates = set(had.values_list("candidate_id", flat=True))
    rows = (
        Candidate.objects.filter(reference__in=references)
        # A sentinel among them too: whole references look alike to everybody.
        .exclude(purpose=Purpose.REPEAT)
        .defer("claims")
        .order_by("queue_position", "reference_id", "candidate_id")
    )
    candidates = [row for row in rows if row.pk not in had_candidates]
    if candidates:
        lock_annotator(campaign, annotator)
        give_by_name(campaign=campaign, annotator=annotator, candidates=candidates, due_at=None)
    return len(candidates)


def fit_qualification(campaign: Campaign) -> None:
    """Give what is for qualification a place for each annotator, and for whoever has it by now."""
    count = max(annotators_of(campaign).count(), 1)
    rows = _marked(campaign)
    rows.update(places=Greatest(Value(count), F("held")))
    rows.update(has_room=ExpressionWrapper(Q(held__lt=F("places")), BooleanField()))


def _marked(campaign: Campaign) -> QuerySet[Candidate]:
    """Return what is for qualification; an erased reference has nothing left to rate."""
    rows = Candidate.objects.filter(campaign=campaign, reference__erased_at=None)
    return rows.filter(purpose=Purpose.QUALIFICATION)


def _audit(campaign: Campaign, by: User, action: str, references: Iterable[Reference]) -> None:
    audit.record(
        actor=by,
        campaign=campaign,
        action=action,
        object_type="campaign",
        object_id=campaign.pk,
        details={"references": [row.reference_id for row in references]},
    )
