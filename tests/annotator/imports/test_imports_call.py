from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.imports.files import stored_uploads
from annotator.imports.services import carry_out_import
from annotator.models import ClaimImport, Reference, TokenScope
from tests.annotator.imports.import_files import bad, good

pytestmark = pytest.mark.django_db

PATH = "/api/v1/campaigns/cups/claim-sets/import/"


@pytest.fixture
def ada(cast) -> Client:
    token = create_token(user=cast.ada, scope=TokenScope.WRITE).token
    return Client(headers={"Authorization": f"Token {token}"})


def send(client: Client, content: bytes, path: str = PATH, **more: str) -> Any:
    return client.post(path, {"file": SimpleUploadedFile("claims.jsonl", content), **more})


def test_a_small_file_is_stored_at_once_and_the_counts_come_back(ada) -> None:
    answer = send(ada, good(3), may_train="true")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert (body["status"], body["is_stored"]) == ("succeeded", True)
    assert body["format"] == "claims-jsonl"
    assert body["counts"]["references"] == 3 and body["counts"]["candidates"] == 6
    assert Reference.objects.filter(may_train=True).count() == 3


def test_a_bad_file_is_answered_422_with_its_records(ada) -> None:
    answer = send(ada, bad())
    assert answer.status_code == 422
    body = answer.json()
    found = [(one["line"], one["field"]) for one in body["bad_records"]]
    assert found == [(2, "reference_claims"), (3, "scroe")]
    assert body["status"] == "failed" and body["message"].startswith("Refused")
    assert not Reference.objects.exists()


def test_a_dry_run_stores_nothing_until_it_is_confirmed(ada) -> None:
    answer = send(ada, good(2), dry_run="true")
    body = answer.json()
    assert (answer.status_code, body["is_stored"]) == (200, False)
    assert body["counts"]["references"] == 2
    assert not Reference.objects.exists()
    assert ada.get(body["url"]).json() == body
    done = ada.post(f"{body['url']}confirm/")
    assert (done.status_code, done.json()["is_stored"]) == (200, True)
    assert Reference.objects.count() == 2
    again = ada.post(f"{body['url']}confirm/")
    assert again.status_code == 409 and "does not wait" in again.json()["detail"]


def test_a_dry_run_is_given_up_by_cancelling(ada) -> None:
    url = send(ada, good(2), dry_run="true").json()["url"]
    answer = ada.post(f"{url}cancel/")
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert ada.post(f"{url}cancel/").status_code == 409
    assert list(stored_uploads()) == []


def test_a_long_file_is_accepted_and_followed_by_its_address(ada, enqueued, nothing_is_small):
    answer = send(ada, good(2))
    assert answer.status_code == 202
    body = answer.json()
    assert body["status"] == "queued" and [str(row.pk) for row in enqueued] == [body["id"]]
    carry_out_import(body["id"])
    done = ada.get(body["url"]).json()
    assert (done["status"], done["stage"], done["progress"]) == ("succeeded", "apply", 1.0)
    assert Reference.objects.count() == 2


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "file"),
        ({"file": "words"}, "file"),
        ({"file": [SimpleUploadedFile(name, good(1)) for name in "ab"]}, "file"),
        ({"format": "xls"}, "format"),
        ({"may_train": "perhaps"}, "may_train"),
        ({"dry_run": "x"}, "dry_run"),
        ({"scroe": "1"}, "scroe"),
    ],
    ids=["nothing", "no file", "two files", "format", "may_train", "dry_run", "misspelt"],
)
def test_a_wrong_call_is_answered_400_by_field(ada, sent: dict[str, Any], field: str) -> None:
    whole = sent if field == "file" else {"file": SimpleUploadedFile("a", good(1)), **sent}
    answer = ada.post(PATH, whole)
    assert answer.status_code == 400
    assert field in answer.json()
    assert not ClaimImport.objects.exists()


@pytest.mark.parametrize("kind", ["text/csv", "application/x-www-form-urlencoded"])
def test_a_body_of_another_kind_is_answered_415(ada, kind: str) -> None:
    answer = ada.generic("POST", PATH, good(1), content_type=kind)
    assert answer.status_code == 415
    assert not ClaimImport.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"--x\r\nbroken",
        b"",
        b"--x\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\nab",
    ],
    ids=["broken", "empty", "cut short"],
)
def test_a_broken_form_is_no_error_of_the_server(ada, body: bytes) -> None:
    kind = "multipart/form-data; boundary=x"
    answer = ada.generic("POST", PATH, body, content_type=kind)
    assert answer.status_code in {400, 422}
    assert not Reference.objects.exists()
    assert list(stored_uploads()) == []


def test_a_file_past_the_limit_is_answered_413(ada, settings) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    answer = send(ada, good(1))
    assert answer.status_code == 413 and "10 bytes" in answer.json()["detail"]


def test_the_schema_describes_the_upload(cast, ada, client: Client) -> None:
    client.force_login(cast.ada)
    schema = client.get("/api/v1/schema/?format=json").json()
    post = schema["paths"]["/api/v1/campaigns/{slug}/claim-sets/import/"]["post"]
    assert list(post["requestBody"]["content"]) == ["multipart/form-data", "application/json"]
    assert {"200", "202", "422"} <= set(post["responses"])
