import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import ClaimImport, User

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


@pytest.mark.parametrize("path", ["/login/", "/campaigns/cups/rules/", "/api/v1/ratings/"])
def test_no_other_address_takes_a_file(cast, path: str) -> None:
    assert announce(path, 3_000_000, cast.ada).status_code == 413


def test_a_body_without_a_length_is_empty(cast) -> None:
    assert announce(PAGE, "", cast.ada).status_code == 422
    assert not ClaimImport.objects.exists()


@pytest.mark.parametrize("name", ["a." + "x" * 300, "../../etc/passwd", "a\u202ecod.jsonl", "con"])
def test_the_name_of_a_file_may_be_any(cast, client, name, tmp_path) -> None:
    client.force_login(cast.ada)
    answer = client.post(PAGE, {"file": SimpleUploadedFile(name, b"x" * 3_000_000)})
    assert answer.status_code in (303, 422)
    assert name not in {path.name for path in tmp_path.rglob("*")}
