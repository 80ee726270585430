"""Where an annotator is in a campaign, and which candidates with room come next.

Written as SQL: these are asked with every candidate that anybody takes, and building them through
the ORM costs five times what they cost the database. Both databases read the same text.
"""

import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import connection

from annotator.models import Adjudication, Assignment, AssignmentStatus, Candidate, Ruling

# Candidates looked at in one go; several, because others may take the first ones meanwhile.
WINDOW: Final = 20
# One's own lapsed assignment may be taken up again; these may not.
NOT_AGAIN: Final = (
    AssignmentStatus.SUBMITTED,
    AssignmentStatus.SKIPPED,
    AssignmentStatus.RECUSED,
    AssignmentStatus.WITHDRAWN,
)
_ASSIGNMENT: Final = Assignment._meta.db_table
_CANDIDATE: Final = Candidate._meta.db_table
_RULING: Final = Ruling._meta.db_table
_SIGNED: Final = Adjudication._meta.db_table
_LAST: Final = f"""
SELECT a.position, c.queue_position
  FROM {_ASSIGNMENT} a JOIN {_CANDIDATE} c ON c.id = a.candidate_id
 WHERE a.annotator_id = %s AND a.campaign_id = %s
 ORDER BY a.position DESC LIMIT 1
"""  # noqa: S608 - table names only
_FREE: Final = f"""
SELECT c.queue_position, c.id
  FROM {_CANDIDATE} c
 WHERE c.campaign_id = %s AND c.has_room AND c.queue_position {{side}} %s {{recused}}
   AND NOT EXISTS (SELECT 1 FROM {_ASSIGNMENT} a
                    WHERE a.annotator_id = %s AND a.candidate_id = c.id
                      AND a.status IN ({", ".join(["%s"] * len(NOT_AGAIN))}))
   AND NOT EXISTS (SELECT 1 FROM {_RULING} r JOIN {_SIGNED} s ON s.id = r.adjudication_id
                    WHERE r.candidate_id = c.id AND s.adjudicator_id = %s)
 ORDER BY c.queue_position LIMIT {WINDOW}
"""  # noqa: S608 - table names and a number only


@dataclass(frozen=True, slots=True)
class Standing:
    """The number of an annotator's last assignment, and its place in the campaign's queue."""

    position: int
    queue_position: int


def standing_of(campaign_id: UUID, annotator_id: UUID) -> Standing:
    """Return where an annotator is; 0 and 0 before the first assignment."""
    rows = _rows(_LAST, [_key(annotator_id), _key(campaign_id)])
    return Standing(*rows[0]) if rows else Standing(0, 0)


def candidates_from(
    campaign_id: UUID, annotator_id: UUID, place: int, recused: Collection[UUID]
) -> list[UUID]:
    """Return candidates with room from a place of the queue on; see `_free`."""
    return _free(">=", campaign_id, annotator_id, place, recused)


def candidates_before(
    campaign_id: UUID, annotator_id: UUID, place: int, recused: Collection[UUID]
) -> list[UUID]:
    """Return candidates with room before a place of the queue; see `_free`."""
    return _free("<", campaign_id, annotator_id, place, recused)


def _free(
    side: str, campaign_id: UUID, annotator_id: UUID, place: int, recused: Collection[UUID]
) -> list[UUID]:
    """Return one window of candidates: references in order, each one's candidates shuffled.

    Left out: what the annotator has rated, left or ruled on, and the references they are recused
    from.
    """
    marks = ", ".join(["%s"] * len(recused))
    sql = _FREE.format(side=side, recused=f"AND c.reference_id NOT IN ({marks})" if recused else "")
    away = [_key(pk) for pk in recused]
    who = _key(annotator_id)
    rows = _rows(sql, [_key(campaign_id), place, *away, who, *NOT_AGAIN, who])
    chance = random.SystemRandom()
    ordered = sorted((queue_position, chance.random(), pk) for queue_position, pk in rows)
    return [pk if isinstance(pk, UUID) else UUID(pk) for _, _, pk in ordered]


def _rows(sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _key(pk: UUID) -> Any:
    """Return a key as the database in use wants it: SQLite keeps UUIDs as text."""
    return Candidate._meta.pk.get_db_prep_value(pk, connection)
