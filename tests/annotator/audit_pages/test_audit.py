import json

import pytest
from django.db import connection
from django.urls import reverse

from annotator import audit_log
from annotator.access.visibility import show_names
from annotator.audit_pages.queries import A_PAGE, current_head
from annotator.campaigns.services import close_campaign
from annotator.models import AuditEvent, AuditSeal
from tests.conftest import grant, make_user, signed_in


@pytest.fixture
def work(cast):
    """Alice has rated one of three, and everything is sealed as at the end of a transaction."""
    rows = cast.assign(cast.alice, cast.reference())
    cast.submit(rows[0], scores=(9, 1, 2, 3), comment="words of mine")
    seal()
    return rows


def seal():
    connection.check_constraints()


def shown(user, route="annotator:audit", slug="cups", **asked):
    kwargs = {"slug": slug} if slug and route == "annotator:audit" else {}
    return signed_in(user).get(reverse(route, kwargs=kwargs), asked)


def rows_of(answer):
    return answer.context["entries"]


def exported(user):
    answer = signed_in(user).post(reverse("annotator:export_audit", kwargs={"slug": "cups"}))
    lines = answer.getvalue().decode().split("\n")
    head, *entries = [json.loads(line) for line in lines if line]
    return head, entries


def act(cast, action="campaign.closed", **more):
    usual = {"actor": cast.ada, "campaign": cast.campaign}
    usual |= {"object_type": "campaign", "object_id": "x"}
    audit_log.record(action=action, **(usual | more))


def test_an_admin_reads_what_was_done_but_not_who_rated_what(cast, work):
    answer = shown(cast.ada)
    assert answer.status_code == 200
    (rated,) = (entry for entry in rows_of(answer) if entry.action == "rating.submitted")
    assert (rated.who, rated.details) == ("an annotator", {})
    (given,) = (entry for entry in rows_of(answer) if entry.action == "assignments.made")
    assert (given.who, given.object_id) == ("an annotator", "")
    body = answer.content.decode()
    assert "alice" not in body and "words of mine" not in body and str(cast.alice.pk) not in body


def test_an_admin_reads_who_rated_what_once_the_names_are_shown(cast, work):
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    cast.campaign.refresh_from_db()
    seal()
    (rated,) = rows_of(shown(cast.ada, action="rating.submitted"))
    assert rated.who == "an annotator"
    show_names(campaign=cast.campaign, asked_by=cast.ada, reason="a question of pay")
    seal()
    (rated,) = rows_of(shown(cast.ada, action="rating.submitted"))
    assert rated.who == "alice"
    assert rated.details["scores"]["feature_completeness"] == 9


def test_a_name_that_is_not_shown_is_not_found_by_either(cast, work):
    assert rows_of(shown(cast.ada, person="alice")) == []
    assert rows_of(shown(cast.ada, object_id=str(cast.alice.pk))) == []
    act(cast, action="no.such.act", actor=cast.alice)
    act(cast, action="quota.set", object_type="user", object_id=cast.alice.pk)
    seal()
    assert rows_of(shown(cast.ada, person="alice")) == []
    (quota,) = rows_of(shown(cast.ada, object_id=str(cast.alice.pk)))
    assert (quota.who, quota.object_id) == ("ada", "alice")


@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_an_admin_who_rates_or_rules_reads_of_no_rating_and_no_conflict(cast, work, role):
    for row in cast.assign(cast.bob, cast.campaign.references.get()):
        cast.submit(row, scores=(1, 9, 9, 9))
    act(cast)
    act(cast, action="no.such.act")
    grant(cast.ada, cast.campaign, role)
    seal()
    assert AuditEvent.objects.filter(action="conflict.opened").exists()
    assert {entry.action for entry in rows_of(shown(cast.ada))} == {"campaign.closed"}
    assert [entry.number for entry in rows_of(shown(cast.ada))] == [1]


@pytest.mark.parametrize("where", ["cups", "elsewhere"])
def test_who_rates_meanwhile_is_given_no_file_whose_numbers_count_the_whole_site(cast, work, where):
    campaign = cast.campaign if where == "cups" else cast.elsewhere
    grant(cast.ada, campaign, "annotator")
    answer = signed_in(cast.ada).post(reverse("annotator:export_audit", kwargs={"slug": "cups"}))
    assert answer.status_code == 403
    assert "Ask another admin" in answer.content.decode()
    assert not AuditEvent.objects.filter(action="audit.exported").exists()
    close_campaign(campaign=campaign, reason="done", closed_by=cast.ada)
    seal()
    head, entries = exported(cast.ada)
    assert head["entries"] == len(entries) > 1


def test_entries_are_numbered_among_themselves_from_the_first_to_the_latest(cast):
    for number in range(A_PAGE * 2 + 5):
        act(cast, actor=cast.alice if number % 2 else cast.bob, object_id=f"n{number}")
    act(cast, actor=cast.alice, action="campaign.reopened")
    seal()
    acts = A_PAGE + 3
    latest = shown(cast.alice, "annotator:own_acts")
    numbers = [entry.number for entry in rows_of(latest)]
    assert numbers == list(range(acts, 3, -1))
    assert f"before={numbers[-1]}" in latest.context["older"]
    older = rows_of(shown(cast.alice, "annotator:own_acts", before=numbers[-1]))
    assert [entry.number for entry in older] == [3, 2, 1]
    page = shown(cast.alice, "annotator:own_acts", before=numbers[-1], action="")
    assert '<a href="?">Latest entries</a>' in page.content.decode()
    assert "<span>3 to 1</span>" in page.content.decode()
    assert "Latest entries" not in latest.content.decode()
    assert [entry.object_id for entry in older] == ["n5", "n3", "n1"]
    (again,) = rows_of(shown(cast.alice, "annotator:own_acts", action="campaign.reopened"))
    assert again.number == 1
    beyond = rows_of(shown(cast.alice, "annotator:own_acts", before=10**18))
    assert [entry.number for entry in beyond] == numbers
    assert rows_of(shown(cast.alice, "annotator:own_acts", before=1)) == []


def test_everybody_reads_their_own_acts_and_no_others(cast, work):
    for row in cast.assign(cast.bob, cast.campaign.references.get()):
        cast.submit(row)
    audit_log.record(
        action="assignment.rerouted", actor=cast.alice, object_type="assignment", object_id=1
    )
    seal()
    answer = shown(cast.alice, "annotator:own_acts")
    (own,) = rows_of(answer)
    for word in ("sentinel", "conflict", "qualification", "repeat"):
        assert word not in answer.content.decode()
    assert (own.who, own.action) == ("alice", "rating.submitted")
    assert "feature completeness 9" in own.values
    assert shown(cast.rita, "annotator:own_acts").status_code == 403


def test_a_site_admin_reads_the_system_and_no_campaign(cast, work):
    boss = make_user("boss", is_superuser=True)
    act(cast, action="user.created", campaign=None)
    act(cast, action="user.created")
    seal()
    (entry,) = rows_of(shown(boss, "annotator:system_audit"))
    assert entry.words == "an account was made"
    assert shown(boss).status_code in (403, 404)
    assert shown(cast.ada, "annotator:system_audit").status_code == 403


def test_what_changed_is_shown_in_one_line_whatever_it_is_made_of(cast):
    changes = {"overlap": [2, 3], "is_open": True, "asks_why": False}
    act(cast, "campaign.rules_changed", details={"changes": changes})
    act(cast, "role.granted", object_type="user", object_id="unknown", details={"role": "reader"})
    seal()
    granted, changed = rows_of(shown(cast.ada))
    assert changed.values == "changes asks why no, is open yes, overlap 2, 3"
    assert (granted.object_id, granted.values) == ("unknown", "role reader")


def test_pages_hold_a_hundred_and_follow_the_chain(cast):
    for number in range(201):
        act(cast, object_id=number)
    seal()
    first = shown(cast.ada)
    assert [int(entry.object_id) for entry in rows_of(first)] == list(range(200, 100, -1))
    second = signed_in(cast.ada).get(f"/campaigns/cups/audit/?{first.context['older']}")
    assert [int(entry.object_id) for entry in rows_of(second)] == list(range(100, 0, -1))
    third = signed_in(cast.ada).get(f"/campaigns/cups/audit/?{second.context['older']}")
    assert [entry.object_id for entry in rows_of(third)] == ["0"]
    assert third.context["older"] == ""


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"action": "quota.set"}, 1),
        ({"person": "ada"}, 2),
        ({"person": "nobody"}, 0),
        ({"object_id": "x"}, 2),
        ({"since": "2001-01-01", "until": "2001-01-02"}, 0),
        ({"since": "2001-01-01"}, 3),
    ],
)
def test_a_question_finds_what_answers_it(cast, asked, found):
    act(cast)
    act(cast, action="quota.set")
    act(cast, actor=None, object_id="y")
    seal()
    assert len(rows_of(shown(cast.ada, **asked))) == found


def test_a_reason_stands_as_it_was_written_and_a_code_in_words(cast):
    act(cast, details={"reason": "__see_step_2__"})
    act(cast, action="conflict.opened", details={"kind": "overall_gap"})
    act(cast, campaign=cast.elsewhere, object_id="of another campaign")
    seal()
    shown_values = [entry.values for entry in rows_of(shown(cast.ada))]
    assert shown_values == ["kind overall gap", "reason __see_step_2__"]


BAD_QUESTIONS = {
    "action": ["nonsense"],
    "before": ["-1", "9" * 30, "x"],
    "since": ["yesterday"],
    "object_id": ["a b"],
    "person": ["a\x00b", "x" * 151],
}


@pytest.mark.parametrize("field", BAD_QUESTIONS)
def test_a_question_that_cannot_be_is_answered_in_words(cast, field):
    for wrong in BAD_QUESTIONS[field]:
        answer = shown(cast.ada, **{field: wrong})
        assert answer.status_code == 422, wrong
        assert b"field-wrong" in answer.content or b"no such page" in answer.content, wrong


DAYS = (
    ({"since": "0001-01-01"}, 200, True),
    ({"until": "0001-01-01"}, 200, False),
    ({"since": "9999-12-31"}, 200, False),
    ({"until": "9999-12-31"}, 200, True),
    ({"until": "10000-01-01"}, 422, False),
    ({"since": "0000-01-01"}, 422, False),
    ({"until": "yesterday"}, 422, False),
)


@pytest.mark.parametrize("route", ["audit", "system_audit", "own_acts"])
def test_the_first_and_the_last_day_are_days_of_every_trail(cast, route):
    who = make_user("boss", is_superuser=True) if route == "system_audit" else cast.ada
    if route == "own_acts":
        who = cast.alice
    act(cast, actor=who, campaign=None if route == "system_audit" else cast.campaign)
    seal()
    for asked, code, is_found in DAYS:
        answer = shown(who, f"annotator:{route}", **asked)
        assert (answer.status_code, bool(rows_of(answer))) == (code, is_found), asked


def test_the_file_carries_the_head_and_is_on_record(cast, work):
    before = current_head()
    head, entries = exported(cast.ada)
    seal()
    event = AuditEvent.objects.get(action="audit.exported")
    assert (event.actor, event.campaign) == (cast.ada, cast.campaign)
    assert event.details == {"head": str(before)}
    assert head["campaign"] == "cups" and head["raters"] == "not named"
    seals = {row.sequence: row.sha256 for row in AuditSeal.objects.all()}
    assert entries and all(seals[row["sequence"]] == row["sha256"] for row in entries)
    assert not any(word in json.dumps(entries) for word in ("alice", "words of mine"))
    # In a transaction of its own, which tests on PostgreSQL do not end, it is the last entry.
    if connection.vendor == "sqlite":
        assert entries[-1]["action"] == "audit.exported"
        assert head["head"] == f"{entries[-1]['sequence']}:{entries[-1]['sha256']}"
