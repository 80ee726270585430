"""P5: a double click or a resend has one effect and one answer."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from uuid import UUID

import pytest
from django.db import connection, transaction

from annotator.models import Assignment, AuditEvent, IdempotencyKey, Rating, RatingRevision, User
from annotator.rating import services as rating_services
from patclaimeval.rubric import CRITERIA
from tests.crowd import LONGEST_WAIT_SECONDS, at_once
from tests.promises.harness import SCALE, SERVED, Tab, make_callers, on_progress, rating_body

pytestmark = [pytest.mark.promise("P5"), *SERVED]
SUBMITS = 25 * SCALE
TIMES = 8
# One alone would come to the limit of calls.
CALLERS = 5


def effects() -> set[int]:
    """Return how many of each thing there are of which one submit makes one."""
    events = AuditEvent.objects.filter(action="rating.submitted")
    rows = (Rating.objects, RatingRevision.objects, IdempotencyKey.objects, events)
    return {some.count() for some in rows}


def test_eight_sendings_under_one_key_store_one_rating_and_get_one_answer(
    cast, server, tally
) -> None:
    callers = make_callers(cast.campaign, CALLERS, server.port)
    with transaction.atomic():
        work = [
            (caller, row)
            for number, caller in zip(range(SUBMITS // 5), cycle(callers), strict=False)
            for row in cast.assign(caller.user, cast.reference(f"r{number}", 5))
        ]
    tally.tried(submits_eight_times=len(work))
    for caller, row in work:
        rating = rating_body(row.pk, [3, 4, 5, 6], "once")
        answers = at_once([partial(caller.submit, rating, f"key of {row.pk}")] * TIMES)
        assert {answer.status for answer in answers} == {201}
        assert len({json.dumps(answer.body, sort_keys=True) for answer in answers}) == 1
        other = rating | {"comment": "another text"}
        assert caller.submit(other, f"key of {row.pk}").status == 409
    assert Rating.objects.filter(version=1, comment="once").count() == SUBMITS
    stored = effects()
    tally.found(lost=max(0, SUBMITS - min(stored)), doubled=max(0, max(stored) - SUBMITS))
    on_progress(tally, callers)
    assert stored == {SUBMITS}


def test_eight_clicks_on_submit_store_one_rating_and_lead_on(cast, server, tally) -> None:
    tally.tried(forms_clicked_eight_times=SUBMITS // 5)
    tab = Tab(cast.alice, server.port)
    for number in range(SUBMITS // 5):
        (row,) = cast.assign(cast.alice, cast.reference(f"r{number}", 1))
        form = dict.fromkeys(CRITERIA, "7") | {"version": "0", "draft_version": "0"}
        click = partial(tab.post, f"/rate/{row.pk}/", form | {"key": f"page {number}"})
        assert {answer.status for answer in at_once([click] * TIMES)} == {303}
    assert Rating.objects.count() == RatingRevision.objects.count() == SUBMITS // 5


@contextmanager
def without_constraints() -> Iterator[None]:
    """Take away what allows one rating of an assignment, and one of a key."""
    names = ("one_rating_each", "key_once_per_user")
    unique = [
        (model, constraint)
        for model in (Rating, IdempotencyKey)
        for constraint in model._meta.constraints
        if constraint.name in names
    ]
    table, column = Rating._meta.db_table, Rating._meta.get_field("assignment").column
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
    (of_assignment,) = (n for n, it in found.items() if it["unique"] and it["columns"] == [column])
    with connection.schema_editor() as editor:
        editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {of_assignment}")
        for model, constraint in unique:
            editor.remove_constraint(model, constraint)
    try:
        yield
    finally:
        with connection.schema_editor() as editor:
            editor.execute(f"TRUNCATE {table} CASCADE")
            editor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {of_assignment} UNIQUE ({column})")
            for model, constraint in unique:
                editor.add_constraint(model, constraint)


def test_a_key_that_is_looked_up_and_then_stored_without_a_constraint_is_found_out(
    cast, monkeypatch
) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("its transactions wait for each other as they are")
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    both_have_looked = threading.Barrier(2)

    def look_together(pk: UUID, annotator: User) -> Assignment:
        found = Assignment.objects.get(pk=pk, annotator=annotator)
        assert not hasattr(found, "rating")
        both_have_looked.wait(timeout=LONGEST_WAIT_SECONDS)
        return found

    monkeypatch.setattr(rating_services, "_lock", look_together)
    submit = partial(
        rating_services.submit_rating,
        assignment_id=row.pk,
        annotator=cast.alice,
        scores=dict.fromkeys(CRITERIA, 5),
        idempotency_key="once",
        request_sha256="0" * 64,
    )
    # The constraints alone give both one answer.
    one, two = at_once([submit] * 2)
    assert one == two and effects() == {1}
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE annotator_rating CASCADE")
    with without_constraints():
        one, two = at_once([submit] * 2)
        assert one != two and {2} <= effects()
