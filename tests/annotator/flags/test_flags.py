from datetime import timedelta

import pytest
from django.test import Client

from annotator.flags.services import CLOSED, EMPTY, answer_flags, close_flags
from annotator.imports.erasing import erase_texts
from annotator.models import Assignment, AuditEvent, Campaign, Flag
from annotator.rating.services import flag_candidate
from core.clock import database_now
from core.errors import OutOfDate, Refused
from tests.conftest import grant, make_user, signed_in

ANSWER = "The file was cut off; the right text comes tomorrow."


@pytest.fixture
def row(cast) -> Assignment:
    return cast.assign(cast.alice, cast.reference("r1", 1))[0]


@pytest.fixture
def flag(row: Assignment) -> Flag:
    return flag_candidate(assignment=row, reason_code="wrong-text", reason="ends in mid-word")


def address(flag: Flag) -> str:
    return f"/campaigns/cups/flags/{flag.assignment_id}/"


def test_a_flag_is_opened_at_the_text_that_it_is_about(admin: Client, flag, cast) -> None:
    assert f'href="{address(flag)}"' in admin.get("/campaigns/cups/").content.decode()
    page = admin.get(address(flag)).content.decode()
    assert "ends in mid-word" in page and "who knows it as " in page
    for words in ("handle", "mug", "Title of r1"):
        assert words in page
    assert cast.system_canary not in page


def test_an_answer_is_shown_to_who_flagged_and_to_nobody_else(admin: Client, flag, row, cast):
    cast.assign(cast.bob, row.candidate.reference)
    assert "Answers to your flags" not in signed_in(cast.alice).get("/").content.decode()
    answer = admin.post(address(flag), {"flag_answer": f" {ANSWER}\r\n"})
    assert (answer.status_code, answer["Location"]) == (303, "/campaigns/cups/#flags")
    page = signed_in(cast.alice).get("/").content.decode()
    assert ANSWER in page and "ada" not in page
    assert ANSWER not in signed_in(cast.bob).get("/").content.decode()
    assert ">answered<" in admin.get("/campaigns/cups/").content.decode()


def test_an_answer_leaves_the_queue_after_two_weeks_and_with_the_campaign(flag, cast) -> None:
    answer_flags(assignment=flag.assignment, answer=ANSWER, by=cast.ada)
    client = signed_in(cast.alice)
    Flag.objects.update(answered_at=database_now() - timedelta(days=15))
    assert ANSWER not in client.get("/").content.decode()
    Flag.objects.update(answered_at=database_now() - timedelta(days=13))
    assert ANSWER in client.get("/").content.decode()
    Campaign.objects.update(status="closed")
    assert ANSWER not in client.get("/").content.decode()


def test_a_flag_needs_a_sentence_to_be_answered_and_none_to_be_closed(admin: Client, flag) -> None:
    empty = admin.post(address(flag), {"flag_answer": " "})
    assert empty.status_code == 422 and EMPTY in empty.content.decode()
    assert admin.post(address(flag), {"act": "close", "flag_answer": ""}).status_code == 303
    flag.refresh_from_db()
    assert flag.closed_at is not None and flag.answered_at is None
    late = admin.post(address(flag), {"flag_answer": ANSWER})
    assert late.status_code == 409 and CLOSED in late.content.decode()
    # What was typed is not lost.
    assert ANSWER in late.content.decode()
    assert '<textarea name="flag_answer"' not in admin.get(address(flag)).content.decode()


def test_closing_takes_the_last_answer_along_and_all_is_on_record(flag, cast) -> None:
    answer_flags(assignment=flag.assignment, answer="Thank you.", by=cast.ada)
    close_flags(assignment=flag.assignment, by=cast.ada, answer=ANSWER)
    flag.refresh_from_db()
    assert (flag.answer, flag.answered_by, flag.closed_by) == (ANSWER, cast.ada, cast.ada)
    acts = AuditEvent.objects.filter(object_type="flag", object_id=str(flag.pk))
    assert list(acts.order_by("id").values_list("action", "actor__username", "details")) == [
        ("flag.answered", "ada", {}),
        ("flag.answered", "ada", {}),
        ("flag.closed", "ada", {}),
    ]
    with pytest.raises(OutOfDate):
        close_flags(assignment=flag.assignment, by=cast.ada)


def test_an_unchanged_answer_is_not_given_again_by_closing(flag, cast) -> None:
    answer_flags(assignment=flag.assignment, answer=ANSWER, by=cast.ada)
    flag.refresh_from_db()
    close_flags(assignment=flag.assignment, by=cast.ada, answer=ANSWER)
    assert AuditEvent.objects.filter(action="flag.answered").count() == 1


def test_an_answer_that_is_too_long_is_refused(flag, cast) -> None:
    with pytest.raises(Refused):
        answer_flags(assignment=flag.assignment, answer="x" * 2001, by=cast.ada)


def test_only_admins_of_the_campaign_reach_a_flag(flag, cast, client: Client) -> None:
    boss = grant(make_user("olga"), cast.elsewhere, "admin")
    for user, status in ((cast.alice, 403), (cast.carol, 403), (cast.rita, 403), (boss, 404)):
        client.force_login(user)
        assert client.get(address(flag)).status_code == status
        assert client.post(address(flag), {"flag_answer": ANSWER}).status_code == status
    assert client.get(f"/campaigns/elsewhere/flags/{flag.assignment_id}/").status_code == 404


def test_it_is_withheld_from_an_admin_who_rates_as_the_notices_are(admin, flag, row, cast) -> None:
    grant(cast.ada, cast.campaign, "annotator")
    cast.submit(row)
    assert admin.get(address(flag)).status_code == 403


def test_an_erasure_takes_the_answer_along(flag, row, cast) -> None:
    answer_flags(assignment=flag.assignment, answer=ANSWER, by=cast.ada)
    erase_texts(row.candidate.reference)
    flag.refresh_from_db()
    assert flag.answer == flag.reason == ""


def test_one_answer_is_for_all_flags_of_the_annotator_on_the_candidate(flag, row, cast) -> None:
    other = flag_candidate(assignment=row, reason_code="rubric-gap")
    close_flags(assignment=row, by=cast.ada)
    again = flag_candidate(assignment=row, reason_code="rubric-gap")
    answer_flags(assignment=row, answer=ANSWER, by=cast.ada)
    found = dict(Flag.objects.values_list("pk", "answer"))
    assert found == {flag.pk: "", other.pk: "", again.pk: ANSWER}
