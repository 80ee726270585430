"""How far the ratings of a whole campaign are apart, read at once.

Written as SQL, for the same reason as the ratings of one reference are.
"""

from collections import defaultdict
from typing import Final

from django.db import connection

from annotator.conflicts.what_if import Row, Width, row_widths
from annotator.models import GENUINE, Campaign, Candidate, Rating
from annotator.rubric import CRITERIA

_RATINGS: Final = f"""
SELECT CAST(c.reference_id AS TEXT), CAST(c.id AS TEXT), CAST(r.annotator_id AS TEXT),
       r.overall_numerator,
       {", ".join(f"r.{criterion}" for criterion in CRITERIA)}
  FROM {Candidate._meta.db_table} c JOIN {Rating._meta.db_table} r ON r.candidate_id = c.id
 WHERE c.campaign_id = %s AND c.purpose IN ({", ".join(["%s"] * len(GENUINE))})
"""  # noqa: S608 - table and column names only


def campaign_widths(campaign: Campaign) -> list[Width]:
    """Measure every reference with rated genuine candidates.

    References and candidates are named by UUIDs as 32 hexadecimal digits.
    """
    key = Campaign._meta.pk.get_db_prep_value(campaign.pk, connection)
    # In plain rows of text and numbers: objects of 30,000 ratings take longer to make, and UUIDs to
    # compare, than their widths to find.
    found: defaultdict[str, dict[str, list[Row]]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(_RATINGS, [key, *GENUINE])
        for reference, candidate, *row in cursor.fetchall():
            found[reference].setdefault(candidate, []).append(tuple(row))
    return [
        width
        for reference, by_candidate in found.items()
        for width in row_widths(
            _hex(reference), {_hex(name): rows for name, rows in by_candidate.items()}
        )
    ]


def _hex(key: str) -> str:
    # One database writes its UUIDs with hyphens, the other keeps them without.
    return key.replace("-", "")
