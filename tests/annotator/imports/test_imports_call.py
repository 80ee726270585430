"""Importing over REST: a file in, counts or bad records out, the same file again without effect."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.campaigns.services import close_campaign
from annotator.imports import services as imports_services
from annotator.imports.files import arrivals_directory, stored_uploads
from annotator.imports.services import carry_out_import
from annotator.models import ClaimImport, Reference, TokenScope, User
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import bad, drop_at_once, good

pytestmark = pytest.mark.django_db

PATH = "/api/v1/campaigns/cups/claim-sets/import/"


@pytest.fixture(autouse=True)
def rung(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    settings.DATA_DIR = tmp_path
    drop_at_once(monkeypatch)
    found: list[Any] = []
    monkeypatch.setattr("annotator.imports.api.enqueue_on_commit", found.append)
    return found


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL_BYTES", "SMALL_PACKED_BYTES"):
        monkeypatch.setattr(imports_services, name, 0)


def caller(user: User, scope: str = TokenScope.WRITE) -> Client:
    token = create_token(user=user, scope=scope).token
    return Client(headers={"Authorization": f"Token {token}"})


def send(client: Client, content: bytes, path: str = PATH, **more: str) -> Any:
    return client.post(path, {"file": SimpleUploadedFile("claims.jsonl", content), **more})


def test_a_small_file_is_stored_at_once_and_the_counts_come_back(cast) -> None:
    answer = send(caller(cast.ada), good(3), may_train="true")
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert (told["status"], told["is_stored"], told["format"]) == (
        "succeeded",
        True,
        "claims-jsonl",
    )
    assert told["counts"]["references"] == 3 and told["counts"]["candidates"] == 6
    assert Reference.objects.filter(may_train=True).count() == 3


def test_the_same_file_again_has_no_effect_and_says_so(cast) -> None:
    ada = caller(cast.ada)
    send(ada, good(3))
    told = send(ada, good(3)).json()
    assert told["counts"]["references"] == 0 and told["counts"]["known_references"] == 3
    assert told["message"].startswith("0 new")
    assert Reference.objects.count() == 3


def test_a_bad_file_is_answered_422_with_its_records(cast) -> None:
    answer = send(caller(cast.ada), bad())
    assert answer.status_code == 422
    told = answer.json()
    assert [(one["line"], one["field"]) for one in told["bad_records"]] == [
        (2, "reference_claims"),
        (3, "scroe"),
    ]
    assert told["status"] == "failed" and told["message"].startswith("Refused")
    assert not Reference.objects.exists()


def test_a_dry_run_stores_nothing_until_it_is_confirmed(cast) -> None:
    ada = caller(cast.ada)
    answer = send(ada, good(2), dry_run="true")
    told = answer.json()
    assert (answer.status_code, told["is_stored"]) == (200, False)
    assert told["counts"]["references"] == 2
    assert not Reference.objects.exists()
    assert ada.get(told["url"]).json() == told
    done = ada.post(f"{told['url']}confirm/")
    assert (done.status_code, done.json()["is_stored"]) == (200, True)
    assert Reference.objects.count() == 2
    again = ada.post(f"{told['url']}confirm/")
    assert again.status_code == 409 and "does not wait" in again.json()["detail"]


def test_a_dry_run_is_given_up_by_cancelling(cast) -> None:
    ada = caller(cast.ada)
    url = send(ada, good(2), dry_run="true").json()["url"]
    answer = ada.post(f"{url}cancel/")
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert ada.post(f"{url}cancel/").status_code == 409
    assert list(stored_uploads()) == []


def test_a_long_file_is_accepted_and_followed_by_its_address(
    cast, rung: list[Any], nothing_is_small: None
) -> None:
    ada = caller(cast.ada)
    answer = send(ada, good(2))
    assert answer.status_code == 202
    told = answer.json()
    assert told["status"] == "queued" and [str(row.pk) for row in rung] == [told["id"]]
    carry_out_import(told["id"])
    done = ada.get(told["url"]).json()
    assert (done["status"], done["stage"], done["progress"]) == ("succeeded", "apply", 1.0)
    assert Reference.objects.count() == 2


def test_a_packed_file_is_unpacked(cast) -> None:
    answer = send(caller(cast.ada), gzip.compress(good(2)))
    assert answer.status_code == 200, answer.content
    assert Reference.objects.count() == 2


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "file"),
        ({"file": "words"}, "file"),
        ({"format": "xls"}, "format"),
        ({"may_train": "perhaps"}, "may_train"),
        ({"dry_run": "x"}, "dry_run"),
        ({"scroe": "1"}, "scroe"),
    ],
    ids=["nothing", "no file", "format", "may_train", "dry_run", "misspelt"],
)
def test_a_wrong_call_is_answered_400_by_field(cast, sent: dict[str, str], field: str) -> None:
    whole = sent if field == "file" else {"file": SimpleUploadedFile("a", good(1)), **sent}
    answer = caller(cast.ada).post(PATH, whole)
    assert answer.status_code == 400
    assert field in answer.json()
    assert not ClaimImport.objects.exists()


def test_two_files_in_one_call_are_refused(cast) -> None:
    files = [SimpleUploadedFile(name, good(1)) for name in "ab"]
    assert "file" in caller(cast.ada).post(PATH, {"file": files}).json()
    assert not ClaimImport.objects.exists()


@pytest.mark.parametrize(
    "kind", ["application/json", "text/csv", "application/x-www-form-urlencoded"]
)
def test_a_body_of_another_kind_is_answered_415(cast, kind: str) -> None:
    answer = caller(cast.ada).generic("POST", PATH, good(1), content_type=kind)
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
def test_a_broken_form_is_no_error_of_the_server(cast, body: bytes) -> None:
    kind = "multipart/form-data; boundary=x"
    answer = caller(cast.ada).generic("POST", PATH, body, content_type=kind)
    assert answer.status_code in {400, 422}
    assert not Reference.objects.exists()
    assert list(arrivals_directory().iterdir()) == []


def test_a_closed_campaign_answers_409(cast) -> None:
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    answer = send(caller(cast.ada), good(1))
    assert answer.status_code == 409 and "closed" in answer.json()["detail"]


def test_a_file_past_the_limit_is_answered_413(cast, settings) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    answer = send(caller(cast.ada), good(1))
    assert answer.status_code == 413 and "10 bytes" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("name", "status"), [("alice", 403), ("carol", 403), ("rita", 403), ("mallory", 404)]
)
def test_only_admins_of_the_campaign_import(cast, name: str, status: int) -> None:
    url = send(caller(cast.ada), good(1), dry_run="true").json()["url"]
    client = caller(getattr(cast, name))
    assert send(client, good(1)).status_code == status
    assert client.get(url).status_code == status
    for act in ("confirm", "cancel"):
        assert client.post(f"{url}{act}/").status_code == status
    assert ClaimImport.objects.get().status == JobStatus.SUCCEEDED
    assert not Reference.objects.exists()


def test_a_read_token_reads_and_writes_nothing(cast) -> None:
    url = send(caller(cast.ada), good(1), dry_run="true").json()["url"]
    reader = caller(cast.ada, TokenScope.READ)
    assert reader.get(url).status_code == 200
    assert send(reader, good(1)).status_code == 403
    assert reader.post(f"{url}confirm/").status_code == 403


def test_no_answer_holds_a_claim_text(cast) -> None:
    ada = caller(cast.ada)
    for content in (good(2), bad()):
        answer = send(ada, content, dry_run="true")
        assert "cup number" not in json.dumps(answer.json())


def test_the_schema_describes_the_upload(cast, client: Client) -> None:
    client.force_login(cast.ada)
    schema = client.get("/api/v1/schema/?format=json").json()
    post = schema["paths"]["/api/v1/campaigns/{slug}/claim-sets/import/"]["post"]
    assert list(post["requestBody"]["content"]) == ["multipart/form-data"]
    assert {"200", "202", "422"} <= set(post["responses"])
