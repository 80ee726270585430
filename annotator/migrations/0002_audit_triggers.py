"""Has the database seal the audit trail and guard it.

A later migration that makes the table anew on SQLite (any AlterField does) loses its triggers: it
has to run `make_triggers` again. A test says so, and `verify_audit` too.
"""

from django.db import migrations

EVENTS, SEALS = "annotator_auditevent", "annotator_auditseal"
REFUSAL = "The audit trail is append-only: nothing in it is changed or deleted."
# What PostgreSQL's advisory lock of the chain is known by: "audit" in ASCII.
LOCK = 0x6175646974

# The texts of an entry, in the order in which annotator.audit.chain reads them.
COLUMNS = ("actor_id", "campaign_id", "action", "object_type", "object_id", "details")
TIME = {
    "postgresql": "to_char({row}.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    "sqlite": "CAST({row}.at AS TEXT)",
}


def texts_of(vendor, row):
    """Return the expressions of the texts of an event, without its place in the chain."""
    return [
        f"CAST({row}.id AS TEXT)",
        TIME[vendor].format(row=row),
        *(f"CAST({row}.{column} AS TEXT)" for column in COLUMNS),
    ]


def make_triggers(apps, schema_editor):
    connection = schema_editor.connection
    statements = _postgresql(connection) if connection.vendor == "postgresql" else _sqlite()
    for statement in statements:
        schema_editor.execute(statement, params=None)


def _postgresql(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        (schema,) = cursor.fetchone()
    # By its owner's rights, so that the role of the application needs none on the seals.
    kind = (
        "LANGUAGE plpgsql SECURITY DEFINER "
        f"SET search_path = pg_catalog, {schema}, pg_temp"
    )
    texts = ", ".join(texts_of("postgresql", "NEW"))
    yield f"""
        CREATE FUNCTION annotator_audit_refuse() RETURNS trigger {kind} AS $$
        BEGIN
            RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation';
        END $$"""
    for table in (EVENTS, SEALS):
        yield f"""
            CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION annotator_audit_refuse()"""
    yield f"""
        CREATE FUNCTION annotator_audit_seal() RETURNS trigger {kind} AS $$
        DECLARE
            earlier text;
            place bigint;
            entry text;
        BEGIN
            -- At commit only, and last of all locks: a long transaction holds nobody up.
            PERFORM pg_advisory_xact_lock({LOCK});
            SELECT sequence, sha256 INTO place, earlier
                FROM {SEALS} ORDER BY sequence DESC LIMIT 1;
            place := coalesce(place, 0) + 1;
            SELECT string_agg(coalesce(octet_length(part) || ':' || part, '-'), '' ORDER BY nth)
                INTO entry
                FROM unnest(ARRAY[CAST(place AS TEXT), {texts}]) WITH ORDINALITY AS t (part, nth);
            INSERT INTO {SEALS} (sequence, event_id, sha256) VALUES (place, NEW.id,
                encode(sha256(convert_to(coalesce(earlier, '') || entry, 'UTF8')), 'hex'));
            RETURN NULL;
        END $$"""
    # Its name comes after those of foreign keys: a check of theirs that waits holds no lock yet.
    yield f"""
        CREATE CONSTRAINT TRIGGER {EVENTS}_seal AFTER INSERT ON {EVENTS}
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION annotator_audit_seal()"""


def _sqlite():
    for table in (EVENTS, SEALS):
        for act in ("UPDATE", "DELETE"):
            yield f"""
                CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table}
                BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""
    # INSERT OR REPLACE deletes without any trigger for deleting.
    for table, known in ((EVENTS, "id = NEW.id"), (SEALS, "sequence = NEW.sequence OR event_id = NEW.event_id")):
        yield f"""
            CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table}
            WHEN EXISTS (SELECT 1 FROM {table} WHERE {known})
            BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""
    texts = ", ".join(texts_of("sqlite", "NEW"))
    yield f"""
        CREATE TRIGGER {EVENTS}_seal AFTER INSERT ON {EVENTS}
        BEGIN
            INSERT INTO {SEALS} (sequence, event_id, sha256)
            SELECT top.place + 1, NEW.id, audit_seal(
                coalesce(s.sha256, ''), CAST(top.place + 1 AS TEXT), {texts})
            FROM (SELECT coalesce(max(sequence), 0) AS place FROM {SEALS}) top
            LEFT JOIN {SEALS} s ON s.sequence = top.place;
        END"""


def drop_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        statements = [
            f"DROP TRIGGER {EVENTS}_seal ON {EVENTS}",
            *(f"DROP TRIGGER {table}_append_only ON {table}" for table in (EVENTS, SEALS)),
            "DROP FUNCTION annotator_audit_seal()",
            "DROP FUNCTION annotator_audit_refuse()",
        ]
    else:
        statements = [f"DROP TRIGGER {EVENTS}_seal"] + [
            f"DROP TRIGGER {table}_no_{act}"
            for table in (EVENTS, SEALS)
            for act in ("update", "delete", "replace")
        ]
    for statement in statements:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("annotator", "0001_initial")]
    replaces = [("annotator", "0015_audit_triggers")]

    operations = [migrations.RunPython(make_triggers, drop_triggers)]
