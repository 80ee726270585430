"""The ratings behind a version as a report reads them: points by candidate, nobody by name."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from annotator.models import Ruling
from annotator.queries.annotator_names import pseudonyms
from annotator.rubric import OVERALL, TOTAL_WEIGHT
from scoring.models import DatasetVersion, UsedRating
from scoring.queries.reports.admins import admins_behind

CandidateKey = tuple[str, str]
"""The ids of a reference and of one of its candidates."""
RULINGS_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class ReportRatings:
    """Who gave which candidate how much.

    `given` maps a candidate to each annotator's points as a whole number of 1 / `unit`; annotators
    are numbers from 1. `settled` are the points of a candidate, 0 to 10: the ruling that the
    labels follow from, else the mean. Ratings that were revised after the freeze are not the ones
    the labels follow from: they are `left_out`.
    """

    given: Mapping[CandidateKey, Mapping[int, int]]
    settled: Mapping[CandidateKey, float]
    annotators: int
    unit: int
    left_out: int


def report_ratings(
    version: DatasetVersion,
    criterion: str,
    adjudications: Collection[str],
    *,
    admins_counted: bool = False,
) -> ReportRatings:
    """Return the ratings that a version was frozen from; none for one that was imported.

    `adjudications` are the ids of those that its labels follow from. Without `admins_counted`,
    ratings of admins of the campaign are as if they were not.
    """
    of_version = UsedRating.objects.filter(version=version)
    if not admins_counted:
        of_version = of_version.exclude(rating__annotator__in=admins_behind(version))
    if not of_version.exists():
        return ReportRatings({}, {}, 0, 1, 0)
    used = of_version.filter(rating__revised_at__lte=version.created_at)
    numbers = _numbers(of_version, version)
    given: defaultdict[CandidateKey, dict[int, int]] = defaultdict(dict)
    column = "overall_numerator" if criterion == OVERALL else criterion
    rows = used.values_list(
        "rating__candidate__reference__reference_id",
        "rating__candidate__candidate_id",
        "rating__annotator",
        f"rating__{column}",
    )
    count = 0
    for reference_id, candidate_id, annotator, points in rows.iterator():
        given[reference_id, candidate_id][numbers[annotator]] = points
        count += 1
    unit = TOTAL_WEIGHT if criterion == OVERALL else 1
    ruled = _ruled(version, criterion, adjudications)
    settled = {
        key: float(ruled.get(key, Fraction(sum(one.values()), unit * len(one))))
        for key, one in given.items()
    }
    return ReportRatings(given, settled, len(numbers), unit, of_version.count() - count)


def _numbers(used: QuerySet[UsedRating], version: DatasetVersion) -> dict[UUID, int]:
    """Number the annotators of a version from 1, in an order that says nothing of them."""
    ids = used.order_by().values_list("rating__annotator", flat=True).distinct()
    found = {str(pk): pk for pk in ids}
    names = pseudonyms(found, f"{version.pk} report")
    return {found[pk]: number for number, pk in enumerate(names, start=1)}


def _ruled(
    version: DatasetVersion, criterion: str, adjudications: Collection[str]
) -> dict[CandidateKey, Fraction]:
    found: dict[CandidateKey, Fraction] = {}
    ids = [UUID(one) for one in sorted(adjudications)]
    for start in range(0, len(ids), RULINGS_AT_ONCE):
        rows = Ruling.objects.filter(
            adjudication__in=ids[start : start + RULINGS_AT_ONCE],
            adjudication__made_at__lte=version.created_at,
            candidate__campaign=version.dataset.campaign_id,
        ).values_list("candidate__reference__reference_id", "candidate__candidate_id", "scores")
        for reference_id, candidate_id, scores in rows:
            if criterion in scores:
                found[reference_id, candidate_id] = Fraction(scores[criterion])
    return found
