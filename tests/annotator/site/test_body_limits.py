import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve

from annotator.accounts.sessions import create_token
from annotator.imports.files import arrivals_directory
from annotator.models import ClaimImport, User
from annotator.site.middleware import BODY_TO_COME, GO_ON, UPLOADER, BodyLimit
from tests.conftest import grant

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/import/"
API = "/api/v1/campaigns/cups/claim-sets/import/"
MULTIPART = "multipart/form-data; boundary=x"


class Unread(io.BytesIO):
    """A body of which nothing may be read."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError("the body was read")

    readline = read


@pytest.fixture(autouse=True)
def small(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.MAX_UPLOAD_BYTES = 10_000_000


def announce(
    path: str,
    length: object,
    user: User | None = None,
    *,
    is_to_come: bool = False,
    **headers: str,
) -> Any:
    """Send a form whose length is announced, and whose body must not be touched."""
    client = Client(headers=headers, raise_request_exception=True)
    if user:
        client.force_login(user)
    request = {
        "PATH_INFO": path,
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": MULTIPART,
        "CONTENT_LENGTH": str(length),
        "wsgi.input": Unread(),
        BODY_TO_COME: is_to_come,
    }
    return client.request(**request)


@pytest.mark.parametrize("length", [10_000_000 + 65_537, 2 * 1024**3, "9" * 40])
def test_a_file_past_the_limit_is_refused_before_it_is_read(cast, length: object) -> None:
    page = announce(PAGE, length, cast.ada)
    assert page.status_code == 413 and b"too long" in page.content
    answer = announce(API, length, cast.ada)
    assert answer.status_code == 413 and "10,000,000" in answer.json()["detail"]
    token = {"Authorization": f"Token {create_token(user=cast.ada).token}"}
    assert announce(API, length, **token).status_code == 413


@pytest.mark.parametrize("who", [None, "alice", "carol", "rita"])
@pytest.mark.parametrize("path", [PAGE, API])
def test_nobody_who_may_not_import_has_a_file_read(cast, who: str | None, path: str) -> None:
    user = getattr(cast, who) if who else None
    assert announce(path, 3_000_000, user).status_code == 413


@pytest.mark.parametrize("path", ["/login/", "/campaigns/cups/rules/", "/api/v1/ratings/"])
def test_no_other_address_takes_a_file(cast, path: str) -> None:
    assert announce(path, 3_000_000, cast.ada).status_code == 413


ELSEWHERE, NOWHERE = (
    f"/api/v1/campaigns/{slug}/claim-sets/import/" for slug in ("elsewhere", "nosuch")
)


@pytest.mark.parametrize("is_to_come", [True, False])
def test_a_token_that_opens_no_import_is_refused_before_its_file_is_taken(
    cast: Any, is_to_come: bool
) -> None:
    def status(header: str, path: str = API) -> int:
        answer = announce(path, 3_000_000, is_to_come=is_to_come, Authorization=header)
        return int(answer.status_code)

    def header(user: User, **scope: Any) -> str:
        return f"Token {create_token(user=user, **scope).token}"

    grant(cast.alice, cast.elsewhere, "admin")
    assert [status(bogus) for bogus in ("Token bogus", "Token a b")] == [401] * 2
    assert [status(bogus) for bogus in ("Basic YTpi", "Token")] == [413] * 2
    assert status(header(cast.ada, scope="read")) == 403
    assert status(header(cast.alice)) == 403
    assert status(header(cast.alice, campaign=cast.elsewhere)) == 404
    assert [status(header(cast.ada), path) for path in (ELSEWHERE, NOWHERE)] == [404, 404]


@pytest.mark.parametrize("path", [API, PAGE])
def test_an_admin_is_asked_for_their_file_and_named(cast: Any, path: str) -> None:
    answer = announce(path, 3_000_000, cast.ada, is_to_come=True)
    assert (answer.status_code, answer[UPLOADER]) == (GO_ON, str(cast.ada.pk))
    if path == API:
        header = f"Token {create_token(user=cast.ada).token}"
        answer = announce(path, 3_000_000, is_to_come=True, Authorization=header)
        assert (answer.status_code, answer[UPLOADER]) == (GO_ON, str(cast.ada.pk))


@pytest.mark.parametrize("path", [ELSEWHERE, ELSEWHERE[7:].replace("claim-sets/", "")])
def test_an_admin_of_another_campaign_is_not_asked_for_a_file(cast: Any, path: str) -> None:
    for place in (path, path.replace("elsewhere", "nosuch")):
        assert announce(place, 3_000_000, cast.ada, is_to_come=True).status_code == 413


def test_who_must_set_up_a_second_factor_is_not_asked_for_a_file(cast: Any, settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    for path in (PAGE, API):
        assert announce(path, 3_000_000, cast.ada, is_to_come=True).status_code == 413


def test_nothing_is_looked_up_for_a_body_that_a_form_may_have(
    cast: Any, django_assert_num_queries: Any
) -> None:
    header = f"Token {create_token(user=cast.ada).token}"
    request = RequestFactory(headers={"Authorization": header}).post(API)
    request.META["CONTENT_LENGTH"] = str(2 * 1024 * 1024)
    request.resolver_match = resolve(API)
    limit = BodyLimit(lambda request: HttpResponse())
    with django_assert_num_queries(0):
        answer = limit.process_view(request, None, (), request.resolver_match.kwargs)
    assert answer is None


def test_a_body_without_a_length_is_empty(cast) -> None:
    assert announce(PAGE, "", cast.ada).status_code == 422
    assert not ClaimImport.objects.exists()


@pytest.mark.parametrize("name", ["a." + "x" * 300, "../../etc/passwd", "a\u202ecod.jsonl", "con"])
def test_a_file_on_its_way_lies_nameless_in_the_data_folder(cast, client, name, monkeypatch):
    seen: list[Path] = []

    def look(**kwargs: Any) -> Any:
        seen.extend(arrivals_directory().iterdir())
        raise RuntimeError("seen")

    monkeypatch.setattr("annotator.imports.views.request_import", look)
    client.force_login(cast.ada)
    with pytest.raises(RuntimeError):
        client.post(PAGE, {"file": SimpleUploadedFile(name, b"x" * 3_000_000)})
    (path,) = seen
    assert path.name.isalnum() or path.name.startswith("tmp")
    assert list(arrivals_directory().iterdir()) == []
