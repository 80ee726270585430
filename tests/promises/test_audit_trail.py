"""P19: the audit trail cannot be changed, and whoever gets past the database's guards is found."""

import json
import random
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from annotator import audit_log
from annotator.audit_pages.queries import _rows, current_head, verify_chain
from core.audit_chain import BEFORE_THE_FIRST, seal
from tests.emptied import trail_unguarded
from tests.promises.harness import SCALE
from tests.promises.trail import EVENTS, SEALS, ask, event_of, write

pytestmark = pytest.mark.promise("P19")

FAULTS = 50 * SCALE
TEXTS = ("action", "object_type", "object_id", "details", "at", "actor_id", "campaign_id")


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
    rows = [ask(f"SELECT {columns} FROM {SEALS} WHERE sequence = %s", n)[0] for n in (one, other)]
    sets = ", ".join(f"{column} = %s" for column in columns.split(", "))
    if "event_id" in columns:
        ask(f"UPDATE {SEALS} SET event_id = %s WHERE sequence = %s", -first - second, one)
    ask(f"UPDATE {SEALS} SET {sets} WHERE sequence = %s", *rows[0], other)
    ask(f"UPDATE {SEALS} SET {sets} WHERE sequence = %s", *rows[1], one)
    return min(one, other)


def cut_the_end(chance: random.Random, last: int) -> int:
    last_left = chance.randint(0, last - 1)
    events = [row for (row,) in ask(f"SELECT event_id FROM {SEALS} WHERE sequence > %s", last_left)]
    ask(f"DELETE FROM {SEALS} WHERE sequence > %s", last_left)
    for event in events:
        ask(f"DELETE FROM {EVENTS} WHERE id = %s", event)
    return last_left + 1


def edit_and_seal_anew(chance: random.Random, last: int) -> int:
    """What somebody does who knows how the chain is made: only a head stored elsewhere shows it."""
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


def test_every_fault_planted_past_the_guards_is_found_where_it_is(cast, tally):
    write(cast)
    tally.tried(faults_in_the_trail=FAULTS)
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


@pytest.mark.promise("P19", planted=True)
def test_an_event_without_a_place_and_a_missing_guard_are_found(cast):
    write(cast, 3)
    with transaction.atomic():
        with trail_unguarded():
            audit_log.record(action="slipped.in", object_type="cup", object_id=1)
        if connection.vendor == "postgresql":
            assert "has no place" in verify_chain().why
        transaction.set_rollback(True)
    with transaction.atomic():
        of = "" if connection.vendor == "sqlite" else f" ON {EVENTS}"
        ask(f"DROP TRIGGER {EVENTS}_seal{of}")
        assert "unguarded" in verify_chain().why
        audit_log.record(action="slipped.in", object_type="cup", object_id=1)
        assert "has no place" in verify_chain().why
        transaction.set_rollback(True)
    assert verify_chain().is_sound


def test_the_command_prints_the_head_and_says_where_the_trail_is_bad(cast, capsys):
    write(cast, 5)
    head = str(current_head())
    assert verified("--head", head) == (0, {"ok": True, "head": head, "first_bad": None, "why": ""})
    with trail_unguarded():
        ask(f"UPDATE {EVENTS} SET object_id = 'x' WHERE id = %s", event_of(3))
    code, found = verified("--head", head)
    assert (code, found["ok"], found["first_bad"]) == (1, False, 3)
    assert verified("--head", "3:nonsense")[0] == 1


def verified(*options: str) -> tuple[int, Any]:
    out = StringIO()
    try:
        call_command("verify_audit", "--json", *options, stdout=out, stderr=StringIO())
    except SystemExit as end:
        return int(end.code or 0), json.loads(out.getvalue() or "null")
    return 0, json.loads(out.getvalue())
