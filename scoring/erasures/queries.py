"""Erasures as site admins and admins of the campaign see them: ids, counts and what is left."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Substr

from annotator.models import GENUINE, Backup, Campaign, Candidate, Rating, Reference, User
from patclaimeval.claims.openings import HEAD
from scoring.models import Erasure, ErasureStatus, ModelVersion


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What people have to follow up after an erasure: models to retire, backups to delete."""

    erasure: Erasure
    models: tuple[ModelVersion, ...]
    backups: tuple[Backup, ...]

    @property
    def is_open(self) -> bool:
        return self.erasure.status == ErasureStatus.ASKED


def erasures_for(user: User) -> QuerySet[Erasure]:
    """Return all erasures to a site admin, and none to anybody else."""
    rows = Erasure.objects.select_related("campaign", "asked_by", "answered_by")
    return rows if user.is_superuser else rows.none()


def listed_erasures(user: User) -> list[dict[str, Any]]:
    """Return the erasures of the site with their counts, what awaiting an answer first.

    `may_answer` where the reader is another person than the one who asked.
    """
    rows = sorted(erasures_for(user), key=lambda row: row.status != ErasureStatus.ASKED)
    return [
        {
            "row": row,
            "counts": _counts(row),
            "may_answer": row.status == ErasureStatus.ASKED and row.asked_by_id != user.pk,
        }
        for row in rows
    ]


def aftermath(reference: Reference) -> Aftermath | None:
    """Return the newest erasure of a reference with what it leaves to people, if there is one."""
    row = Erasure.objects.filter(reference=reference).select_related("answered_by").first()
    if row is None:
        return None
    models = ModelVersion.objects.filter(pk__in=row.result.get("models", []))
    # Those of before the end still hold it.
    backups = Backup.objects.filter(made_at__lte=row.done_at) if row.done_at else ()
    return Aftermath(row, tuple(models), tuple(backups))


def listed_references(campaign: Campaign, sought: str = "") -> QuerySet[Reference]:
    """Return the references of a campaign in their order, those already erased included.

    Each has `head`, the beginning of its claims; `candidate_count` and `rating_count`; and
    `erasure_status`, that of its newest erasure or None. `sought` is a part of the id or title.
    """
    candidates = Candidate.objects.filter(reference=OuterRef("pk")).order_by()
    ratings = Rating.objects.filter(candidate__reference=OuterRef("pk")).order_by()
    newest = Erasure.objects.filter(reference=OuterRef("pk")).order_by("-asked_at")
    rows = Reference.objects.filter(
        Q(reference_id__icontains=sought) | Q(title__icontains=sought), campaign=campaign
    ).annotate(
        head=Substr("claims", 1, HEAD),
        candidate_count=Coalesce(
            Subquery(candidates.values("reference").annotate(n=Count("pk")).values("n")), 0
        ),
        rating_count=Coalesce(
            Subquery(ratings.values("candidate__reference").annotate(n=Count("pk")).values("n")), 0
        ),
        erasure_status=Subquery(newest.values("status")[:1]),
    )
    return rows.defer("claims", "draft_claims").order_by("position", "reference_id", "pk")


def own_candidates(reference: Reference) -> list[str]:
    """Return the ids of the candidates of a reference that came in files, in their order."""
    rows = Candidate.objects.filter(reference=reference, purpose__in=GENUINE)
    return list(rows.order_by("candidate_id").values_list("candidate_id", flat=True))


def _counts(row: Erasure) -> list[tuple[str, int]]:
    if not row.result:
        count = Candidate.objects.filter(reference=row.reference_id).count()
        return [("candidate" if count == 1 else "candidates", count)]
    sizes = ((name, len(n) if isinstance(n, list) else n) for name, n in row.result.items())
    return [(name, size) for name, size in sizes if size]
