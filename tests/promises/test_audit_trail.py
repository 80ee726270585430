"""P19: the audit trail cannot be changed, and whoever gets past the database's guards is found."""

import json
import random
import threading
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from annotator.audit_chain import BEFORE_THE_FIRST, seal
from annotator.models import AuditEvent, AuditSeal
from annotator.queries.audit_verification import Head, _rows, current_head, verify_chain
from annotator.services import audit
from tests.emptied import trail_unguarded
from tests.promises.harness import SCALE

pytestmark = pytest.mark.embedded

EVENTS, SEALS = "annotator_auditevent", "annotator_auditseal"
LENGTH = 30
FAULTS = 50 * SCALE
TEXTS = ("action", "object_type", "object_id", "details", "at", "actor_id", "campaign_id")


def ask(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def write(cast, count: int = LENGTH) -> None:
    """Write so many events, and have them sealed as at the end of a transaction."""
    for number in range(count):
        audit.record(
            action=("rating.submitted", "cup.wäshed")[number % 2],
            actor=cast.alice if number % 3 else None,
            campaign=cast.campaign if number % 5 else None,
            object_type="cup",
            object_id=number,
            details={"number": number, "text": 'a "b" \u2028 \\ é 😀', "share": 0.5},
        )
    connection.check_constraints()


def event_of(sequence: int) -> int:
    return int(ask(f"SELECT event_id FROM {SEALS} WHERE sequence = %s", sequence)[0][0])


# Each plants one fault past the guards and returns the first entry that is then bad.


def edit(chance: random.Random, last: int) -> int:
    place = chance.randint(1, last)
    column = chance.choice(TEXTS)
    other = {
        "details": '{"number": -1}',
        "at": "2001-02-03 04:05:06",
        "actor_id": None if place_has(place, "actor_id") else someone(),
        "campaign_id": None if place_has(place, "campaign_id") else somewhere(),
    }.get(column, "x")
    ask(f"UPDATE {EVENTS} SET {column} = %s WHERE id = %s", other, event_of(place))
    return place


def edit_seal(chance: random.Random, last: int) -> int:
    place = chance.randint(1, last)
    (sha,) = ask(f"SELECT sha256 FROM {SEALS} WHERE sequence = %s", place)[0]
    at = chance.randrange(64)
    digit = chance.choice([one for one in "0123456789abcdef" if one != sha[at]])
    ask(
        f"UPDATE {SEALS} SET sha256 = %s WHERE sequence = %s",
        sha[:at] + digit + sha[at + 1 :],
        place,
    )
    return place


def delete(chance: random.Random, last: int) -> int:
    place = chance.randint(1, last)
    event, tables = event_of(place), chance.choice([(EVENTS,), (SEALS,), (SEALS, EVENTS)])
    for table in tables:
        ask(f"DELETE FROM {table} WHERE {'id' if table == EVENTS else 'event_id'} = %s", event)
    return place


def swap(chance: random.Random, last: int) -> int:
    one, other = chance.sample(range(1, last + 1), 2)
    what = chance.choice(("events", "seals", "both"))
    first, second = event_of(one), event_of(other)
    columns = {"events": "event_id", "seals": "sha256", "both": "event_id, sha256"}[what]
    kept = [ask(f"SELECT {columns} FROM {SEALS} WHERE sequence = %s", n)[0] for n in (one, other)]
    sets = ", ".join(f"{column} = %s" for column in columns.split(", "))
    if "event_id" in columns:
        ask(f"UPDATE {SEALS} SET event_id = %s WHERE sequence = %s", -first - second, one)
    ask(f"UPDATE {SEALS} SET {sets} WHERE sequence = %s", *kept[0], other)
    ask(f"UPDATE {SEALS} SET {sets} WHERE sequence = %s", *kept[1], one)
    return min(one, other)


def cut_the_end(chance: random.Random, last: int) -> int:
    kept = chance.randint(0, last - 1)
    events = [row for (row,) in ask(f"SELECT event_id FROM {SEALS} WHERE sequence > %s", kept)]
    ask(f"DELETE FROM {SEALS} WHERE sequence > %s", kept)
    for event in events:
        ask(f"DELETE FROM {EVENTS} WHERE id = %s", event)
    return kept + 1


def edit_and_seal_anew(chance: random.Random, last: int) -> int:
    """What somebody does who knows how the chain is made: only a head kept elsewhere tells."""
    place = chance.randint(1, last)
    ask(f"UPDATE {EVENTS} SET object_id = 'x' WHERE id = %s", event_of(place))
    previous = BEFORE_THE_FIRST
    for sequence, _, event, fields in list(_rows()):
        previous = seal(previous, str(sequence), event, *fields)
        ask(f"UPDATE {SEALS} SET sha256 = %s WHERE sequence = %s", previous, sequence)
    assert verify_chain().first_bad is None
    return last


KINDS: tuple[Callable[[random.Random, int], int], ...] = (
    edit,
    edit,
    edit_seal,
    delete,
    swap,
    cut_the_end,
    edit_and_seal_anew,
)


def place_has(place: int, column: str) -> bool:
    found = ask(f"SELECT {column} FROM {EVENTS} WHERE id = %s", event_of(place))
    return found[0][0] is not None


def someone() -> Any:
    return ask("SELECT id FROM annotator_user ORDER BY id")[0][0]


def somewhere() -> Any:
    return ask("SELECT id FROM annotator_campaign ORDER BY id")[0][0]


def test_every_fault_planted_past_the_guards_is_found_where_it_is(cast):
    write(cast)
    head = current_head()
    assert head and verify_chain(head).is_sound
    for number in range(FAULTS):
        chance = random.Random(number)
        with transaction.atomic():
            with trail_unguarded():
                first_bad = KINDS[number % len(KINDS)](chance, head.sequence)
            found = verify_chain(head)
            assert (found.first_bad, found.is_sound) == (first_bad, False), number
            transaction.set_rollback(True)
    assert verify_chain(head).is_sound


def test_an_event_without_a_place_and_a_missing_guard_are_found(cast):
    write(cast, 3)
    with transaction.atomic():
        with trail_unguarded():
            audit.record(action="slipped.in", object_type="cup", object_id=1)
        if connection.vendor == "postgresql":
            assert "has no place" in verify_chain().why
        transaction.set_rollback(True)
    with transaction.atomic():
        of = "" if connection.vendor == "sqlite" else f" ON {EVENTS}"
        ask(f"DROP TRIGGER {EVENTS}_seal{of}")
        assert "unguarded" in verify_chain().why
        audit.record(action="slipped.in", object_type="cup", object_id=1)
        assert "has no place" in verify_chain().why
        transaction.set_rollback(True)
    assert verify_chain().is_sound


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
        f"INSERT INTO {SEALS} SELECT sequence, event_id, '' FROM {SEALS} LIMIT 1"
        " ON CONFLICT (sequence) DO UPDATE SET sha256 = ''",
    ],
    "sqlite": [
        f"INSERT OR REPLACE INTO {EVENTS} (id, at, action, object_type, object_id, details)"
        f" SELECT id, at, 'x', '', '', '{{}}' FROM {EVENTS} LIMIT 1",
        f"INSERT OR REPLACE INTO {SEALS} SELECT sequence, event_id, 'x' FROM {SEALS} LIMIT 1",
        f"INSERT OR REPLACE INTO {SEALS} SELECT 99, event_id, 'x' FROM {SEALS} LIMIT 1",
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


ROLE = [
    "CREATE ROLE kept_apart",
    f"GRANT SELECT, INSERT ON {EVENTS} TO kept_apart",
    f"GRANT SELECT ON {SEALS} TO kept_apart",
    "SET LOCAL ROLE kept_apart",
]
BREAK_INS = [
    *CHANGES,
    f"TRUNCATE {SEALS}, {EVENTS}",
    f"INSERT INTO {SEALS} VALUES (99, 'x', 1)",
    f"ALTER TABLE {EVENTS} DISABLE TRIGGER USER",
    f"DROP TRIGGER {EVENTS}_append_only ON {EVENTS}",
    "SET session_replication_role = replica",
    "DROP FUNCTION annotator_audit_seal() CASCADE",
]


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite knows no roles")
def test_a_role_of_its_own_writes_the_trail_and_has_no_way_around_its_guards(cast):
    write(cast, 2)
    with transaction.atomic():
        for statement in ROLE:
            ask(statement)
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
            row = audit.record(action="cup.broken", object_type="cup", object_id=1)
            ask(insert, row.pk)

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
                    audit.record(action="cup.washed", object_type="cup", object_id=number)
                    audit.record(action="cup.dried", object_type="cup", object_id=number)
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
        audit.record(action="cup.short", object_type="cup", object_id=1)
        done.append(current_head())
        connection.close()

    with transaction.atomic():
        audit.record(action="cup.long", object_type="cup", object_id=1)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(30)
        assert done
    actions = list(AuditSeal.objects.order_by("sequence").values_list("event__action", flat=True))
    assert actions[-2:] == ["cup.short", "cup.long"]
    assert verify_chain().is_sound


def test_the_command_prints_the_head_and_says_where_the_trail_is_bad(cast, capsys):
    write(cast, 5)
    head = str(current_head())
    assert told("--head", head) == (0, {"ok": True, "head": head, "first_bad": None, "why": ""})
    with trail_unguarded():
        ask(f"UPDATE {EVENTS} SET object_id = 'x' WHERE id = %s", event_of(3))
    code, found = told("--head", head)
    assert (code, found["ok"], found["first_bad"]) == (1, False, 3)
    assert told("--head", "3:nonsense")[0] == 1


def told(*options: str) -> tuple[int, Any]:
    out = StringIO()
    try:
        call_command("verify_audit", "--json", *options, stdout=out, stderr=StringIO())
    except SystemExit as end:
        return int(end.code or 0), json.loads(out.getvalue() or "null")
    return 0, json.loads(out.getvalue())
