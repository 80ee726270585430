"""Has the database itself keep apart who rates a candidate and who rules on it.

A later migration that makes one of the two tables anew on SQLite (any AlterField does, and so does a
new column that is not NULL) is refused by the other one's trigger: it has to run `drop_triggers`
before and `make_triggers` after.
"""

from django.db import migrations

REFUSAL = "Who rates a candidate does not rule on it."
RATED = """SELECT 1 FROM annotator_rating rating JOIN annotator_adjudication signed
    ON signed.adjudicator_id = rating.annotator_id
    WHERE signed.id = NEW.adjudication_id AND rating.candidate_id = NEW.candidate_id"""
RULED = """SELECT 1 FROM annotator_ruling ruling JOIN annotator_adjudication signed
    ON signed.id = ruling.adjudication_id
    WHERE ruling.candidate_id = NEW.candidate_id AND signed.adjudicator_id = NEW.annotator_id"""
GUARDS = {
    "annotator_ruling": ("annotator_rater_rules", RATED),
    "annotator_rating": ("annotator_ruler_rates", RULED),
}


def make_triggers(apps, schema_editor):
    for table, (name, found) in GUARDS.items():
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                f"""
                CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF EXISTS ({found}) THEN
                        RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                END $$""",
                params=None,
            )
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE INSERT ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {name}()",
                params=None,
            )
        else:
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE INSERT ON {table} WHEN EXISTS ({found}) "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
                params=None,
            )


def drop_triggers(apps, schema_editor):
    for table, (name, _) in GUARDS.items():
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}", params=None)
            schema_editor.execute(f"DROP FUNCTION {name}()", params=None)
        else:
            schema_editor.execute(f"DROP TRIGGER {name}", params=None)


class Migration(migrations.Migration):
    dependencies = [("annotator", "0002_audit_triggers")]
    replaces = [("annotator", "0018_raters_do_not_rule")]

    operations = [migrations.RunPython(make_triggers, drop_triggers)]
