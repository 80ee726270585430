"""P19: the database refuses every change of the audit trail, and chains what anybody writes."""

import threading

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from annotator import audit_log
from annotator.audit_pages.queries import Head, current_head, verify_chain
from annotator.models import AuditEvent, AuditSeal
from annotator.operations.backups.services import grant_serving_rights
from tests.promises.trail import EVENTS, SEALS, ask, write

CHANGES = [
    f"UPDATE {EVENTS} SET action = 'x'",
    f"DELETE FROM {EVENTS}",
    f"UPDATE {SEALS} SET sha256 = 'x'",
    f"DELETE FROM {SEALS}",
]
CHANGES_OF = {
    "postgresql": [
        f"TRUNCATE {EVENTS} CASCADE",
        f"TRUNCATE {SEALS}",
        f"INSERT INTO {SEALS} (sequence, event_id, sha256)"
        f" SELECT sequence, event_id, '' FROM {SEALS} LIMIT 1"
        " ON CONFLICT (sequence) DO UPDATE SET sha256 = ''",
    ],
    "sqlite": [
        f"INSERT OR REPLACE INTO {EVENTS} (id, at, action, object_type, object_id, details)"
        f" SELECT id, at, 'x', '', '', '{{}}' FROM {EVENTS} LIMIT 1",
        f"INSERT OR REPLACE INTO {SEALS} (sequence, event_id, sha256)"
        f" SELECT sequence, event_id, 'x' FROM {SEALS} LIMIT 1",
        f"INSERT OR REPLACE INTO {SEALS} (sequence, event_id, sha256)"
        f" SELECT 99, event_id, 'x' FROM {SEALS} LIMIT 1",
        f"UPDATE OR REPLACE {EVENTS} SET id = 1",
    ],
}


def test_the_database_refuses_every_change_in_one_sentence(cast):
    write(cast, 2)
    for change in CHANGES + CHANGES_OF[connection.vendor]:
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            ask(change)
    row = AuditEvent.objects.first()
    assert row
    row.action = "x"
    for act in (
        row.save,
        row.delete,
        AuditEvent.objects.all().delete,
        lambda: AuditEvent.objects.update(action="x"),
        lambda: AuditSeal.objects.update(sha256="x"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            act()
    assert verify_chain().is_sound
    assert AuditEvent.objects.count() == AuditSeal.objects.count()


BREAK_INS = [
    *CHANGES,
    f"TRUNCATE {SEALS}, {EVENTS}",
    f"INSERT INTO {SEALS} (sequence, sha256, event_id) VALUES (99, 'x', 1)",
    f"ALTER TABLE {EVENTS} DISABLE TRIGGER USER",
    f"DROP TRIGGER {EVENTS}_append_only ON {EVENTS}",
    "SET session_replication_role = replica",
    "DROP FUNCTION annotator_audit_seal() CASCADE",
    "CREATE OR REPLACE FUNCTION annotator_audit_seal() RETURNS trigger LANGUAGE plpgsql AS ''",
    f"ALTER TABLE {EVENTS} OWNER TO CURRENT_USER",
    "ALTER TABLE annotator_rating DROP COLUMN comment",
    "TRUNCATE annotator_rating CASCADE",
    "DROP TABLE annotator_rating CASCADE",
    "CREATE TABLE own (id int)",
    "DELETE FROM django_migrations",
    f"SELECT setval(pg_get_serial_sequence('{EVENTS}', 'id'), 1)",
]


@pytest.mark.postgres
@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite knows no roles")
def test_a_role_of_its_own_writes_the_trail_and_has_no_way_around_its_guards(cast, settings):
    write(cast, 2)
    settings.DATABASE_SERVING_ROLE = "set_apart"
    with transaction.atomic():
        ask("CREATE ROLE set_apart")
        assert grant_serving_rights()
        ask("SET LOCAL ROLE set_apart")
        ask(
            f"INSERT INTO {EVENTS} (action, object_type, object_id, details)"
            " VALUES ('cup.broken', 'cup', '1', '{}')"
        )
        ask("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in BREAK_INS:
            with pytest.raises(DatabaseError), transaction.atomic():
                ask(statement)
        assert verify_chain().is_sound
        head = current_head()
        assert head and head.sequence == AuditEvent.objects.count()
        transaction.set_rollback(True)


def test_a_raw_insert_is_chained_like_any_other(cast):
    write(cast, 2)
    ask(
        f"INSERT INTO {EVENTS} (action, object_type, object_id, details)"
        " VALUES ('cup.broken', 'cup', '1', '{}')"
    )
    connection.check_constraints()
    assert verify_chain().is_sound
    assert AuditSeal.objects.order_by("-sequence")[0].event.action == "cup.broken"


@pytest.mark.django_db(transaction=True)
def test_a_seal_of_ones_own_making_cannot_be_stored(cast):
    before = current_head()
    insert = f"INSERT INTO {SEALS} (sequence, event_id, sha256) VALUES (77, %s, 'x')"

    def seal_oneself() -> None:
        with transaction.atomic():
            audit_log.record(action="cup.broken", object_type="cup", object_id=1)
            ask(insert, AuditEvent.objects.latest("id").pk)

    def seal_nothing() -> None:
        with transaction.atomic():
            ask(insert, 777_777)

    for forgery in (seal_oneself, seal_nothing):
        with pytest.raises(DatabaseError):
            forgery()
    assert current_head() == before


@pytest.mark.django_db(transaction=True)
def test_many_writers_make_one_chain(cast):
    """Without the lock two of them take one place, and one transaction fails."""
    failed: list[Exception] = []

    def work() -> None:
        try:
            for number in range(10):
                with transaction.atomic():
                    audit_log.record(action="cup.washed", object_type="cup", object_id=number)
                    audit_log.record(action="cup.dried", object_type="cup", object_id=number)
        except Exception as error:  # noqa: BLE001
            failed.append(error)
        finally:
            connection.close()

    before = AuditEvent.objects.count()
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    head = current_head()
    assert head and head.sequence == before + 120
    assert verify_chain(head).is_sound


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="one writer at a time on SQLite")
def test_a_long_transaction_holds_nobody_up_and_comes_later_in_the_chain(cast):
    done: list[Head | None] = []

    def other() -> None:
        audit_log.record(action="cup.short", object_type="cup", object_id=1)
        done.append(current_head())
        connection.close()

    with transaction.atomic():
        audit_log.record(action="cup.long", object_type="cup", object_id=1)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(30)
        assert done
    actions = list(AuditSeal.objects.order_by("sequence").values_list("event__action", flat=True))
    assert actions[-2:] == ["cup.short", "cup.long"]
    assert verify_chain().is_sound
