"""What the role that serves may do in a PostgreSQL whose tables another role owns (ADR 0020).

Who owns a table may drop its triggers: only a role that owns nothing cannot get around the guards
of the audit trail. Whoever migrates grants anew each time, as there may be new tables.
"""

from collections.abc import Iterator
from typing import Final

from django.conf import settings
from django.db import connection, transaction

from annotator.models import AuditEvent, AuditSeal
from annotator.refusals import Refused

# Rows of it say which migrations ran: nothing that serves writes them.
MIGRATIONS: Final = "django_migrations"


def grant_serving_rights() -> bool:
    """Give DATABASE_SERVING_ROLE what serving needs, and take all else away; say whether it is set.

    Raises Refused where the one who asks is that role, or where there is none of the name.
    """
    role = settings.DATABASE_SERVING_ROLE
    if not role or connection.vendor != "postgresql":
        return False
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, current_schema(), EXISTS ("
            "SELECT 1 FROM pg_roles WHERE rolname = %s AND NOT rolsuper)",
            [role],
        )
        own, schema, is_there = cursor.fetchone()
        if own == role or not is_there:
            raise Refused(
                f"DATABASE_SERVING_ROLE names {role}, which must be a role of the database that is "
                "no superuser and not the one that migrates; see deploy/roles.sql."
            )
        quote = connection.ops.quote_name
        for statement in _statements(quote(role), quote(schema)):
            cursor.execute(statement)
    return True


def _statements(role: str, schema: str) -> Iterator[str]:
    tables, sequences = (f"ALL {kind} IN SCHEMA {schema}" for kind in ("TABLES", "SEQUENCES"))
    quote = connection.ops.quote_name
    yield f"REVOKE ALL ON {tables} FROM {role}"
    yield f"REVOKE ALL ON {sequences} FROM {role}"
    yield f"REVOKE CREATE ON SCHEMA {schema} FROM {role}, PUBLIC"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {role}"
    yield f"GRANT USAGE, SELECT ON {sequences} TO {role}"
    # Entries are added and their seals are written by the trigger, which has its owner's rights.
    yield f"REVOKE UPDATE, DELETE ON {quote(AuditEvent._meta.db_table)} FROM {role}"
    for table in (AuditSeal._meta.db_table, MIGRATIONS):
        yield f"REVOKE INSERT, UPDATE, DELETE ON {quote(table)} FROM {role}"
