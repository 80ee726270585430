"""One ruling per conflict, however many adjudicators decide at one moment."""

import threading
from collections import Counter
from functools import partial
from typing import Any

import pytest

from annotator.models import Adjudication, Conflict, Membership, Ruling, User
from annotator.refusals import OutOfDate
from tests.annotator.services.rulings import PASSWORD, decide
from tests.crowd import LONGEST_WAIT_SECONDS, at_once


@pytest.mark.slow
@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
def test_of_twenty_adjudicators_at_once_one_rules_on_each_conflict(cast, settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    people, conflicts = [], []
    for number in range(20):
        user = User.objects.create(username=f"adjudicator-{number}")
        user.set_password(PASSWORD)
        user.save()
        Membership.objects.create(user=user, campaign=cast.campaign, role="adjudicator")
        people.append(user)
    for number in range(25):
        reference = cast.reference(f"r{number}", 1)
        for person, score in ((cast.alice, 1), (cast.bob, 9)):
            (row,) = cast.assign(person, reference)
            cast.submit(row, [score] * 4)
        conflicts.append(Conflict.objects.get(candidate__reference=reference, kind="overall_gap"))
    gate = threading.Barrier(len(people))

    def act(user: User) -> Counter[str]:
        said: Counter[str] = Counter()
        for conflict in conflicts:
            gate.wait(timeout=LONGEST_WAIT_SECONDS)
            try:
                decide(conflict, user)
                said["ruled"] += 1
            except OutOfDate:
                said["out of date"] += 1
            except Exception as error:  # noqa: BLE001 - a 500, or a refusal for another reason
                said[repr(error)] += 1
        return said

    said = sum(at_once([partial(act, user) for user in people]), Counter[str]())
    assert said == {"ruled": 25, "out of date": 19 * 25}
    assert Ruling.objects.count() == Adjudication.objects.count() == 25
