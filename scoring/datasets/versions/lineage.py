"""Where a quadruplet came from, and what was made with a rating or a reference."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from annotator.access.scopes import LEAST_DISTINGUISHED, Names, campaigns_for, pseudonyms
from annotator.access.visibility import withheld_campaigns
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    ClaimImport,
    Comparison,
    ImportedAnnotation,
    Rating,
    Reference,
    Role,
    Ruling,
    User,
)
from annotator.rating_values import points_of, points_text, ruled_points
from patclaimeval.rubric import ALL_CRITERIA
from scoring.datasets.versions.queries import holds_reference
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, UsedRating
from scoring.quadruplets import DatasetRow


def ratings_by_annotator(version: DatasetVersion) -> tuple[tuple[str, int], ...]:
    """Return pseudonyms of this version only with how many ratings, in the pseudonyms' order.

    Empty where fewer than three annotators gave them, and where none are on record.
    """
    rows = UsedRating.objects.filter(version=version).values_list("rating__annotator")
    counts = {str(pk): count for pk, count in rows.annotate(count=Count("pk")).order_by()}
    if len(counts) < LEAST_DISTINGUISHED:
        return ()
    names = pseudonyms(counts, f"{version.pk} ratings")
    return tuple((name, counts[pk]) for pk, name in names.items())


@dataclass(frozen=True, slots=True)
class Side:
    """One claim set of a quadruplet and, where the campaign still holds it, its row."""

    name: str
    said_id: str
    pk: UUID | None
    source: ClaimImport | None


@dataclass(frozen=True, slots=True)
class Lineage:
    """Everything that is known of how a quadruplet came about."""

    sides: tuple[Side, ...]
    reference_pk: UUID | None
    ratings: list[dict[str, Any]]
    rulings: list[dict[str, Any]]
    missing: int

    @property
    def sources(self) -> tuple[tuple[str, ClaimImport], ...]:
        """The files of the three claim sets, each once, with the sides that came in it."""
        found: dict[UUID, tuple[list[str], ClaimImport]] = {}
        for side in self.sides:
            if side.source is not None:
                found.setdefault(side.source.pk, ([], side.source))[0].append(side.name)
        return tuple((", ".join(names), source) for names, source in found.values())


def lineage_of(version: DatasetVersion, row: DatasetRow, names: Names) -> Lineage:
    """Return the lineage of a quadruplet; `names` calls annotators by user id.

    Ids in the row are looked up within the version's campaign only: a file made elsewhere may
    name anything.
    """
    candidates = _candidates(version, row)
    side_of = {one.pk: side for side, one in candidates.items()}
    ratings = _ratings(version, _ids(row.provenance.get("ratings")), side_of, names)
    reference = next((one.reference for one in candidates.values()), None)
    sides = [Side("A", row.reference_id, None, reference.imported_from if reference else None)]
    for name, shown_id in (("B", row.b_id), ("C", row.c_id)):
        one = candidates.get(name)
        source = one.imported_from if one else None
        sides.append(Side(name, shown_id, one.pk if one else None, source))
    return Lineage(
        sides=tuple(sides),
        reference_pk=reference.pk if reference else None,
        ratings=ratings,
        rulings=_rulings(row, side_of),
        missing=len(row.provenance.get("ratings") or ()) - len(ratings),
    )


def _candidates(version: DatasetVersion, row: DatasetRow) -> dict[str, Candidate]:
    """Return the rows of B and C, by side, as far as the campaign holds them."""
    if version.dataset.campaign_id is None:
        return {}
    found = Candidate.objects.filter(
        campaign=version.dataset.campaign_id,
        reference__reference_id=row.reference_id,
        candidate_id__in=[row.b_id, row.c_id],
    ).select_related("reference__imported_from__asked_by", "imported_from__asked_by")
    by_id = {one.candidate_id: one for one in found.defer("claims", "reference__claims")}
    sides = {"B": by_id.get(row.b_id), "C": by_id.get(row.c_id)}
    return {side: one for side, one in sides.items() if one is not None}


def _ratings(
    version: DatasetVersion, ids: Iterable[UUID], side_of: Mapping[UUID, str], names: Names
) -> list[dict[str, Any]]:
    rows = Rating.objects.filter(pk__in=list(ids), candidate__in=list(side_of))
    found = [
        {
            "row": one,
            "side": side_of[one.candidate_id],
            "annotator": names.get(str(one.annotator_id), "an annotator"),
            "points": _describe(points_of(one.all_scores)),
            # It was revised after the freeze.
            "is_later": one.revised_at > version.created_at,
        }
        for one in rows
    ]
    # "Annotator 10" stands after "Annotator 9".
    return sorted(found, key=lambda one: (one["side"], len(one["annotator"]), one["annotator"]))


def _rulings(row: DatasetRow, side_of: Mapping[UUID, str]) -> list[dict[str, Any]]:
    ids = _ids(row.provenance.get("adjudications"))
    rows = Ruling.objects.filter(adjudication__in=ids, candidate__in=list(side_of))
    return [
        {
            "row": one.adjudication,
            "side": side_of[one.candidate_id],
            "points": _describe(ruled_points(one.scores)),
            "is_valid": one.is_valid,
        }
        for one in rows.select_related("adjudication").order_by("adjudication__made_at")
    ]


def _describe(points: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(points_text(key, points[key]) if key in points else "" for key in ALL_CRITERIA)


def _ids(ids: Any) -> list[UUID]:
    """Return those of the ids of a row that can be ids of ours."""
    found = []
    for entry in ids or ():
        try:
            found.append(UUID(entry))
        except ValueError:
            continue
    return found


MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class Use:
    """A version with what was made on it."""

    version: DatasetVersion
    models: tuple[ModelVersion, ...]
    reports: tuple[AgreementReport, ...]


def ratings_for(user: User) -> QuerySet[Rating]:
    """Return the ratings of the campaigns of which the user is admin.

    None of an open campaign in which they rate: a label that is there, or not, reveals a conflict.
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


def touched_by_erasure(reference: Reference) -> dict[str, Any]:
    """Count what holds the reference, its candidates or anything that was made of them.

    Beside counts: `uses` and logged `exports`. Drafts are not counted: nobody but its author may
    learn that there is one.
    """
    of_it = {"candidate__reference": reference}
    pair = Q(left__reference=reference) | Q(right__reference=reference)
    uses = uses_of(DatasetVersion.objects.filter(pk__in=versions_with(reference)))
    return {
        "candidates": reference.candidates.count(),
        "assignments": Assignment.objects.filter(**of_it).count(),
        "ratings": Rating.objects.filter(**of_it).count(),
        "comparisons": Comparison.objects.filter(pair).count(),
        "annotations": ImportedAnnotation.objects.filter(reference=reference).count(),
        "rulings": Ruling.objects.filter(**of_it).count(),
        "uses": uses,
        "exports": _exports([use.version for use in uses], reference.campaign),
    }


def uses_of_version(version: DatasetVersion) -> Use:
    """Return what was made on a version that is in the reader's scope."""
    (use,) = uses_of(DatasetVersion.objects.filter(pk=version.pk))
    return use


def uses_of(versions: QuerySet[DatasetVersion]) -> tuple[Use, ...]:
    """Return versions with their models and reports, the newest first."""
    found = list(versions.select_related("dataset").order_by("-created_at")[:MOST_LISTED])
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
