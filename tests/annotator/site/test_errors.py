"""Pages for what cannot be answered."""

import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory

from annotator.site.errors import server_error


@pytest.mark.django_db
def test_a_wrong_address_is_404_with_a_way_home(client: Client) -> None:
    answer = client.get("/no/such/")
    assert answer.status_code == 404
    assert b'href="/"' in answer.content


def test_a_refusal_names_the_account_and_lets_it_sign_out(client: Client, cast) -> None:
    client.force_login(cast.rita)
    answer = client.get("/rated/")
    assert answer.status_code == 403
    assert b"<strong>rita</strong>" in answer.content and b"/logout/" in answer.content


def test_the_page_of_a_fault_needs_no_database() -> None:
    # Without the database fixture a query would raise, as it would with the server gone.
    answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert b"Something went wrong" in answer.content


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/api/v1/campaigns/"])
def test_a_database_that_does_not_answer_is_503_and_says_what_to_do(
    client: Client, path: str
) -> None:
    client.raise_request_exception = False

    def fail(*_: object) -> None:
        raise OperationalError("server closed the connection at secret-host")

    with connection.execute_wrapper(fail):
        client.cookies["sessionid"] = "a" * 32
        answer = client.get(path)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert b"send it again" in answer.content and b"secret-host" not in answer.content
    assert ("json" in answer["Content-Type"]) == path.startswith("/api/")


@pytest.mark.django_db
def test_too_many_fields_are_400(client: Client, cast) -> None:
    row = cast.assign(cast.alice, cast.reference())[0]
    client.force_login(cast.alice)
    answer = client.post(f"/rate/{row.pk}/", {f"f{n}": "1" for n in range(2000)})
    assert answer.status_code == 400
    assert b"could not be read" in answer.content


@pytest.mark.parametrize("page", ["/", "/rated/", "/rubric/", "/login/", "/none/"])
def test_every_page_has_a_strict_policy_and_stays_out_of_caches(client, cast, page: str) -> None:
    client.force_login(cast.alice)
    answer = client.get(page)
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "no-store" in answer["Cache-Control"]
    html = answer.content.decode()
    assert " style=" not in html and "hx-on" not in html and "onclick" not in html
    assert "<script>" not in html and "<style" not in html
    assert "http://" not in html and "https://" not in html
