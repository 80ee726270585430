import html
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.http import QueryDict
from django.test import Client, RequestFactory

from annotator.models import (
    Adjudication,
    Assignment,
    Campaign,
    Comparison,
    Draft,
    Membership,
    Preference,
    Rating,
    User,
)
from annotator.rating.drafts import save_draft
from annotator.rating_values import TYPED
from annotator.site.errors import resubmitted_form
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.amounts import few
from tests.conftest import Cast, signed_in
from tests.guards.blindness.forms_found import forms_of
from tests.guards.blindness.people import PASSWORD
from tests.guards.blindness.states import Scenario, furnish

WORDS = "What <b>I</b> typed,\r\nin two lines."
AGAIN = "Send it again"
HERE = {"Origin": "http://testserver"}
Sent = dict[str, str]


@pytest.fixture
def row(cast: Cast) -> Assignment:
    return cast.assign(cast.alice, cast.reference("r1", 1))[0]


@pytest.fixture
def scenario(db: None, settings: Any, tmp_path: Any) -> Scenario:
    settings.DATA_DIR = tmp_path
    return furnish("zqhere", "taken")


def form_of(row: Assignment) -> tuple[str, Sent]:
    more = {"comment": WORDS, "key": "k", "version": "0", "draft_version": "0"}
    return f"/rate/{row.pk}/", dict.fromkeys(CRITERIA, "5") | more


def rating(scenario: Scenario) -> tuple[str, str, Sent]:
    return "one", *form_of(scenario.other_open("one"))


def preference(scenario: Scenario) -> tuple[str, str, Sent]:
    row = Comparison.objects.filter(annotator=scenario.people["one"], preference=None)[0]
    sent = dict.fromkeys(ALL_CRITERIA, "1") | {"comment": WORDS, "version": "0"}
    return "one", f"/compare/{row.pk}/", sent


def ruling(scenario: Scenario) -> tuple[str, str, Sent]:
    sent = {"decision": "mean", "reason_code": "overlooked", "reason": WORDS, "password": PASSWORD}
    return "adjudicator", f"/adjudication/{scenario.conflict.pk}/", sent


FORMS: dict[str, Callable[[Scenario], tuple[str, str, Sent]]] = {
    "a rating": rating,
    "a preference": preference,
    "a ruling": ruling,
}


def stored() -> list[int]:
    return [model.objects.count() for model in (Rating, Preference, Adjudication)]


def sent_again(client: Client, page: Any, path: str) -> Any:
    text = page.content.decode()
    assert WORDS in html.unescape(text)
    assert PASSWORD not in text
    (form,) = [one for one in forms_of(text, path) if one.action == path]
    (pressed,) = form.posts()
    return client.post(path, pressed[1] | {"csrfmiddlewaretoken": token_of(client)}, headers=HERE)


def token_of(client: Client) -> str:
    return client.cookies["csrftoken"].value


def is_taken(form: str, answer: Any) -> bool:
    """Say whether a form that was sent again did all that it could: a ruling needs a password."""
    if form == "a ruling":
        shown = html.unescape(answer.content.decode())
        return answer.status_code == 422 and "is your signature" in shown and "typed," in shown
    return answer.status_code == 303


def visitor(person: User) -> Client:
    client = signed_in(person, enforce_csrf_checks=True, raise_request_exception=False)
    client.get("/login/")
    client.get("/")
    return client


def test_a_form_without_its_token_comes_back_with_all_that_was_typed(scenario) -> None:
    for form, make in FORMS.items():
        who, path, sent = make(scenario)
        client, before = visitor(scenario.people[who]), stored()
        page = client.post(path, sent, headers=HERE)
        assert page.status_code == 403 and AGAIN in page.content.decode(), form
        assert stored() == before, form
        assert is_taken(form, sent_again(client, page, path)), form


NEEDS = {"database or disk is full": 507, "server closed the connection": 503, "": 500}


def test_a_form_that_a_server_in_need_refuses_comes_back(scenario) -> None:
    for form, make in FORMS.items():
        who, path, sent = make(scenario)
        client, before = visitor(scenario.people[who]), stored()
        sent["csrfmiddlewaretoken"] = token_of(client)
        for message, status in NEEDS.items():

            def fail(execute: Any, sql: str, *more: Any, message: str = message) -> Any:
                if sql.startswith(("INSERT", "UPDATE")) and "session" not in sql:
                    raise OperationalError(message) if message else ValueError
                return execute(sql, *more)

            with connection.execute_wrapper(fail):
                page = client.post(path, sent, headers=HERE)
            assert page.status_code == status and stored() == before, form
        assert is_taken(form, sent_again(client, page, path)), form


@pytest.mark.parametrize("form", few(["a ruling", "a preference"]))
def test_a_form_sent_after_the_session_had_ended_is_there_after_the_sign_in(scenario, form) -> None:
    who, path, sent = FORMS[form](scenario)
    # The password is enough: how a second factor carries a form on has a test of its own.
    scenario.people[who].passkeys.all().delete()
    client = Client(enforce_csrf_checks=True)
    client.get("/login/")
    sent["csrfmiddlewaretoken"] = token_of(client)
    answer = client.post(path, sent)
    assert answer.status_code == 307
    assert answer["Location"] == f"/login/?next={path.replace('/', '%2F')}"
    page = client.post(answer["Location"], sent)
    assert page.status_code == 401 and b"What you typed is saved" in page.content
    assert PASSWORD not in page.content.decode()
    carried = {"carried": page.context["carried"], "next": page.context["next"]}
    name = scenario.people[who].username
    signing_in = carried | {"username": name, "csrfmiddlewaretoken": token_of(client)}
    assert client.post("/login/", signing_in | {"password": "wrong"}).status_code == 422
    page = client.post("/login/", signing_in | {"password": PASSWORD})
    assert page.status_code == 200
    assert is_taken(form, sent_again(client, page, path))


def sign_in_after_sending(row: Assignment, sent: Sent) -> Any:
    """Send a rate form without a session and sign in; return what the browser is then shown."""
    row.annotator.set_password(PASSWORD)
    row.annotator.save()
    client, (path, _) = Client(), form_of(row)
    page = client.post(client.post(path, sent)["Location"], sent)
    carried = {"carried": page.context["carried"], "next": page.context["next"]}
    who = {"username": row.annotator.username, "password": PASSWORD}
    return client.post("/login/", carried | who)


def test_a_rating_sent_after_the_session_had_ended_is_a_draft_after_the_sign_in(row) -> None:
    path, sent = form_of(row)
    answer = sign_in_after_sending(row, sent)
    assert (answer.status_code, answer["Location"]) == (302, path)
    assert Draft.objects.get().typed["comment"] == WORDS


def test_after_the_sign_in_both_texts_are_there_where_another_tab_has_saved_a_draft(row) -> None:
    path, sent = form_of(row)
    there = dict.fromkeys(TYPED, "") | {"comment": "from the other tab"}
    save_draft(assignment=row, typed=there, version=0, rating_version=0)
    page = sign_in_after_sending(row, sent)
    text = html.unescape(page.content.decode()).replace("\r\n", "\n")
    assert page.status_code == 409
    assert WORDS.replace("\r\n", "\n") in text and "from the other tab" in text
    assert Draft.objects.get().typed["comment"] == "from the other tab"
    # The person has seen both: the form, sent again, replaces the draft of the other tab.
    (form,) = [one for one in forms_of(page.content.decode(), path) if one.action == path]
    again = page.client.post(f"{path}draft/", form.fields)
    assert again.status_code == 303
    assert Draft.objects.get().typed["comment"] == WORDS


def test_a_text_too_long_for_a_draft_is_still_there_after_the_sign_in(row) -> None:
    _, sent = form_of(row)
    page = sign_in_after_sending(row, sent | {"comment": "long words " * 20_000})
    assert page.status_code == 409
    assert "long words " * 20_000 in page.content.decode()
    assert not Draft.objects.exists()


@pytest.mark.parametrize("form", few(["a preference", "a ruling"]))
def test_somebody_else_who_signs_in_is_not_shown_what_was_typed(scenario, form: str) -> None:
    _, path, sent = FORMS[form](scenario)
    client = Client()
    page = client.post(client.post(path, sent)["Location"], sent)
    carried = {"carried": page.context["carried"], "next": page.context["next"]}
    name = scenario.people["reader"].username
    answer = client.post("/login/", carried | {"username": name, "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, path)
    assert b"typed," not in client.get("/").content


HOSTILE = ("", "x", "[]", "7", "{}", '{"reason": 1}', "\x00", '{"a": "\\u0000"}', "[" * 9999)


def test_hostile_carried_text_never_stops_a_sign_in(scenario) -> None:
    who, path, _ = ruling(scenario)
    sent = {"username": scenario.people[who].username, "password": PASSWORD, "next": path}
    for text in HOSTILE:
        answer = Client().post("/login/", sent | {"carried": text})
        assert (answer.status_code, answer["Location"]) == (302, path), text


ELSEWHERE: list[Sent] = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://testserver.evil.example"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
    {"Referer": "https://evil.example/http://testserver/"},
    {"Origin": "http://[", "Referer": "http://testserver/"},
    {},
]


def test_a_form_of_another_site_is_not_offered_to_be_sent_from_here(row) -> None:
    path, sent = form_of(row)
    client = visitor(row.annotator)
    for headers in ELSEWHERE:
        page = client.post(path, sent, headers=headers)
        assert page.status_code == 403
        assert AGAIN not in page.content.decode() and "I typed" not in page.content.decode()


def test_scripts_calls_and_forms_without_a_field_are_shown_nothing() -> None:
    make, script = RequestFactory(headers=HERE), {"HX-Request": "true"}
    assert resubmitted_form(make.post("/rate/x/", {"comment": "c"})) is not None
    assert resubmitted_form(make.post("/rate/x/", {"comment": "c"}, headers=script)) is None
    assert resubmitted_form(make.post("/api/v1/ratings/", {"comment": "c"})) is None
    assert resubmitted_form(make.post("/logout/", {"csrfmiddlewaretoken": "x"})) is None
    assert resubmitted_form(make.get("/rate/x/", {"comment": "c"})) is None


def test_an_address_that_looks_like_another_host_stays_on_this_one() -> None:
    request = RequestFactory(headers=HERE).post("/x", {"comment": "c"})
    request.path = "//evil.example/x"
    shown = resubmitted_form(request)
    assert shown is not None and shown.action.startswith("/%2Fevil")


def test_secrets_and_tokens_are_left_out_and_choices_are_not_words() -> None:
    secrets = "csrfmiddlewaretoken=t&password=p&new_password1=q&code=1"
    sent = QueryDict(f"{secrets}&reason=vague&decision=take+1&s=1")
    shown = resubmitted_form(RequestFactory(headers=HERE).post("/", sent.dict()))
    assert shown is not None and shown.had_password
    assert [(one.label, one.value) for one in shown.words] == [("Reason", "vague")]
    assert shown.hidden == (("decision", "take 1"), ("s", "1"))


@pytest.mark.parametrize("has_another_role", [False, True])
def test_a_role_that_is_lost_before_the_submit_loses_no_word(row, has_another_role) -> None:
    path, sent = form_of(row)
    person, client = row.annotator, Client(headers=HERE)
    client.force_login(person)
    roles = Membership.objects.filter(user=person)
    lost = list(roles.values("user_id", "campaign_id", "role"))
    roles.delete()
    if has_another_role:
        other = Campaign.objects.create(slug="another", name="Another")
        Membership.objects.create(user=person, campaign=other, role="annotator")
    answer = client.post(path, sent)
    page = html.unescape(answer.content.decode()).replace("\r\n", "\n")
    assert answer.status_code == (404 if has_another_role else 403)
    assert WORDS.replace("\r\n", "\n") in page and "kept as your draft" in page
    assert Draft.objects.get(assignment__pk=path.split("/")[2]).typed["comment"] == WORDS
    Membership.objects.bulk_create(Membership(**one) for one in lost)
    again = html.unescape(client.get(path).content.decode())
    assert WORDS.replace("\r\n", "\n") in again.replace("\r\n", "\n")


def test_nobody_keeps_words_at_what_was_never_theirs(cast: Cast, row: Assignment) -> None:
    path, sent = form_of(row)
    for person in (cast.bob, cast.carol):
        client = signed_in(person, headers=HERE)
        answer = client.post(path, sent)
        assert answer.status_code in {403, 404} and b"kept as your draft" not in answer.content
        assert client.post("/campaigns/elsewhere/next/").status_code in {403, 404}
    assert not Draft.objects.exists()
