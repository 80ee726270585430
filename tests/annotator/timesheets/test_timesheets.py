from datetime import UTC, date, datetime, timedelta

import pytest

from annotator.campaigns.forms import rules_as_sent
from annotator.campaigns.members.services import grant_role
from annotator.campaigns.services import close_campaign
from annotator.models import AuditEvent, Campaign, Unblinding, User, WorkDay
from annotator.rating import drafts
from annotator.rating.drafts import record_ping
from annotator.timesheets import services
from annotator.timesheets.rules import WorkedDay, lines_by_day, lines_by_month
from annotator.timesheets.services import request_timesheet
from core.errors import OutOfDate, Refused
from tests.conftest import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
TODAY = date(2026, 11, 25)
HOUR = 3600


def day(text: str, seconds: float = HOUR, begun: int = 5, person: str = "alice") -> WorkedDay:
    return WorkedDay(person, date.fromisoformat(f"2026-{text}"), seconds, begun)


def told(lines) -> list[tuple[str, str, str, str]]:
    return [(one.person, f"{one.first:%m-%d}", f"{one.last:%m-%d}", one.hours) for one in lines]


def test_an_open_campaign_gives_months_that_are_over() -> None:
    days = [
        day("09-30"),
        day("10-02"),
        day("11-01"),
        day("10-31", HOUR / 2),
        day("10-03", 100, 9, "bob"),
    ]
    assert told(lines_by_month(days, TODAY)) == [
        ("alice", "09-30", "09-30", "1.00"),
        ("alice", "10-02", "10-31", "1.50"),
        ("bob", "10-03", "10-03", "0.00"),
    ]
    assert told(lines_by_month(days, date(2026, 12, 1)))[2] == ("alice", "11-01", "11-01", "1.00")


def test_no_line_is_of_fewer_than_five_candidates_and_none_changes_later() -> None:
    days = [day("08-03", HOUR, 4), day("09-04", HOUR, 1), day("10-05", HOUR, 4)]
    assert told(lines_by_month(days, TODAY)) == [("alice", "08-03", "09-04", "2.00")]
    later = lines_by_month([*days, day("11-06", HOUR, 1)], date(2026, 12, 1))
    assert told(later) == [("alice", "08-03", "09-04", "2.00"), ("alice", "10-05", "11-06", "2.00")]
    assert lines_by_month([day("08-03", HOUR, 4)], TODAY) == []


def test_a_closed_campaign_gives_days_and_what_is_left_goes_into_the_last() -> None:
    days = [
        day("11-02", HOUR, 5),
        day("11-03", HOUR, 2),
        day("11-04", HOUR, 3),
        day("11-05", HOUR, 4),
    ]
    assert told(lines_by_day(days)) == [
        ("alice", "11-02", "11-02", "1.00"),
        ("alice", "11-03", "11-05", "3.00"),
    ]
    assert lines_by_day([day("11-02", HOUR, 4)]) == [] == lines_by_day([])


@pytest.mark.parametrize(
    ("seconds", "hours"),
    [(0, "0.00"), (449, "0.00"), (450, "0.25"), (1349, "0.25"), (9000, "2.50")],
)
def test_hours_are_rounded_to_the_nearest_quarter(seconds, hours) -> None:
    assert [line.hours for line in lines_by_day([day("11-02", seconds)])] == [hours]


@pytest.fixture
def kept(cast):
    """The cast, whose campaign keeps a timesheet."""
    cast.campaign.has_timesheet = True
    cast.campaign.save()
    return cast


@pytest.fixture
def clock(monkeypatch):
    """Give a function that sets the time of pings, in seconds after 23:59:30 on 24 November."""
    start = datetime(2026, 11, 24, 23, 59, 30, tzinfo=UTC)

    def at(seconds: float) -> None:
        monkeypatch.setattr(drafts, "database_now", lambda: start + timedelta(seconds=seconds))

    return at


def recorded(user: User) -> list[tuple[str, float, int]]:
    rows = WorkDay.objects.filter(annotator=user).order_by("day")
    return [(f"{row.day:%m-%d}", row.seconds, row.begun) for row in rows]


def test_active_time_is_summed_by_day_over_all_candidates(kept, clock) -> None:
    first, second, _ = kept.assign(kept.alice, kept.reference())
    for seconds, row in ((0, first), (15, first), (16, second), (29, second), (40, first)):
        clock(seconds)
        record_ping(assignment=row)
    # 15 s and 13 s before midnight; 25 s counted where they ended. A pause counts nowhere.
    assert recorded(kept.alice) == [("11-24", 28.0, 2), ("11-25", 25.0, 0)]
    clock(500)
    record_ping(assignment=first)
    assert recorded(kept.alice)[1] == ("11-25", 25.0, 0)
    assert recorded(kept.bob) == []
    assert {field.name for field in WorkDay._meta.get_fields()} == {
        *("id", "annotator", "campaign", "day", "seconds", "begun")
    }


def test_nothing_is_recorded_where_no_timesheet_is_kept(cast, clock) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    for seconds in (0, 15):
        clock(seconds)
        record_ping(assignment=row)
    assert not WorkDay.objects.exists()
    with pytest.raises(OutOfDate, match="keeps no timesheet"):
        request_timesheet(campaign=cast.campaign, by=cast.ada)
    Campaign.objects.update(has_timesheet=True)
    row.campaign.refresh_from_db()
    clock(30)
    record_ping(assignment=row)
    # Begun before it was kept: no candidate of the timesheet's.
    assert recorded(cast.alice) == [("11-25", 15.0, 0)]


def work(cast, user: User, text: str, seconds: float = HOUR, begun: int = 5) -> None:
    WorkDay.objects.create(
        annotator=user,
        campaign=cast.campaign,
        day=date.fromisoformat(text),
        seconds=seconds,
        begun=begun,
    )


def lines_of(content: bytes) -> list[str]:
    return content.decode().split("\r\n")[:-1]


def test_an_admin_takes_months_while_the_campaign_is_open(kept, monkeypatch) -> None:
    monkeypatch.setattr(services, "database_now", lambda: datetime(2026, 11, 25, tzinfo=UTC))
    work(kept, kept.alice, "2026-10-01")
    work(kept, kept.alice, "2026-11-24")
    User.objects.filter(pk=kept.bob.pk).update(username="=bob")
    work(kept, kept.bob, "2026-10-02", 5 * HOUR)
    answer = signed_in(kept.ada).post(f"/campaigns/{kept.campaign.slug}/timesheet/")
    assert answer.status_code == 200 and answer["Export-By"] == "ada"
    assert 'filename="cups-timesheet.csv"' in answer["Content-Disposition"]
    assert lines_of(answer.content) == [
        "campaign,annotator,from,to,hours",
        "cups,'=bob,2026-10-02,2026-10-02,5.00",
        "cups,alice,2026-10-01,2026-10-01,1.00",
    ]
    event = AuditEvent.objects.get(action="timesheet.exported")
    assert (event.actor, event.details) == (kept.ada, {"is_by_day": False, "reason": ""})
    assert not Unblinding.objects.exists()
    page = signed_in(kept.ada).get(f"/campaigns/{kept.campaign.slug}/timesheet/").content.decode()
    assert "by month" in page and ">ada<" in page


def test_days_are_an_unblinding_of_names_with_a_reason(kept) -> None:
    work(kept, kept.alice, "2026-11-24")
    close_campaign(campaign=kept.campaign, reason="done", closed_by=kept.ada)
    client, path = signed_in(kept.ada), f"/campaigns/{kept.campaign.slug}/timesheet/"
    assert client.post(path, {"reason": " "}).status_code == 422
    assert not Unblinding.objects.exists()
    answer = client.post(path, {"reason": "to pay them"})
    assert lines_of(answer.content)[1:] == ["cups,alice,2026-11-24,2026-11-24,1.00"]
    row = Unblinding.objects.get()
    assert (row.user, row.shown, row.reason) == (kept.ada, "names", "to pay them")
    with pytest.raises(Refused):
        request_timesheet(campaign=kept.campaign, by=kept.ada, reason="")


def test_it_is_for_admins_who_do_not_rate_here(kept) -> None:
    path = f"/campaigns/{kept.campaign.slug}/timesheet/"
    for who in (kept.alice, kept.carol, kept.rita, kept.mallory):
        assert signed_in(who).post(path).status_code in (403, 404)
    grant_role(user=kept.bob, campaign=kept.campaign, role="admin", granted_by=kept.ada)
    kept.submit(kept.assign(kept.alice, kept.reference("r1", 1))[0])
    assert signed_in(kept.bob).post(path).status_code == 403
    assert not AuditEvent.objects.filter(action="timesheet.exported").exists()
    other = signed_in(kept.ada).post("/campaigns/elsewhere/timesheet/")
    assert other.status_code == 404


def test_annotators_read_of_it_before_they_work_and_see_what_is_recorded(cast) -> None:
    client = signed_in(cast.alice)
    assert "keeps a timesheet" not in client.get("/").content.decode()
    Campaign.objects.filter(pk=cast.campaign.pk).update(has_timesheet=True)
    assert "Cups keeps a timesheet" in client.get("/").content.decode()
    work(cast, cast.alice, "2026-11-24", 754)
    work(cast, cast.bob, "2026-11-23", 9999)
    page = client.get("/rated/").content.decode()
    assert "24 Nov 2026" in page and ">12 min<" in page and "23 Nov 2026" not in page


def test_an_admin_switches_it_in_the_rules_and_the_trail_says_so(cast) -> None:
    client, path = signed_in(cast.ada), f"/campaigns/{cast.campaign.slug}/rules/"
    timesheet = f"/campaigns/{cast.campaign.slug}/timesheet/"
    assert "keeps no timesheet" in client.get(timesheet).content.decode()
    assert client.post(timesheet).status_code == 409
    sent = {key: value for key, value in rules_as_sent(cast.campaign).items() if value}
    assert client.post(path, sent | {"has_timesheet": "on"}).status_code == 303
    assert Campaign.objects.get(pk=cast.campaign.pk).has_timesheet
    event = AuditEvent.objects.get(action="campaign.rules_changed")
    assert event.details["changes"] == {"has_timesheet": [False, True]}
