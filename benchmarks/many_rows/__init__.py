"""Fills PostgreSQL with a site of years: campaigns, people and ratings by generate_series.

Per ten thousand ratings a campaign of five thousand candidates that two rated, and an annotator.
Texts have 400 signs. Indexes are made afterwards, which takes a fifth of the time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models import Model
from django.db.models.fields import NOT_PROVIDED

RATINGS_EACH, CANDIDATES_EACH, OF_A_REFERENCE, PEOPLE_OF_A_CAMPAIGN = 10_000, 5_000, 5, 10
CLAIMS = "repeat('1. A cup with a handle and a lid that closes. ', 8)"
SCORES = {
    "feature_completeness": "n % 11",
    "conceptual_clarity": "n % 7",
    "terminology_consistency": "n % 5",
    "logical_linkage": "n % 3",
    "overall_numerator": "4 * (n % 11) + 2 * (n % 7) + 2 * (n % 5) + 3 * (n % 3)",
}
DIGEST = "encode(sha256(n::text::bytea), 'hex')"
WHEN = "now() - (n % 1000000) * interval '1 second'"


Rows = list[tuple[type[Model], int, dict[str, str]]]


def fill(ratings: int) -> None:
    """Store as many ratings, with all that a submitted rating leaves behind."""
    campaigns = max(1, ratings // RATINGS_EACH)
    people = max(PEOPLE_OF_A_CAMPAIGN, campaigns)
    rows = [*site(campaigns, people), *claim_sets(ratings // 2), *work(ratings, people)]
    with without_indexes([model._meta.db_table for model, _, _ in rows]):
        for model, count, stated in rows:
            insert(model, count, stated)
    run(f"SELECT setval('annotator_auditevent_id_seq', {ratings + 1})")
    run("VACUUM ANALYZE")


def site(campaigns: int, people: int) -> Rows:
    """Return people, and campaigns in which ten of them work."""
    from annotator.models import Campaign, Membership, User

    user = {"id": of_key("u", "n"), "username": "'person-' || n", "password": "'!'"}
    campaign = {"id": of_key("k", "n"), "slug": "'c-' || n", "name": "'c'"}
    membership = {
        "campaign": of_key("k", f"(n / {PEOPLE_OF_A_CAMPAIGN})"),
        "user": of_key("u", f"(n % {people})"),
        "role": "'annotator'",
    }
    return [
        (User, people, user),
        (Campaign, campaigns, campaign),
        (Membership, campaigns * PEOPLE_OF_A_CAMPAIGN, membership),
    ]


def claim_sets(candidates: int) -> Rows:
    """Return references with five candidates each, which nobody is to rate any more."""
    from annotator.models import Candidate, Reference

    text = {"claims": CLAIMS, "claims_sha256": DIGEST}
    reference = text | {
        "id": of_key("f", "n"),
        "campaign": of_key("k", f"(n * {OF_A_REFERENCE} / {CANDIDATES_EACH})"),
        "reference_id": "'r' || n",
        "position": "n",
    }
    candidate = text | {
        "id": of_key("c", "n"),
        "reference": of_key("f", f"(n / {OF_A_REFERENCE})"),
        "campaign": of_key("k", f"(n / {CANDIDATES_EACH})"),
        "queue_position": "n",
        "held": "2",
        "has_room": "false",
        "candidate_id": "'c' || n",
    }
    references = max(1, candidates // OF_A_REFERENCE)
    return [(Reference, references, reference), (Candidate, candidates, candidate)]


def work(ratings: int, people: int) -> Rows:
    """Return two ratings of each candidate, and what each leaves behind."""
    from annotator import models as of

    # Of rating n: its candidate, that one's campaign, and one of the ten who work there.
    candidate, campaign = "(n / 2)", f"(n / 2 / {CANDIDATES_EACH})"
    place = f"({campaign} * {PEOPLE_OF_A_CAMPAIGN} + 2 * ({candidate} % 5) + n % 2)"
    annotator = of_key("u", f"({place} % {people})")
    shared = {"candidate": of_key("c", candidate), "annotator": annotator}
    assignment = shared | {
        "id": of_key("a", "n"),
        "campaign": of_key("k", campaign),
        "status": "'submitted'",
        "label": "'Candidate ' || n",
        "position": "n",
        "created_at": WHEN,
    }
    rating = (
        SCORES
        | shared
        | {"id": of_key("r", "n"), "assignment": of_key("a", "n"), "rubric_version": "'1'"}
        | {"submitted_at": WHEN, "revised_at": WHEN}
    )
    of_rating = {"rating": of_key("r", "n")}
    revision = SCORES | of_rating | {"id": of_key("v", "n"), "number": "1", "made_at": WHEN}
    sent = {"user": annotator, "key": "'key-' || n", "request_sha256": DIGEST, "created_at": WHEN}
    return [
        (of.Assignment, ratings, assignment),
        (of.Rating, ratings, rating),
        (of.RatingRevision, ratings, revision),
        (of.IdempotencyKey, ratings, of_rating | sent),
        (of.AuditEvent, ratings, act(annotator, of_key("k", campaign))),
        (of.AuditSeal, ratings, {"sequence": "n + 1", "event": "n + 1", "sha256": DIGEST}),
    ]


def act(actor: str, campaign: str) -> dict[str, str]:
    """Return the entry of a submitted rating in the audit trail."""
    return {
        "id": "n + 1",
        "at": WHEN,
        "actor": actor,
        "campaign": campaign,
        "action": "'rating.submitted'",
        "object_type": "'rating'",
        "object_id": f"{of_key('r', 'n')}::text",
        "details": "'{\"version\": 1}'",
    }


def of_key(kind: str, number: str) -> str:
    """Return the SQL of a key that looks random, the same each time for a kind and a number."""
    return f"md5('{kind}' || {number})::uuid"


def insert(model: type[Model], count: int, stated: dict[str, str]) -> None:
    """Insert so many rows; what is not stated gets its default."""
    key = model._meta.pk
    if key.get_internal_type() == "UUIDField":
        stated = {"id": "gen_random_uuid()"} | stated
    fields = [f for f in model._meta.concrete_fields if f.name in stated or f != key]
    with connection.cursor() as cursor:
        values = [stated.get(field.name) or default_of(cursor, field) for field in fields]
        columns = ", ".join(f'"{field.column}"' for field in fields)
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({columns}) "
            f"SELECT {', '.join(values)} FROM generate_series(0, {count - 1}) AS n"
        )


def default_of(cursor: Any, field: Any) -> str:
    """Return the SQL of a field's default."""
    value = field.get_default() if field.default is not NOT_PROVIDED else None
    if value is None and not field.null:
        return "now()" if field.get_internal_type() == "DateTimeField" else "''"
    quoted = cursor.mogrify("%s", [field.get_db_prep_save(value, connection)]).decode()
    return (
        quoted if value is None or field.get_internal_type() != "JSONField" else f"{quoted}::jsonb"
    )


@contextmanager
def without_indexes(tables: list[str]) -> Iterator[None]:
    """Leave triggers, foreign keys and indexes out while the tables are filled."""
    regclasses = ", ".join(f"'{table}'::regclass" for table in tables)
    constraints = run(
        "SELECT conrelid::regclass, quote_ident(conname), pg_get_constraintdef(oid), contype "
        f"FROM pg_constraint WHERE contype IN ('f', 'p', 'u') AND "
        f"(conrelid IN ({regclasses}) OR confrelid IN ({regclasses}))"
    )
    indexes = run(
        "SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index "
        f"WHERE indrelid IN ({regclasses}) AND NOT EXISTS "
        "(SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))"
    )
    for table, name, _, _ in sorted(constraints, key=lambda row: row[3] != "f"):
        run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for name, _ in indexes:
        run(f"DROP INDEX {name}")
    run("SET session_replication_role = replica")
    yield
    run("SET session_replication_role = origin")
    run("SET maintenance_work_mem = '1GB'")
    for _, made in indexes:
        run(made)
    for table, name, made, kind in sorted(constraints, key=lambda row: row[3] == "f"):
        # Not looked at for the rows that are there, and kept for each that comes.
        late = " NOT VALID" if kind == "f" else ""
        run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {made}{late}")


def run(statement: str) -> list[tuple[Any, ...]]:
    """Carry a statement out; return its rows, if it has any."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []
