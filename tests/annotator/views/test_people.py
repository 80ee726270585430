"""Sign in and sign out."""

import pytest
from django.test import Client

PASSWORD = "a long enough phrase"

pytestmark = pytest.mark.embedded


@pytest.fixture
def alice(cast):
    cast.alice.set_password(PASSWORD)
    cast.alice.save()
    return cast.alice


def sign_in(client: Client, username: str = "alice", password: str = PASSWORD, **more: str):
    return client.post("/login/", {"username": username, "password": password, **more})


def test_signing_in_leads_home(client: Client, alice) -> None:
    assert sign_in(client)["Location"] == "/"
    assert client.get("/").status_code == 200


def test_signing_in_leads_back_to_where_one_was_going(client: Client, alice) -> None:
    assert sign_in(client, next="/rubric/")["Location"] == "/rubric/"
    assert b'value="/rubric/"' in Client().get("/login/?next=/rubric/").content


@pytest.mark.parametrize(
    "target",
    [
        *("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"),
        *("/%2f%2fevil.example", "/\tfoo", "/ok\r\nX: y"),
    ],
)
def test_next_never_leads_to_another_site(client: Client, alice, target: str) -> None:
    answer = sign_in(client, next=target)
    assert answer.status_code == 302
    location = answer["Location"]
    assert location.startswith("/") and not location.startswith(("//", "/\\"))
    assert not set("\r\n\t") & set(location)
    assert "X" not in answer.headers


def test_an_unknown_name_and_a_wrong_password_are_answered_alike(client: Client, alice) -> None:
    answers = [sign_in(client, "alice", "wrong"), sign_in(client, "nobody", "wrong")]
    assert [answer.status_code for answer in answers] == [422, 422]
    texts = [
        answer.content.decode().replace("nobody", "alice").split("csrfmiddlewaretoken")[-1][100:]
        for answer in answers
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["a\x00b", "x" * 5000, "\u202ealice", "alice\u200d", ""])
def test_an_odd_user_name_is_refused_without_a_fault(client: Client, alice, name: str) -> None:
    assert sign_in(client, name).status_code == 422


def test_a_deactivated_account_cannot_sign_in(client: Client, alice) -> None:
    alice.is_active = False
    alice.save()
    assert sign_in(client).status_code == 422


def test_a_sign_in_from_another_site_gets_plain_words_and_a_way_back(alice) -> None:
    answer = sign_in(Client(enforce_csrf_checks=True))
    assert answer.status_code == 403
    assert b"The form was not accepted" in answer.content
    assert b'href="/login/"' in answer.content


def test_signing_out_ends_the_session_and_clears_the_browser(client: Client, alice) -> None:
    client.force_login(alice)
    answer = client.post("/logout/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/")
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert client.get("/")["Location"] == "/login/?next=%2F"


def test_a_link_cannot_sign_anyone_out(client: Client, alice) -> None:
    client.force_login(alice)
    assert client.get("/logout/").status_code == 405
    assert client.get("/").status_code == 200
