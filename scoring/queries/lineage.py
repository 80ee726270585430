"""Where a quadruplet came from: its ratings, rulings, candidates and the files they came in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from annotator.conflicts.settled import points_text
from annotator.models import Adjudication, Candidate, ClaimImport, Rating, Ruling
from annotator.queries.annotator_names import Names
from annotator.queries.settled_values import rating_points, ruling_points
from annotator.rubric import ALL_CRITERIA
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion


@dataclass(frozen=True, slots=True)
class RatingLine:
    """A rating that labels follow from; `is_later` says that it was revised after the freeze."""

    pk: UUID
    side: str
    annotator: str
    points: tuple[str, ...]
    version: int
    round: int
    is_blind: bool
    submitted_at: datetime
    is_later: bool


@dataclass(frozen=True, slots=True)
class RulingLine:
    """A ruling that labels follow from, with what became of it."""

    row: Adjudication
    side: str
    points: tuple[str, ...]
    is_valid: bool


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
    ratings: tuple[RatingLine, ...]
    rulings: tuple[RulingLine, ...]
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
    said = _ids(row.provenance.get("ratings"))
    ratings = _ratings(version, said, side_of, names)
    reference = next((one.reference for one in candidates.values()), None)
    sides = [Side("A", row.reference_id, None, reference.imported_from if reference else None)]
    for name, said_id in (("B", row.b_id), ("C", row.c_id)):
        one = candidates.get(name)
        source = one.imported_from if one else None
        sides.append(Side(name, said_id, one.pk if one else None, source))
    return Lineage(
        sides=tuple(sides),
        reference_pk=reference.pk if reference else None,
        ratings=ratings,
        rulings=_rulings(version, row, side_of),
        missing=len(row.provenance.get("ratings") or ()) - len(ratings),
    )


def _candidates(version: DatasetVersion, row: DatasetRow) -> dict[str, Candidate]:
    """Return the rows of B and C, by side, as far as the campaign holds them."""
    found = Candidate.objects.filter(
        campaign=version.dataset.campaign_id,
        reference__reference_id=row.reference_id,
        candidate_id__in=[row.b_id, row.c_id],
    ).select_related("reference__imported_from__asked_by", "imported_from__asked_by")
    if version.dataset.campaign_id is None:
        return {}
    by_id = {one.candidate_id: one for one in found.defer("claims", "reference__claims")}
    sides = {"B": by_id.get(row.b_id), "C": by_id.get(row.c_id)}
    return {side: one for side, one in sides.items() if one is not None}


def _ratings(
    version: DatasetVersion, ids: Iterable[UUID], side_of: Mapping[UUID, str], names: Names
) -> tuple[RatingLine, ...]:
    rows = Rating.objects.filter(pk__in=list(ids), candidate__in=list(side_of))
    found = [
        RatingLine(
            pk=one.pk,
            side=side_of[one.candidate_id],
            annotator=names.get(str(one.annotator_id), "an annotator"),
            points=_words(rating_points(one.scores | {"overall_numerator": one.overall_numerator})),
            version=one.version,
            round=one.round,
            is_blind=one.is_blind,
            submitted_at=one.submitted_at,
            is_later=one.revised_at > version.created_at,
        )
        for one in rows
    ]
    # "Annotator 10" stands after "Annotator 9".
    return tuple(sorted(found, key=lambda one: (one.side, len(one.annotator), one.annotator)))


def _rulings(
    version: DatasetVersion, row: DatasetRow, side_of: Mapping[UUID, str]
) -> tuple[RulingLine, ...]:
    ids = _ids(row.provenance.get("adjudications"))
    rows = Ruling.objects.filter(adjudication__in=ids, candidate__in=list(side_of))
    found = rows.select_related("adjudication").order_by("adjudication__made_at")
    return tuple(
        RulingLine(
            one.adjudication,
            side_of[one.candidate_id],
            _words(ruling_points(one.scores)),
            one.is_valid,
        )
        for one in found
    )


def _words(points: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(points_text(points[key]) if key in points else "" for key in ALL_CRITERIA)


def _ids(said: Any) -> list[UUID]:
    """Return those of the ids of a row that can be ids of ours."""
    found = []
    for entry in said or ():
        try:
            found.append(UUID(entry))
        except ValueError:
            continue
    return found
