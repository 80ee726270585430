import json
import uuid
from typing import Any

import pytest
from django.test import Client

from annotator.campaigns.members.services import revoke_role
from annotator.models import Assignment, AuditEvent, Draft, Rating, UsedPace
from patclaimeval.rubric import CRITERIA
from tests.amounts import few

PASSWORD = "a long enough phrase"


@pytest.fixture
def alice(cast):
    cast.alice.set_password(PASSWORD)
    cast.alice.save()
    return cast.alice


def sign_in(client: Client, username: str = "alice", password: str = PASSWORD, **more: str):
    return client.post("/login/", {"username": username, "password": password, **more})


def test_signing_in_leads_home_or_to_where_one_was_going(client: Client, alice) -> None:
    assert b'value="/rubric/"' in client.get("/login/?next=/rubric/").content
    assert sign_in(client, next="/rubric/")["Location"] == "/rubric/"
    assert sign_in(Client())["Location"] == "/" and client.get("/").status_code == 200
    alice.is_active = False
    alice.save()
    assert sign_in(client).status_code == 422


def test_signing_out_ends_the_session_and_clears_the_browser(client: Client, alice) -> None:
    client.force_login(alice)
    answer = client.post("/logout/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/")
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert client.get("/")["Location"] == "/login/?next=%2F"


SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def row(cast, alice) -> Assignment:
    return cast.assign(cast.alice, cast.reference("r1", 1))[0]


def post_late(client: Client, row: Assignment, typed, action: str = "") -> Any:
    """Post the rate form without a session, and go where the answer says, as browsers do."""
    sent = typed(comment="carried\r\nwords", note="<b>", draft_version=0, version=0, key="k")
    answer = client.post(f"/rate/{row.pk}/{action}", sent)
    assert (answer.status_code, answer["Location"]) == (307, f"/login/?next=%2Frate%2F{row.pk}%2F")
    return client.post(answer["Location"], sent)


def carried(form_page: Any) -> dict[str, str]:
    context = form_page.context
    return {"carried": context["carried"], "next": context["next"]}


@pytest.mark.parametrize("action", few(["", "draft/", "skip/", "tags/", "reading/"], 2))
def test_a_form_sent_after_the_session_ended_is_kept_as_draft(client, row, typed, form_of, action):
    page = post_late(client, row, typed, action)
    assert page.status_code == 401
    assert b"What you typed is saved" in page.content
    again = sign_in(client, password="wrong", **carried(page))
    assert again.status_code == 422 and carried(again) == carried(page)
    assert not Draft.objects.exists()
    answer = sign_in(client, **carried(again))
    assert (answer.status_code, answer["Location"]) == (302, f"/rate/{row.pk}/")
    shown = client.get(answer["Location"])
    assert b"kept as a draft" in shown.content
    fields = form_of(shown)
    assert (fields["comment"], fields["note"]) == ("carried\r\nwords", "<b>")
    assert [fields[key] for key in CRITERIA] == ["7", "5", "9", "10"]
    assert not Rating.objects.exists()
    assert client.post(f"/rate/{row.pk}/", fields).status_code == 303
    assert Rating.objects.get().comment == "carried\nwords"


def test_what_was_carried_is_kept_when_another_tab_signed_in_meanwhile(client, row, typed, form_of):
    page = post_late(client, row, typed)
    assert sign_in(client).status_code == 302
    assert sign_in(client, **carried(page))["Location"] == f"/rate/{row.pk}/"
    assert form_of(client.get(f"/rate/{row.pk}/"))["comment"] == "carried\r\nwords"


def test_what_was_carried_is_kept_for_a_role_that_was_lost_meanwhile(client, cast, row, typed):
    page = post_late(client, row, typed)
    revoke_role(user=cast.alice, campaign=cast.campaign, role="annotator", revoked_by=cast.ada)
    assert client.get(sign_in(client, **carried(page))["Location"]).status_code in {403, 404}
    assert Draft.objects.get().typed["comment"] == "carried\r\nwords"


@pytest.mark.parametrize("name", ["bob", "mallory"])
def test_somebody_else_who_signs_in_is_neither_given_nor_shown_it(client, cast, row, typed, name):
    user = getattr(cast, name)
    user.set_password(PASSWORD)
    user.save()
    page = post_late(client, row, typed)
    answer = sign_in(client, name, **carried(page))
    assert answer.status_code == 302
    assert client.get(answer["Location"]).status_code == 404
    for path in ("/", "/rated/"):
        assert b"carried" not in client.get(path).content
    assert not Draft.objects.exists()
    assert not AuditEvent.objects.filter(action="rating.refused").exists()


def test_a_newer_draft_is_not_overwritten_and_the_page_shows_it(client, row, typed) -> None:
    page = post_late(client, row, typed)
    Draft.objects.create(assignment=row, typed={"comment": "newer"}, saved_at=row.created_at)
    shown = sign_in(client, **carried(page))
    assert shown.status_code == 409
    assert b"carried\r\nwords</textarea>" in shown.content and b"newer" in shown.content
    assert Draft.objects.get().typed == {"comment": "newer"}


def test_carried_words_are_kept_only_for_the_page_that_they_came_from(client, row, typed) -> None:
    page = post_late(client, row, typed)
    for target in ("https://evil.example/rate/", "//evil.example", "/", "/rubric/"):
        answer = sign_in(client, **carried(page) | {"next": target})
        assert answer["Location"] in {"/", "/rubric/"} and not Draft.objects.exists(), target
        assert client.get(answer["Location"]).status_code == 200, target
        client.logout()


HOSTILE = (
    *("", "x", "[]", "7", "null", '"x"', "{", "{}", '{"comment": 1}', '{"comment": null}'),
    *('{"draft_version": [1]}', '{"draft_version": {}}', '{"draft_version": "x"}'),
    *('{"draft_version": 1.5}', '{"draft_version": true}', '{"draft_version": -1}'),
    *('{"draft_version": 999999999999999999}', '{"draft_version": "%s"}' % ("9" * 5000)),
    *("NaN", '{"draft_version": 1e999}', '{"comment": "\\u0000"}', '{"comment": "\\ud800"}'),
    *("\x00", "[" * 10_000, '{"a": 1, "a": 2}', '{"comment": {"a": ["b"]}}'),
    json.dumps({"comment": "x" * 300_000}),
    "</textarea><script>x</script>",
    '{"comment": "\u202e\u200b"}',
)


def test_hostile_carried_text_never_stops_a_sign_in(row) -> None:
    for text in HOSTILE:
        client, case = Client(), ascii(text)[:99]
        more = {"carried": text, "next": f"/rate/{row.pk}/"}
        refused = sign_in(client, password="wrong", **more)
        assert refused.status_code == 422 and b"<script>x" not in refused.content, case
        # What is too long for a draft is shown again at once.
        assert sign_in(client, **more).status_code == (409 if len(text) > 100_000 else 302), case
        page = client.get(f"/rate/{row.pk}/")
        assert page.status_code == 200 and b"<script>x" not in page.content, case
        # The next is the first of its account again.
        Draft.objects.all().delete()
        UsedPace.objects.all().delete()


def test_other_forms_and_pages_are_simply_sent_to_sign_in(client, row) -> None:
    for answer in (
        client.get(f"/rate/{row.pk}/"),
        client.post("/campaigns/cups/next/"),
        client.post(f"/rate/{row.pk}/", {"comment": "no rate form of ours"}),
    ):
        assert answer.status_code == 302 and answer["Location"].startswith("/login/?next=")


def test_a_form_that_names_no_candidate_is_carried_nowhere(client, cast, alice, typed) -> None:
    page = client.post("/campaigns/cups/next/", typed(draft_version=0))
    assert page.status_code == 307
    page = client.post(page["Location"], typed(draft_version=0))
    assert sign_in(client, **carried(page)).status_code == 302
    more = {"carried": json.dumps(typed()), "next": f"/rate/{uuid.uuid4()}/"}
    assert sign_in(client, **more).status_code == 302
    assert not Draft.objects.exists()


def test_a_script_that_signs_in_in_place_gets_a_token_that_works(cast, row, typed) -> None:
    client = Client(enforce_csrf_checks=True)
    client.get("/login/")
    token = client.cookies["csrftoken"].value
    sent = {"username": "alice", "password": PASSWORD}
    answer = client.post("/login/", sent, headers=SCRIPT | {"X-CSRFToken": token})
    token = answer.json()["token"]
    assert answer.status_code == 200 and answer.json()["username"] == "alice"
    path = f"/rate/{row.pk}/draft/"
    fields = typed(comment="c", draft_version=0)
    stored = client.post(path, fields, headers=SCRIPT | {"X-CSRFToken": token})
    assert stored.status_code == 200 and Draft.objects.get().typed["comment"] == "c"
    # A session that is there already is no reason for another page.
    answer = client.post("/login/", sent, headers=SCRIPT | {"X-CSRFToken": token})
    assert answer.json()["username"] == "alice"


def test_a_script_gets_one_sentence_for_a_wrong_sign_in(client, alice) -> None:
    for name in ("alice", "nobody", "a\x00b", "x" * 5000, ""):
        answer = client.post("/login/", {"username": name, "password": "wrong"}, headers=SCRIPT)
        assert answer.status_code == 422 and set(answer.json()) == {"sentence"}, name[:9]
        assert answer.json()["sentence"], name[:9]


def test_a_script_without_a_session_learns_where_to_sign_in_and_stores_nothing(client, row, typed):
    answer = client.post(f"/rate/{row.pk}/draft/", typed(draft_version=0), headers=SCRIPT)
    assert (answer.status_code, answer["HX-Redirect"]) == (401, "/login/")
    assert not Draft.objects.exists()


@pytest.mark.usefixtures("rate_limits_stand_still")
def test_the_password_is_tried_seven_times_and_then_not_looked_at(client, alice) -> None:
    codes = [sign_in(client, password="wrong").status_code for _ in range(9)]
    assert codes == [422] * 7 + [429] * 2
    answer = sign_in(client)
    assert answer.status_code == 429 and 0 < int(answer["Retry-After"]) <= 20
    assert b"try again in" in answer.content and b'value="alice"' in answer.content
    assert AuditEvent.objects.filter(action="sign_in.refused").count() == 7
    elsewhere = Client(REMOTE_ADDR="10.0.0.2")
    assert sign_in(elsewhere).status_code == 302


@pytest.mark.usefixtures("rate_limits_stand_still")
def test_who_tries_too_often_waits_and_what_a_form_carries_stays(client, row, typed) -> None:
    page = post_late(client, row, typed)
    for _ in range(8):
        again = sign_in(client, password="wrong", **carried(page))
    assert again.status_code == 429 and carried(again) == carried(page)
    sent = {"username": "alice", "password": "wrong"}
    answer = client.post("/login/", sent, headers=SCRIPT)
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
    assert "try again" in answer.json()["sentence"]


@pytest.mark.usefixtures("rate_limits_stand_still")
def test_a_known_browser_gets_in_whatever_others_try(client, alice) -> None:
    sign_in(client)
    client.post("/logout/")
    for number in range(11):
        sign_in(Client(REMOTE_ADDR=f"10.0.0.{number}"), password="wrong")
    assert sign_in(Client(REMOTE_ADDR="10.0.1.1")).status_code == 429
    assert sign_in(client).status_code == 302
    cookie = next(name for name in client.cookies if "known-" in name)
    assert client.cookies[cookie]["httponly"]
    client.cookies[cookie] = "forged:1:x"
    assert sign_in(client).status_code == 429


@pytest.mark.parametrize(("proxies", "codes"), [(0, {422, 429}), (1, {422})])
def test_an_address_is_believed_from_trusted_proxies_only(client, alice, settings, proxies, codes):
    settings.TRUSTED_PROXIES = proxies
    sent, before = {"username": "alice", "password": "wrong"}, "6.6.6.6, 10.0.0."
    answers = [
        client.post("/login/", sent, headers={"X-Forwarded-For": f"{before}{number}"})
        for number in range(9)
    ]
    assert {answer.status_code for answer in answers} == codes
