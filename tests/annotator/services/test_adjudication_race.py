"""One ruling per conflict, however many adjudicators decide at one moment."""

import threading
from collections import Counter
from typing import Any

import pytest
from django.db import DatabaseError, connection

from annotator.models import Adjudication, Conflict, Membership, Ruling, User
from annotator.refusals import OutOfDate, Refused
from tests.annotator.services.rulings import PASSWORD, decide


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
    start = threading.Barrier(len(people))
    said: Counter[str] = Counter()

    def act(user: User) -> None:
        for conflict in conflicts:
            start.wait()
            try:
                decide(conflict, user)
                said["ruled"] += 1
            except OutOfDate:
                said["out of date"] += 1
            except (DatabaseError, Refused) as error:  # a 500, or a refusal for another reason
                said[repr(error)] += 1
        connection.close()

    threads = [threading.Thread(target=act, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"ruled": 25, "out of date": 19 * 25}
    assert Ruling.objects.count() == Adjudication.objects.count() == 25
