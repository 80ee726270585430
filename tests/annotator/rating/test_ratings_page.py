"""The rate page, posted without JavaScript."""

import re
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from annotator.claims.reading import CLAIMS
from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import Assignment, AuditEvent, Campaign, Rating, RatingRevision
from annotator.rubric import CRITERIA

FIRST = CRITERIA[0]


def sent(*values: int, **more: object) -> dict[str, object]:
    return dict(zip(CRITERIA, values or (7, 5, 9, 10), strict=True)) | more


@pytest.fixture
def rows(cast, client: Client) -> list[Assignment]:
    client.force_login(cast.alice)
    return cast.assign(cast.alice, cast.reference())


def path(row: Assignment) -> str:
    return f"/rate/{row.pk}/"


def hidden(html: str, name: str) -> str:
    match = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', html)
    assert match
    return match[1]


def test_a_post_without_a_button_name_stores_the_rating_and_goes_on(client, rows, cast) -> None:
    answer = client.post(path(rows[0]), sent(comment="good"))
    assert (answer.status_code, answer["Location"]) == (303, path(rows[1]))
    rating = Rating.objects.get()
    assert rating.scores == dict(zip(CRITERIA, (7, 5, 9, 10), strict=True))
    assert (rating.annotator, rating.comment, rating.overall_numerator) == (cast.alice, "good", 86)
    assert AuditEvent.objects.filter(action="rating.submitted").count() == 1


def test_the_last_rating_leads_home(client, rows) -> None:
    for row in rows[1:]:
        client.post(path(row), sent())
    assert client.post(path(rows[0]), sent())["Location"] == "/"


def test_after_a_lease_the_next_candidate_is_taken_at_once(client, cast) -> None:
    cast.reference("r1", 2)
    client.force_login(cast.alice)
    first = client.post("/campaigns/cups/next/")["Location"]
    second = client.post(first, sent())["Location"]
    assert second.startswith("/rate/") and second != first
    assert client.post(second, sent())["Location"] == "/"
    assert Rating.objects.count() == 2


def test_nothing_left_to_take_is_reported(client, cast) -> None:
    client.force_login(cast.alice)
    answer = client.post("/campaigns/cups/next/", follow=True)
    assert b"Nothing is left for you in Cups." in answer.content


def test_the_form_has_four_radio_groups_with_eleven_values(client, rows) -> None:
    html = client.get(path(rows[0])).content.decode()
    assert html.count("<fieldset") == html.count("<legend>") == 4
    for key in CRITERIA:
        values = re.findall(rf'type="radio" name="{key}" value="(\d+)"', html)
        assert values == [str(n) for n in range(11)]
    assert re.search('<output id="overall-quality"[^>]*>\N{EN DASH}</output>', html)
    assert re.search(r'<button type="submit"[^>]*>Submit rating</button>', html)
    assert uuid.UUID(hidden(html, "key")).version == 4


def test_a_new_page_carries_a_new_key(client, rows) -> None:
    keys = {hidden(client.get(path(rows[0])).content.decode(), "key") for _ in range(2)}
    assert len(keys) == 2


def test_a_bad_score_stores_nothing_and_keeps_all_that_was_typed(client, rows) -> None:
    for bad in ("10.5", "-1", "11", "", "9.0", "+9", "09", "true", "٩"):
        answer = client.post(path(rows[0]), sent(comment="my words") | {FIRST: bad})
        html = answer.content.decode()
        assert answer.status_code == 422, bad
        assert not Rating.objects.exists(), bad
        assert "my words</textarea>" in html, bad
        assert len(re.findall(r"<input type=\"radio\"[^>]* checked", html)) == 3, bad
        assert f'id="{FIRST}-error"' in html, bad
        assert re.search(rf'name="{FIRST}" value="0"[^>]* autofocus', html), bad


def test_the_first_error_takes_the_focus_and_only_it(client, rows) -> None:
    values = sent()
    del values[CRITERIA[1]], values[CRITERIA[3]]
    html = client.post(path(rows[0]), values).content.decode()
    assert re.findall(r'name="(\w+)" value="\d+"[^>]* autofocus', html) == [CRITERIA[1]]


def test_a_score_sent_twice_is_refused(client, rows) -> None:
    assert client.post(path(rows[0]), sent() | {FIRST: ["3", "9"]}).status_code == 422
    assert not Rating.objects.exists()


def test_a_comment_that_is_too_long_stays_in_the_box(client, rows) -> None:
    answer = client.post(path(rows[0]), sent(comment="x" * 200_000))
    assert answer.status_code == 422
    assert b"20000 characters" in answer.content
    assert b"x" * 200_000 in answer.content


def test_a_form_beyond_the_size_limit_is_413(client, rows) -> None:
    assert client.post(path(rows[0]), sent(comment="x" * 3_000_000)).status_code == 413


HOSTILE = '</textarea><script>x</script>{{7*7}}{% load %}<p hx-get="/">'


def test_a_hostile_comment_is_stored_verbatim_and_shown_as_text(client, rows) -> None:
    client.post(path(rows[0]), sent(comment=HOSTILE))
    assert Rating.objects.get().comment == HOSTILE
    html = client.get(path(rows[0])).content.decode()
    assert "<script>x" not in html and "{{7*7}}" in html and '<p hx-get="/">' not in html


def test_hostile_claims_are_shown_as_text(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = f"1. A cup {HOSTILE}"
    candidate.save()
    html = client.get(path(rows[0])).content.decode()
    assert "<script>x" not in html and '<p hx-get="/">' not in html


def test_claim_text_is_shut_to_helpers_and_absent_from_title_and_address(client, rows) -> None:
    html = client.get(path(rows[0])).content.decode()
    assert 'translate="no" spellcheck="false"' in html
    assert "<title>Rate Candidate 1 · PatClaimEval</title>" in html
    assert 'autocomplete="off"' in html


def test_the_same_key_sent_again_has_one_effect_and_the_same_answer(client, rows) -> None:
    answers = [client.post(path(rows[0]), sent(key="k1")) for _ in range(3)]
    assert {(a.status_code, a["Location"]) for a in answers} == {(303, path(rows[1]))}
    assert RatingRevision.objects.count() == 1


def test_a_second_form_with_other_scores_is_409_and_shows_both(client, rows) -> None:
    client.post(path(rows[0]), sent(key="k1", comment="stored words"))
    answer = client.post(path(rows[0]), sent(1, 1, 1, 1, key="k1", comment="late words"))
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "late words</textarea>" in html and "stored words" in html
    assert re.search(rf'name="{FIRST}" value="1"[^>]* checked', html)
    assert Rating.objects.get().comment == "stored words"
    assert hidden(html, "version") == "1"
    assert hidden(html, "key") != "k1"


def test_a_rating_is_shown_filled_in_and_can_be_revised(client, rows) -> None:
    client.post(path(rows[0]), sent(comment="first"))
    html = client.get(path(rows[0])).content.decode()
    assert "first</textarea>" in html and ">7.82</output>" in html
    version = hidden(html, "version")
    assert client.post(path(rows[0]), sent(8, 8, 8, 8, version=version)).status_code == 303
    assert Rating.objects.get().overall_numerator == 88
    assert [r.overall_numerator for r in RatingRevision.objects.all()] == [86, 88]


def test_a_revision_sent_twice_is_made_once(client, rows) -> None:
    client.post(path(rows[0]), sent())
    for _ in range(2):
        assert client.post(path(rows[0]), sent(8, 8, 8, 8, version=1)).status_code == 303
    assert RatingRevision.objects.count() == 2


def test_a_stale_revision_is_409_keeps_what_was_typed_and_changes_nothing(client, rows) -> None:
    client.post(path(rows[0]), sent())
    client.post(path(rows[0]), sent(8, 8, 8, 8, version=1))
    answer = client.post(path(rows[0]), sent(2, 2, 2, 2, version=1, comment="mine"))
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "mine</textarea>" in html and "overall 8.00" in html
    assert hidden(html, "version") == "2"
    assert Rating.objects.get().overall_numerator == 88


def test_a_mistake_in_a_stale_form_does_not_make_it_fresh(client, rows) -> None:
    client.post(path(rows[0]), sent())
    client.post(path(rows[0]), sent(8, 8, 8, 8, version=1))
    answer = client.post(path(rows[0]), sent(version=1) | {FIRST: "x"})
    assert answer.status_code == 422
    assert hidden(answer.content.decode(), "version") == "1"


def test_a_locked_rating_is_read_only_and_a_late_form_shows_again_what_was_typed(
    client, cast
) -> None:
    reference = cast.reference("r1", 1)
    long_ago = timezone.now() - timedelta(days=3)
    for user in (cast.alice, cast.bob):
        cast.submit(cast.assign(user, reference)[0], submitted_at=long_ago)
    client.force_login(cast.alice)
    row = Assignment.objects.get(annotator=cast.alice)
    html = client.get(path(row)).content.decode()
    assert "Submit rating" not in html
    assert html.count(" disabled aria-describedby") == 4
    assert LOCKED_SENTENCE in client.get(path(row)).context["page"].closed_because
    answer = client.post(path(row), sent(1, 1, 1, 1, version=1, comment="too late"))
    assert answer.status_code == 409
    assert b"too late</textarea>" in answer.content
    assert Rating.objects.get(annotator=cast.alice).overall_numerator == 55


def test_a_closed_campaign_takes_no_rating_and_stores_the_text(client, rows) -> None:
    Campaign.objects.update(status="closed")
    answer = client.post(path(rows[0]), sent(comment="mine"))
    assert answer.status_code == 409
    assert b"mine</textarea>" in answer.content
    assert not Rating.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_anothers_assignment_is_answered_as_one_that_does_not_exist(client, cast, method) -> None:
    row = cast.assign(cast.alice, cast.reference())[0]
    client.force_login(cast.bob)
    answers = [getattr(client, method)(f"/rate/{pk}/", sent()) for pk in (row.pk, uuid.uuid4())]
    assert [a.status_code for a in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert not Rating.objects.exists()


def test_the_overall_is_computed_by_the_rule_that_stores_it_and_nothing_is_stored(
    client, rows
) -> None:
    answer = client.post(f"{path(rows[0])}overall/", sent(7, 5, 9, 10))
    assert b">7.82</output>" in answer.content and b"High." in answer.content
    assert not Rating.objects.exists()


def test_the_overall_of_an_unfinished_form_says_how_many_are_missing(client, rows) -> None:
    answer = client.post(f"{path(rows[0])}overall/", {FIRST: "7", CRITERIA[1]: "11"})
    assert answer.status_code == 200
    assert b"3 of 4 criteria still to rate" in answer.content


def test_the_overall_of_anothers_assignment_is_not_found(client, cast) -> None:
    row = cast.assign(cast.alice, cast.reference())[0]
    client.force_login(cast.bob)
    assert client.post(f"{path(row)}overall/", sent()).status_code == 404


def test_a_form_without_a_token_of_this_site_is_refused_with_a_message(cast, rows) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.alice)
    for headers in ({}, {"HX-Request": "true"}):
        answer = client.post(path(rows[0]), sent(), headers=headers)
        assert answer.status_code == 403
        assert b"The form was not accepted" in answer.content
    assert not Rating.objects.exists()


def test_an_ended_session_sends_pages_to_sign_in_and_answers_htmx(client, rows) -> None:
    client.logout()
    answer = client.post(path(rows[0]), sent())
    assert answer["Location"] == f"/login/?next=%2Frate%2F{rows[0].pk}%2F"
    answer = client.post(f"{path(rows[0])}overall/", sent(), headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Redirect"]) == (401, "/login/")


def test_claims_too_large_to_compare_are_shown_whole_with_what_is_off(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = "\n".join(f"1. A <cup {n}>" for n in range(CLAIMS.most + 1))
    candidate.save()
    html = client.get(path(rows[0])).content.decode()
    assert CLAIMS.message(CLAIMS.most + 1) in html
    assert escape(candidate.claims) in html
    assert html.count("<article") == 2
