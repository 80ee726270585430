"""What was made with a rating, or with a reference: versions, models, reports, exports."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Comparison,
    ImportedAnnotation,
    Rating,
    Reference,
    Role,
    Ruling,
    User,
)
from annotator.queries.access import campaigns_for
from annotator.queries.reliability_access import withheld_campaigns
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, UsedRating
from scoring.queries.quadruplets import holds_reference

MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class Use:
    """A version with what was made on it."""

    version: DatasetVersion
    models: tuple[ModelVersion, ...]
    reports: tuple[AgreementReport, ...]


@dataclass(frozen=True, slots=True)
class Touched:
    """What an erasure of a reference would touch.

    Drafts are not counted: nobody but its author may learn that there is one.
    """

    candidates: int
    assignments: int
    ratings: int
    comparisons: int
    annotations: int
    rulings: int
    uses: tuple[Use, ...]
    exports: tuple[AuditEvent, ...]


def ratings_for(user: User) -> QuerySet[Rating]:
    """Return the ratings of the campaigns of which the user is admin.

    None of an open campaign in which they rate: a label that is there, or not, tells of a conflict.
    """
    rows = Rating.objects.filter(candidate__campaign__in=_administered(user))
    rows = rows.exclude(candidate__campaign__in=withheld_campaigns(user))
    return rows.select_related(
        "candidate__reference__imported_from__asked_by",
        "candidate__imported_from__asked_by",
        "candidate__campaign",
    )


def references_for(user: User) -> QuerySet[Reference]:
    """Return the references of the campaigns of which the user is admin."""
    rows = Reference.objects.filter(campaign__in=_administered(user))
    return rows.select_related("campaign", "imported_from__asked_by").defer("claims")


def uses_of_rating(rating: Rating) -> tuple[Use, ...]:
    """Return the versions with labels that follow from a rating, the newest first."""
    used = UsedRating.objects.filter(rating=rating).values("version")
    return uses_of(DatasetVersion.objects.filter(pk__in=used))


def touched_by_erasure(reference: Reference) -> Touched:
    """Return what holds the reference, its candidates or anything that was made of them."""
    of_it = {"candidate__reference": reference}
    pair = Q(left__reference=reference) | Q(right__reference=reference)
    versions = versions_with(reference)
    uses = uses_of(DatasetVersion.objects.filter(pk__in=versions))
    return Touched(
        candidates=reference.candidates.count(),
        assignments=Assignment.objects.filter(**of_it).count(),
        ratings=Rating.objects.filter(**of_it).count(),
        comparisons=Comparison.objects.filter(pair).count(),
        annotations=ImportedAnnotation.objects.filter(reference=reference).count(),
        rulings=Ruling.objects.filter(**of_it).count(),
        uses=uses,
        exports=tuple(_exports([use.version for use in uses], reference.campaign)),
    )


def uses_of_version(version: DatasetVersion) -> Use:
    """Return what was made on a version that is in the reader's scope."""
    (use,) = uses_of(DatasetVersion.objects.filter(pk=version.pk))
    return use


def uses_of(versions: QuerySet[DatasetVersion]) -> tuple[Use, ...]:
    """Return versions with their models and reports, the newest first."""
    rows = versions.select_related("dataset").order_by("-created_at")[:MOST_LISTED]
    found = list(rows)
    models = ModelVersion.objects.filter(run__dataset_version__in=found).select_related("run")
    reports = AgreementReport.objects.filter(dataset_version__in=found).defer("result")
    return tuple(
        Use(
            version,
            tuple(one for one in models if one.run.dataset_version_id == version.pk),
            tuple(one for one in reports if one.dataset_version_id == version.pk),
        )
        for version in found
    )


def _administered(user: User) -> QuerySet[Campaign]:
    return campaigns_for(user, [Role.ADMIN])


def versions_with(reference: Reference) -> set[UUID]:
    """Return the versions that hold a reference.

    Freezes left a row for every rating they used; of other versions of the campaign, the files
    are asked.
    """
    rows = UsedRating.objects.filter(rating__candidate__reference=reference)
    found = set(rows.values_list("version_id", flat=True).distinct())
    others = DatasetVersion.objects.filter(
        dataset__campaign=reference.campaign_id, used_ratings__isnull=True
    )
    found |= {row.pk for row in others if holds_reference(row, reference.reference_id)}
    return found


def _exports(versions: Iterable[DatasetVersion], campaign: Campaign) -> QuerySet[AuditEvent]:
    """Return the logged exports of these versions and of the campaign's ratings."""
    ids = [str(version.pk) for version in versions]
    of_versions = AuditEvent.objects.filter(object_type="dataset_version", object_id__in=ids)
    of_campaign = AuditEvent.objects.filter(object_type="campaign", object_id=str(campaign.pk))
    rows = (of_versions | of_campaign).filter(action__contains="export")
    return rows.select_related("actor").order_by("-at")[:MOST_LISTED]
