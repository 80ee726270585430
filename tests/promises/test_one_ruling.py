"""P6: one ruling per conflict, however many adjudicators decide at one moment."""

import threading
from collections import Counter
from functools import partial
from typing import Any, Final

import pytest
from django.db import connection

from annotator.adjudication import rounds
from annotator.adjudication.rulings import services as rulings_services
from annotator.models import Adjudication, Candidate, Conflict, Ruling, User
from core.errors import OutOfDate
from tests.amounts import tries
from tests.annotator.adjudication.rulings import PASSWORD, decide
from tests.conftest import grant
from tests.crowd import LONGEST_WAIT_SECONDS, at_once
from tests.promises.harness import SCALE, SERVED

pytestmark = [pytest.mark.promise("P6"), *SERVED, pytest.mark.usefixtures("quick_passwords")]
ADJUDICATORS: Final = 20
CONFLICTS: Final = tries(13) if SCALE == 1 else 25 * SCALE


def make_adjudicators(cast: Any, count: int) -> list[User]:
    people = []
    for number in range(count):
        user = User(username=f"adjudicator-{number}")
        user.set_password(PASSWORD)
        user.save()
        people.append(grant(user, cast.campaign, "adjudicator"))
    return people


def make_conflict(cast: Any, number: int) -> Conflict:
    reference = cast.reference(f"r{number}", 1)
    for person, score in ((cast.alice, 1), (cast.bob, 9)):
        (row,) = cast.assign(person, reference)
        cast.submit(row, [score] * 4)
    return Conflict.objects.get(candidate__reference=reference, kind="overall_gap")


def decide_all(conflicts: list[Conflict], people: list[User]) -> Counter[str]:
    """Have everybody decide each conflict at one moment; return the answers they got."""
    gate = threading.Barrier(len(people))

    def act(user: User) -> Counter[str]:
        outcomes: Counter[str] = Counter()
        for conflict in conflicts:
            gate.wait(timeout=LONGEST_WAIT_SECONDS)
            try:
                decide(conflict, user)
                outcomes["ruled"] += 1
            except OutOfDate:
                outcomes["out of date"] += 1
            except Exception as error:  # noqa: BLE001 - a 500, or a refusal for another reason
                outcomes[repr(error)] += 1
        return outcomes

    return sum(at_once([partial(act, user) for user in people]), Counter[str]())


def test_of_twenty_adjudicators_at_once_one_rules_on_each_conflict(cast, tally) -> None:
    people = make_adjudicators(cast, ADJUDICATORS)
    conflicts = [make_conflict(cast, number) for number in range(CONFLICTS)]
    tally.tried(conflicts=CONFLICTS, rulings=CONFLICTS * ADJUDICATORS)
    outcomes = decide_all(conflicts, people)
    made = Adjudication.objects.count()
    tally.found(lost=max(0, CONFLICTS - made), doubled=max(0, made - CONFLICTS))
    tally.found(errors=outcomes.total() - outcomes["ruled"] - outcomes["out of date"])
    assert outcomes == {"ruled": CONFLICTS, "out of date": (ADJUDICATORS - 1) * CONFLICTS}
    assert Ruling.objects.count() == made == CONFLICTS


@pytest.mark.parametrize("protection", ["lock", "constraint"])
def test_without_the_lock_the_constraint_decides_and_without_both_it_is_found_out(
    cast, monkeypatch, protection
) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("its transactions wait for each other as they are")
    people = make_adjudicators(cast, 2)
    conflict = make_conflict(cast, 1)
    both_have_looked = threading.Barrier(2)
    look = rounds.undecided

    def look_together(row: Conflict) -> list[Candidate]:
        found = look(row)
        both_have_looked.wait(timeout=LONGEST_WAIT_SECONDS)
        return found

    monkeypatch.setattr(rounds, "lock_reference", lambda _: None)
    monkeypatch.setattr(rulings_services, "undecided", look_together)
    (constraint,) = Ruling._meta.constraints
    if protection == "constraint":
        with connection.schema_editor() as editor:
            editor.remove_constraint(Ruling, constraint)
    try:
        outcomes = decide_all([conflict], people)
        made = Adjudication.objects.count()
    finally:
        Ruling.objects.all().delete()
        Adjudication.objects.all().delete()
        if protection == "constraint":
            with connection.schema_editor() as editor:
                editor.add_constraint(Ruling, constraint)
    if protection == "constraint":
        assert (outcomes, made) == ({"ruled": 2}, 2)
    else:
        assert (outcomes, made) == ({"ruled": 1, "out of date": 1}, 1)
