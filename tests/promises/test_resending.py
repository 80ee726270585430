"""P5: a double click or a resend has one effect and one answer."""

import json
from functools import partial

import pytest
from django.db import transaction

from annotator.models import AuditEvent, Rating, RatingRevision
from annotator.rubric import CRITERIA
from tests.crowd import at_once
from tests.promises.harness import SCALE, Tab, make_callers, rating_words, tell
from tests.served.server import Server
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P5"),
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.django_db(transaction=True),
]
SUBMITS = 25 * SCALE
TIMES = 8


def test_eight_sendings_under_one_key_store_one_rating_and_get_one_answer(
    cast, server: Server, tally: Tally
) -> None:
    (caller,) = make_callers(cast.campaign, 1, server.port)
    with transaction.atomic():
        rows = [
            row
            for number in range(SUBMITS // 5)
            for row in cast.assign(caller.user, cast.reference(f"r{number}", 5))
        ]
    tally.tried(submits_eight_times=SUBMITS)
    for row in rows:
        rating = rating_words(row.pk, [3, 4, 5, 6], "once")
        answers = at_once([partial(caller.submit, rating, f"key of {row.pk}")] * TIMES)
        assert {answer.status for answer in answers} == {201}
        assert len({json.dumps(answer.body, sort_keys=True) for answer in answers}) == 1
        other = rating | {"comment": "other words"}
        assert caller.submit(other, f"key of {row.pk}").status == 409
    assert Rating.objects.filter(version=1, comment="once").count() == SUBMITS
    events = AuditEvent.objects.filter(action="rating.submitted")
    revisions = RatingRevision.objects.count()
    tally.found(lost=max(0, SUBMITS - revisions), doubled=max(0, revisions - SUBMITS))
    tell(tally, [caller])
    assert revisions == events.count() == SUBMITS


def test_eight_clicks_on_submit_store_one_rating_and_lead_on(
    cast, server: Server, tally: Tally
) -> None:
    tally.tried(forms_clicked_eight_times=SUBMITS // 5)
    tab = Tab(cast.alice, server.port)
    for number in range(SUBMITS // 5):
        (row,) = cast.assign(cast.alice, cast.reference(f"r{number}", 1))
        form = dict.fromkeys(CRITERIA, "7") | {"version": "0", "draft_version": "0"}
        click = partial(tab.post, f"/rate/{row.pk}/", form | {"key": f"page {number}"})
        assert {answer.status for answer in at_once([click] * TIMES)} == {303}
    assert Rating.objects.count() == RatingRevision.objects.count() == SUBMITS // 5
