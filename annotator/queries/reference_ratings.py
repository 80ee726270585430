"""The ratings of one reference as conflicts are measured on them.

Written as SQL: this is asked with every submit, and building it through the ORM costs several
times what it costs the database. Both databases read the same text.
"""

from typing import Final
from uuid import UUID

from django.db import connection

from annotator.conflicts.rules import RatedScores
from annotator.models import GENUINE, Candidate, Rating, Reference
from annotator.rubric import CRITERIA

_RATINGS: Final = f"""
SELECT r.annotator_id, r.candidate_id, r.overall_numerator, {", ".join(f"r.{c}" for c in CRITERIA)}
  FROM {Rating._meta.db_table} r JOIN {Candidate._meta.db_table} c ON c.id = r.candidate_id
 WHERE c.reference_id = %s AND c.purpose IN ({", ".join(["%s"] * len(GENUINE))})
"""  # noqa: S608 - table and column names only


def reference_ratings(reference_id: UUID) -> list[RatedScores]:
    """Return every rating of a reference's genuine candidates.

    Keys are UUIDs as 32 hexadecimal digits.
    """
    key = Reference._meta.pk.get_db_prep_value(reference_id, connection)
    with connection.cursor() as cursor:
        cursor.execute(_RATINGS, [key, *GENUINE])
        rows = cursor.fetchall()
    return [
        RatedScores(
            _hex(annotator), _hex(candidate), dict(zip(CRITERIA, scores, strict=True)), all_
        )
        for annotator, candidate, all_, *scores in rows
    ]


def _hex(key: UUID | str) -> str:
    # SQLite hands its text over as it is kept.
    return key if isinstance(key, str) else key.hex
