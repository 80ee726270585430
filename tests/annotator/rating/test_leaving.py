"""Skip, recuse, take back and flag, as the buttons of the page send them."""

import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.assignments.services import lapse_leases, take_next
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Departure,
    Draft,
    Flag,
    Membership,
    Rating,
)
from tests.conftest import spread

SCRIPT = {"HX-Request": "true"}
ACTIONS = {
    "skip/": {"leave_code": "not-now"},
    "recuse/": {},
    "take-back/": {},
    "flag/": {"flag_code": "wrong-text"},
}


def path(row: Assignment, action: str = "") -> str:
    return f"/rate/{row.pk}/{action}"


def status(row: Assignment) -> str:
    return Assignment.objects.get(pk=row.pk).status


def take(cast, user) -> Assignment:
    row = take_next(slug="cups", annotator=user)
    assert row is not None
    return row


def run_out(cast, row: Assignment) -> None:
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk=row.pk).update(lease_expires_at=past)
    assert lapse_leases(cast.campaign) == 1


def test_a_skip_goes_on_with_the_next_and_keeps_what_was_typed(client, rows, typed) -> None:
    sent = typed(comment="half", draft_version=0, leave_code="other", leave_reason=" why\r\nnot ")
    answer = client.post(path(rows[0], "skip/"), sent)
    assert (answer.status_code, answer["Location"]) == (303, path(rows[1]))
    assert status(rows[0]) == "skipped"
    assert Departure.objects.get().reason == "why\nnot"
    assert Draft.objects.get().typed["comment"] == "half"
    page = client.get(path(rows[0])).content.decode()
    assert "half</textarea>" in page and ">Take it back</button>" in page
    assert "Submit rating" not in page


def test_the_last_one_skipped_leads_home(client, rows) -> None:
    for row, target in zip(rows, [path(rows[1]), path(rows[2]), "/"], strict=True):
        assert client.post(path(row, "skip/"), ACTIONS["skip/"])["Location"] == target


def test_who_works_on_demand_is_given_another_after_a_skip(client, cast) -> None:
    cast.reference("r1", 2)
    client.force_login(cast.alice)
    row = take(cast, cast.alice)
    target = client.post(path(row, "skip/"), ACTIONS["skip/"])["Location"]
    other = Assignment.objects.exclude(pk=row.pk).get()
    assert target == path(other) and other.candidate_id != row.candidate_id


def test_a_rated_candidate_is_not_skipped(client, cast, rows) -> None:
    cast.submit(rows[0])
    answer = client.post(path(rows[0], "skip/"), ACTIONS["skip/"])
    assert answer.status_code == 409 and b"rated or left already" in answer.content
    assert status(rows[0]) == "submitted" and not Departure.objects.exists()


def test_a_skip_sent_twice_is_one_departure(client, rows) -> None:
    codes = [client.post(path(rows[0], "skip/"), ACTIONS["skip/"]).status_code for _ in range(2)]
    assert codes == [303, 409] and Departure.objects.count() == 1


def test_a_recusal_takes_the_reference_and_says_how_much_went_back(client, rows) -> None:
    answer = client.post(path(rows[1], "recuse/"), {"leave_reason": "my client"}, follow=True)
    assert b"You are recused from this reference; 3 candidates went back." in answer.content
    assert {status(row) for row in rows} == {"recused"}
    assert set(Departure.objects.values_list("reason", flat=True)) == {"my client"}
    page = client.get(path(rows[0]))
    assert b"You recused yourself" in page.content and b"Take it back" not in page.content
    assert client.post(path(rows[0], "take-back/")).status_code == 409


def test_a_recused_candidate_takes_no_rating_and_stores_the_text(client, rows, typed) -> None:
    client.post(path(rows[0], "recuse/"))
    answer = client.post(path(rows[0]), typed(comment="late", draft_version=0))
    assert answer.status_code == 409 and b"late</textarea>" in answer.content
    assert not Rating.objects.exists() and Draft.objects.get().typed["comment"] == "late"


def test_a_skipped_candidate_is_taken_back_and_rated(client, rows, typed, form_of) -> None:
    client.post(
        path(rows[0], "skip/"), typed(comment="half", draft_version=0, leave_code="not-now")
    )
    answer = client.post(path(rows[0], "take-back/"), form_of(client.get(path(rows[0]))))
    assert (answer.status_code, answer["Location"]) == (303, path(rows[0]))
    shown = form_of(client.get(path(rows[0])))
    assert shown["comment"] == "half"
    assert client.post(path(rows[0]), shown).status_code == 303
    assert Rating.objects.get().comment == "half"


def test_what_others_took_meanwhile_is_not_taken_back(client, cast) -> None:
    spread(cast.campaign, 1)
    cast.reference("r1", 1)
    client.force_login(cast.alice)
    row = take(cast, cast.alice)
    client.post(path(row, "skip/"), ACTIONS["skip/"])
    take(cast, cast.bob)
    answer = client.post(path(row, "take-back/"))
    assert answer.status_code == 409 and b"Somebody else has taken" in answer.content
    assert Candidate.objects.get().held == 1


def test_a_flag_is_for_the_admin_and_one_stays_on_the_page(client, rows, typed) -> None:
    sent = typed(flag_code="other", flag_reason="reads oddly", comment="half", draft_version=0)
    answer = client.post(path(rows[0], "flag/"), sent)
    assert (answer.status_code, answer["Location"]) == (303, path(rows[0]))
    page = client.get(path(rows[0])).content.decode()
    assert "flagged for the campaign" in page and "half</textarea>" in page
    assert Flag.objects.get().reason == "reads oddly" and status(rows[0]) == "open"


def test_a_late_submit_counts_while_the_place_is_free(client, cast, typed) -> None:
    cast.reference("r1", 1)
    client.force_login(cast.alice)
    row = take(cast, cast.alice)
    run_out(cast, row)
    assert b"Your time for this candidate ran out" in client.get(path(row)).content
    assert client.post(path(row), typed()).status_code == 303
    assert Candidate.objects.get().held == 1


def test_a_place_given_to_another_is_409_with_the_text_stored_and_a_row_in_the_trail(
    client, cast, typed, form_of
) -> None:
    spread(cast.campaign, 1)
    cast.reference("r1", 1)
    client.force_login(cast.alice)
    row = take(cast, cast.alice)
    shown = form_of(client.get(path(row)))
    run_out(cast, row)
    take(cast, cast.bob)
    answer = client.post(path(row), shown | typed(comment="my words"))
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "given to another" in html and "my words</textarea>" in html and "bob" not in html
    assert not Rating.objects.exists() and Candidate.objects.get().held == 1
    assert form_of(client.get(path(row)))["comment"] == "my words"
    event = AuditEvent.objects.get(action="rating.refused")
    assert event.actor == cast.alice and "my words" not in str(event.details)


def test_a_campaign_that_closed_meanwhile_is_409_with_the_text_stored(
    client, rows, typed, form_of
) -> None:
    shown = form_of(client.get(path(rows[0])))
    Campaign.objects.update(status="closed")
    answer = client.post(path(rows[0]), shown | typed(comment="my words"))
    assert answer.status_code == 409 and b"my words</textarea>" in answer.content
    assert Draft.objects.get().typed["comment"] == "my words"
    assert AuditEvent.objects.filter(action="rating.refused").count() == 1


@pytest.mark.parametrize("headers", [SCRIPT, {}], ids=["script", "page"])
def test_nobody_leaves_or_flags_for_another(client, cast, rows, headers) -> None:
    for user in (cast.bob, cast.mallory):
        client.force_login(user)
        for action, sent in ACTIONS.items():
            answers = [
                client.post(f"/rate/{pk}/{action}", sent, headers=headers)
                for pk in (rows[0].pk, uuid.uuid4())
            ]
            assert [answer.status_code for answer in answers] == [404, 404], action
            assert answers[0].content == answers[1].content, action
            assert status(rows[0]) == "open", action
            assert not Flag.objects.exists() and not Departure.objects.exists(), action


def test_who_is_no_annotator_any_more_finds_nothing(client, cast, rows) -> None:
    Membership.objects.filter(user=cast.alice).delete()
    Membership.objects.create(campaign=cast.elsewhere, user=cast.alice, role="annotator")
    for action in ("", *ACTIONS):
        assert client.post(path(rows[0], action), ACTIONS.get(action, {})).status_code == 404


@pytest.mark.parametrize("action", ACTIONS)
def test_leaving_needs_a_token_of_this_site_and_a_post(cast, rows, action: str) -> None:
    stranger = Client(enforce_csrf_checks=True)
    stranger.force_login(cast.alice)
    for headers in ({}, SCRIPT):
        answer = stranger.post(path(rows[0], action), ACTIONS[action], headers=headers)
        assert answer.status_code == 403
    assert stranger.get(path(rows[0], action)).status_code == 405
    assert status(rows[0]) == "open"


@pytest.mark.parametrize("action", ["skip/", "recuse/", "take-back/"])
def test_nothing_changes_hands_in_a_closed_campaign(client, rows, action: str) -> None:
    if action == "take-back/":
        client.post(path(rows[0], "skip/"), ACTIONS["skip/"])
    before = status(rows[0])
    Campaign.objects.update(status="closed")
    answer = client.post(path(rows[0], action), ACTIONS[action])
    assert answer.status_code == 409
    assert b"closed" in answer.content
    assert status(rows[0]) == before


def test_a_refused_skip_does_not_call_unset_scores_a_fault(client, rows, form_of) -> None:
    sent = form_of(client.get(path(rows[0])))
    answer = client.post(path(rows[0], "skip/"), sent | {"leave_code": ""})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "Choose a reason." in html
    assert "Choose a score" not in html


def test_a_refusal_that_the_script_repeats_as_a_page_is_shown_once(
    client, cast, rows, typed
) -> None:
    cast.submit(rows[0])
    sent = typed(version="0", draft_version="0", key="late")
    for headers in ({"HX-Request": "true"}, {}):
        assert client.post(path(rows[0]), sent, headers=headers).status_code == 409
    assert AuditEvent.objects.filter(action="rating.refused").count() == 1
