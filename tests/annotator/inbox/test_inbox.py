from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotator.inbox.queries import Inbox, inbox_of
from annotator.models import (
    Assignment,
    Campaign,
    ClaimImport,
    Conflict,
    Flag,
    PreparedRuling,
    ReliabilityReport,
    User,
)
from core.clock import database_now
from tests.annotator.adjudication.discrepant import disagree
from tests.conftest import grant, signed_in

EMPTY = "Nothing waits for you."


def texts(user: User) -> dict[str, list[str]]:
    """Return the lines of a person's inbox as the person reads them."""
    found: Inbox = inbox_of(User.objects.get(pk=user.pk))
    return {
        "waiting": [line.text for line in found.waiting],
        "late": [line.text for line in found.late],
        "pace": [pace.line.text for pace in found.pace],
        "finished": [line.text for line in found.finished],
    }


def imported(campaign: Campaign, **more: Any) -> ClaimImport:
    state = {"stage": "check", "status": "succeeded"} | more
    return ClaimImport.objects.create(
        campaign=campaign, file_name="a", file_sha256="0" * 64, file_bytes=1, **state
    )


def flag(row: Assignment, **more: Any) -> Flag:
    return Flag.objects.create(
        assignment=row, reason_code="wrong-text", made_at=database_now(), **more
    )


def test_where_nothing_waits_the_page_says_so_and_the_queue_has_no_inbox(cast) -> None:
    for user in (cast.ada, cast.carol, cast.rita):
        page = signed_in(user).get("/").content.decode()
        assert EMPTY in page and "Deadlines" not in page and "Finished since" not in page
    assert EMPTY not in signed_in(cast.alice).get("/").content.decode()


def test_an_adjudicator_is_told_the_open_cases_and_what_is_to_be_signed(cast) -> None:
    disagree(cast, "r1")
    disagree(cast, "r2")
    assert texts(cast.carol)["waiting"] == ["2 open cases to rule on"]
    PreparedRuling.objects.create(
        conflict=Conflict.objects.filter(kind="overall_gap")[0],
        adjudicator=cast.carol,
        decision="mean",
        reason_code="slip",
        reason="A wrong key.",
        seen="0" * 64,
        made_at=database_now(),
    )
    assert "1 prepared ruling to sign" in texts(cast.carol)["waiting"]
    page = signed_in(cast.carol).get("/").content.decode()
    assert '<a href="/adjudication/">2 open cases to rule on</a>' in page
    assert texts(cast.ada)["waiting"] == texts(cast.rita)["waiting"] == []


def test_an_admin_is_told_of_imports_and_flags_of_their_own_campaigns(cast) -> None:
    one = imported(cast.campaign)
    imported(cast.elsewhere)
    imported(cast.campaign, stage="apply")
    row, other = cast.assign(cast.alice, cast.reference("r1", 2))
    flag(row)
    flag(other, answered_at=database_now())
    flag(other, closed_at=database_now())
    assert texts(cast.ada)["waiting"] == [
        "1 import into Cups waits for an answer",
        "1 flag without an answer in Cups",
    ]
    page = signed_in(cast.ada).get("/").content.decode()
    assert f'href="/campaigns/cups/imports/{one.pk}/"' in page
    assert 'href="/campaigns/cups/#flags"' in page
    assert texts(cast.rita)["waiting"] == []


def test_what_is_late_and_how_fast_it_goes_stand_by_campaign(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 4))
    now = database_now()
    for row, days in zip(rows, (-1, -2, 3, 3), strict=True):
        Assignment.objects.filter(pk=row.pk).update(due_at=now + timedelta(days=days))
    (given,) = cast.assign(cast.bob, cast.reference("r2", 1))
    cast.submit(given)
    found = texts(cast.ada)
    assert found["late"] == ["2 candidates overdue in Cups"]
    (pace,) = found["pace"]
    # Four are due in four days, today and the last one included.
    assert pace.startswith("Cups: 1 a day to finish by ")
    assert pace.endswith("; 1 was rated in the last week")
    assert "too slow" in signed_in(cast.ada).get("/").content.decode()
    Campaign.objects.filter(pk=cast.campaign.pk).update(status="closed")
    assert texts(cast.ada)["late"] == texts(cast.ada)["pace"] == []


def test_an_admin_who_rates_learns_nothing_that_anothers_rating_moves(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    Assignment.objects.update(due_at=database_now() - timedelta(days=1))
    flag(rows[0])
    imported(cast.campaign)
    grant(cast.ada, cast.campaign, "annotator")
    found = texts(cast.ada)
    assert found["waiting"] == ["1 import into Cups waits for an answer"]
    assert found["late"] == found["pace"] == []


def test_own_jobs_that_failed_lately_wait_and_those_that_finished_are_told_once(cast) -> None:
    now = database_now()

    def report(digest: str, status: str, ago: timedelta, **more: Any) -> None:
        ReliabilityReport.objects.create(
            **{"campaign": cast.campaign, "asked_by": cast.ada} | more,
            input_sha256=digest * 64,
            status=status,
            finished_at=now - ago,
        )

    report("1", "failed", timedelta(days=6))
    report("2", "failed", timedelta(days=8))
    report("3", "failed", timedelta(days=1), asked_by=cast.rita)
    report("4", "failed", timedelta(days=1), campaign=cast.elsewhere)
    report("5", "succeeded", timedelta(hours=2))
    report("6", "succeeded", timedelta(hours=20))
    imported(cast.campaign, asked_by=cast.ada, status="failed", finished_at=now)
    found = texts(cast.ada)
    assert found["waiting"] == [
        "1 import failed in the last week",
        "1 reliability report failed in the last week",
    ]
    assert found["finished"] == ["2 reliability reports finished"]
    User.objects.filter(pk=cast.ada.pk).update(visit_at=now - timedelta(hours=5))
    assert texts(cast.ada)["finished"] == ["1 reliability report finished"]
    User.objects.filter(pk=cast.ada.pk).update(visit_at=now - timedelta(hours=1))
    assert texts(cast.ada)["finished"] == []


@pytest.mark.parametrize(
    ("minutes", "is_noted", "is_new"), [(4, False, False), (6, True, False), (31, True, True)]
)
def test_a_visit_goes_on_until_a_pause(cast, minutes: int, is_noted: bool, is_new: bool) -> None:
    before = database_now() - timedelta(minutes=minutes)
    long_ago = before - timedelta(days=2)
    User.objects.filter(pk=cast.ada.pk).update(visit_at=before, earlier_visit_at=long_ago)
    signed_in(cast.ada).get("/")
    ada = User.objects.get(pk=cast.ada.pk)
    assert ada.visit_at is not None and (ada.visit_at > before) is is_noted
    assert ada.earlier_visit_at == (before if is_new else long_ago)


def test_the_page_asks_as_many_questions_for_many_campaigns_as_for_one(cast) -> None:
    sam = User.objects.create(username="sam", is_superuser=True)
    client = signed_in(sam)

    def more(number: int) -> None:
        campaign = Campaign.objects.create(slug=f"c{number}", name=f"Campaign {number}")
        grant(sam, campaign, "admin", "researcher", "adjudicator")
        imported(campaign, asked_by=sam, finished_at=database_now(), status="failed")
        imported(campaign)
        (row,) = cast.assign(
            grant(User.objects.create(username=f"a{number}"), campaign, "annotator"),
            cast.reference(f"r{number}", 1, campaign),
        )
        Assignment.objects.filter(pk=row.pk).update(due_at=database_now() + timedelta(days=1))
        flag(row)

    more(1)
    client.get("/")
    first = asked(lambda: client.get("/"))
    for number in range(2, 7):
        more(number)
    assert asked(lambda: client.get("/")) == first
    page = client.get("/").content.decode()
    assert page.count("without an answer in Campaign") == page.count("a day to finish by") == 6


def asked(act: Callable[[], Any]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        act()
    return len(queries)


def test_the_inbox_stands_below_the_queue_of_who_also_rates(cast, client: Client) -> None:
    grant(cast.carol, cast.elsewhere, "annotator")
    client.force_login(cast.carol)
    page = client.get("/").content.decode()
    assert page.count("<h1>") == 1 and page.index("<h1>Queue</h1>") < page.index(EMPTY)
