"""What decides how a rating is stored: what its author may see, and in which round they are asked.

Written as SQL: this is asked with every submit, and building it through the ORM costs several
times what it costs the database. Both databases read the same text.
"""

from dataclasses import dataclass
from typing import Final

from django.db import connection

from annotator.models import Assignment, Membership, Role, Round, Unblinding, User

_SEEING: Final = (Role.ADMIN, Role.ADJUDICATOR, Role.RESEARCHER)
_ASKED: Final = f"""
SELECT EXISTS (SELECT 1 FROM {Membership._meta.db_table}
                WHERE campaign_id = %s AND user_id = %s AND role IN (%s, %s, %s)),
       EXISTS (SELECT 1 FROM {Unblinding._meta.db_table} WHERE campaign_id = %s AND user_id = %s),
       r.number, r.kind
  FROM (SELECT 1) one LEFT JOIN {Round._meta.db_table} r
    ON r.candidate_id = %s AND r.finished_at IS NULL
"""  # noqa: S608 - table names only


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Whether an author could have seen others' work, and the unfinished round, if there is one."""

    is_blind: bool
    round_number: int
    round_kind: str


def circumstances_of(assignment: Assignment) -> Circumstances:
    """Return the circumstances of an assignment as they are now."""
    campaign, candidate = (
        Round._meta.pk.get_db_prep_value(pk, connection)
        for pk in (assignment.campaign_id, assignment.candidate_id)
    )
    user = User._meta.pk.get_db_prep_value(assignment.annotator_id, connection)
    who = [campaign, user]
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, [*who, *_SEEING, *who, candidate])
        has_role, was_shown, number, kind = cursor.fetchone()
    return Circumstances(not (has_role or was_shown), number or 1, kind or "")
