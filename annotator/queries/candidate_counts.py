"""How many candidates of a campaign are begun, complete and locked, by purpose.

Written as SQL: the ORM would group every rating by all columns of its candidate, its claims among
them. Both databases read the same text.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import DateTimeField

from annotator.models import Campaign, Candidate, Rating, Round, Ruling, Turn


@dataclass(frozen=True, slots=True)
class CandidateCounts:
    """Candidates of one purpose: how many there are, are begun, complete, locked; their ratings."""

    candidates: int = 0
    begun: int = 0
    complete: int = 0
    locked: int = 0
    ratings: int = 0

    def __add__(self, other: "CandidateCounts") -> "CandidateCounts":
        return CandidateCounts(
            self.candidates + other.candidates,
            self.begun + other.begun,
            self.complete + other.complete,
            self.locked + other.locked,
            self.ratings + other.ratings,
        )


def _table(model: Any) -> str:
    return str(model._meta.db_table)


# Locked as annotator.queries.locks says it; a test holds the two together.
_COUNTS: Final = f"""
WITH own AS MATERIALIZED (
  SELECT c.id, c.purpose, c.places, COUNT(r.id) AS times, MAX(r.revised_at) AS last
    FROM {_table(Candidate)} c LEFT JOIN {_table(Rating)} r ON r.candidate_id = c.id
   WHERE c.campaign_id = %(campaign)s
   GROUP BY c.id, c.purpose, c.places
)
SELECT purpose, COUNT(*),
       SUM(CASE WHEN times > 0 THEN 1 ELSE 0 END),
       SUM(CASE WHEN times >= places THEN 1 ELSE 0 END),
       SUM(CASE WHEN times = 0 THEN 0
                WHEN %(is_closed)s = 1 THEN 1
                WHEN id IN (SELECT candidate_id FROM {_table(Round)}
                             WHERE finished_at IS NULL) THEN 0
                WHEN times >= places AND last < %(before)s THEN 1
                WHEN id IN (SELECT candidate_id FROM {_table(Turn)}
                             WHERE expires_at > %(now)s) THEN 1
                WHEN id IN (SELECT candidate_id FROM {_table(Ruling)} WHERE is_valid) THEN 1
                ELSE 0 END),
       SUM(times)
  FROM own
 GROUP BY purpose
"""  # noqa: S608 - table names only


def candidate_counts(campaign: Campaign, now: datetime) -> Mapping[str, CandidateCounts]:
    """Return the counts by purpose; a purpose without candidates counts 0."""
    moment = DateTimeField()
    before = now - timedelta(hours=campaign.revision_hours)
    values = {
        "campaign": Campaign._meta.pk.get_db_prep_value(campaign.pk, connection),
        "is_closed": int(not campaign.is_open),
        "before": moment.get_db_prep_value(before, connection),
        "now": moment.get_db_prep_value(now, connection),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, values)
        rows = cursor.fetchall()
    found: defaultdict[str, CandidateCounts] = defaultdict(CandidateCounts)
    return found | {purpose: CandidateCounts(*map(int, rest)) for purpose, *rest in rows}
