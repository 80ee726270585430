"""Importing on the web: a file is checked, shown, and stored when its admin says so."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.campaigns.services import close_campaign
from annotator.imports import services as imports_services
from annotator.imports.files import stored_uploads
from annotator.imports.services import carry_out_import, request_import
from annotator.models import Candidate, ClaimImport, ImportStage, Reference
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import bad, drop_at_once, file, good
from tests.conftest import grant, make_user

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/import/"


@pytest.fixture(autouse=True)
def rung(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep files apart; give the imports that a worker was rung for."""
    settings.DATA_DIR = tmp_path
    drop_at_once(monkeypatch)
    found: list[Any] = []
    monkeypatch.setattr("annotator.imports.views.enqueue_on_commit", found.append)
    return found


@pytest.fixture
def ada(cast) -> Client:
    client = Client()
    client.force_login(cast.ada)
    return client


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL_BYTES", "SMALL_PACKED_BYTES"):
        monkeypatch.setattr(imports_services, name, 0)


def upload(client: Client, content: bytes, name: str = "claims.jsonl", **more: str) -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile(name, content), **more})


def page_of(row: ClaimImport) -> str:
    return f"/campaigns/cups/imports/{row.pk}/"


def text(answer: Any) -> str:
    """Return what a page says, without its tags."""
    words = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", words)


def test_a_good_file_is_shown_first_and_stored_when_asked(ada: Client, rung: list[Any]) -> None:
    answer = upload(ada, good(3), may_train="on")
    row = ClaimImport.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, page_of(row))
    found = text(ada.get(page_of(row)))
    for words in ("Checked, not stored.", "ref-0", "claims-jsonl", row.file_sha256, "Import these"):
        assert words in found
    assert "References 3 0" in found and "Candidates 6 0" in found
    assert not Reference.objects.exists()
    answer = ada.post(f"{page_of(row)}confirm/")
    assert (answer.status_code, answer["Location"]) == (303, page_of(row))
    assert Reference.objects.filter(may_train=True).count() == 3
    assert "Stored." in text(ada.get(page_of(row)))
    assert rung == []


def test_a_bad_file_is_answered_with_the_list_and_the_form(ada: Client) -> None:
    answer = upload(ada, bad(), format="claims-jsonl", may_train="on")
    found, html = text(answer), answer.content.decode()
    assert answer.status_code == 422
    assert "line 2 reference_claims empty" in found
    assert "line 3 scroe unknown field" in found
    assert 'value="claims-jsonl" selected' in html and "checked" in html
    assert re.search(r'<input type="file"[^>]*autofocus', html)
    assert not Reference.objects.exists()


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "Choose a file."),
        ({"file": "words"}, "Choose a file."),
        ({"file": SimpleUploadedFile("empty.csv", b"")}, "0 records"),
        ({"file": [SimpleUploadedFile(n, good(1)) for n in "ab"]}, "More than one file"),
        ({"file": SimpleUploadedFile("a", good(1)), "format": "xls"}, "Select a valid choice"),
        ({"file": SimpleUploadedFile("a.csv", '{"é": 1}'.encode("utf-16"))}, "UTF-16"),
        ({"file": SimpleUploadedFile("a.xlsx", b"PK\x03\x04rest")}, "Office document"),
    ],
    ids=["nothing", "no file", "empty", "two", "unknown format", "utf-16", "office"],
)
def test_what_cannot_be_imported_is_answered_422_with_a_message(
    ada: Client, sent: dict[str, Any], words: str
) -> None:
    answer = ada.post(PAGE, sent)
    assert answer.status_code == 422
    assert words in text(answer)
    assert list(stored_uploads()) == []


def test_a_file_past_the_limit_is_answered_413(ada: Client, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    answer = upload(ada, good(3))
    assert answer.status_code == 413
    assert not ClaimImport.objects.exists()


def test_a_long_file_waits_for_a_worker_and_its_page_asks_until_it_is_over(
    cast, ada: Client, rung: list[Any], nothing_is_small: None
) -> None:
    upload(ada, good(2))
    row = ClaimImport.objects.get()
    assert [one.pk for one in rung] == [row.pk]
    progress = f"{page_of(row)}progress/"
    for path in (page_of(row), progress):
        answer = ada.get(path)
        assert answer.status_code == 200
        html = answer.content.decode()
        assert f'hx-get="{progress}" hx-trigger="every 2s"' in html
        assert "<progress" in html and "Look again" in html
    carry_out_import(row.pk)
    answer = ada.get(progress)
    assert answer.status_code == 286
    assert b"hx-get" not in answer.content and b"Import these" in answer.content
    ada.post(f"{page_of(row)}confirm/")
    assert len(rung) == 2
    assert ada.get(progress).status_code == 200
    carry_out_import(row.pk)
    assert ada.get(progress).status_code == 286
    assert Reference.objects.count() == 2


def test_a_bad_long_file_has_its_list_on_the_page_of_the_import(
    ada: Client, nothing_is_small: None
) -> None:
    assert upload(ada, bad()).status_code == 303
    row = ClaimImport.objects.get()
    carry_out_import(row.pk)
    found = text(ada.get(page_of(row)))
    assert "Refused." in found and "line 3 scroe unknown field" in found


@pytest.mark.parametrize("is_checked", [False, True])
def test_an_import_is_given_up_by_its_button(
    ada: Client, nothing_is_small: None, is_checked: bool
) -> None:
    upload(ada, good(1))
    row = ClaimImport.objects.get()
    if is_checked:
        carry_out_import(row.pk)
    answer = ada.post(f"{page_of(row)}cancel/", follow=True)
    assert "nothing of this file is stored" in text(answer)
    row.refresh_from_db()
    assert row.status == JobStatus.CANCELLED
    assert "ended already" in text(ada.post(f"{page_of(row)}cancel/", follow=True))
    assert "does not wait" in text(ada.post(f"{page_of(row)}confirm/", follow=True))
    assert not Reference.objects.exists()


def test_a_second_click_on_import_these_stores_nothing_twice(ada: Client) -> None:
    upload(ada, good(2))
    row = ClaimImport.objects.get()
    assert ada.post(f"{page_of(row)}confirm/").status_code == 303
    assert ada.post(f"{page_of(row)}confirm/").status_code == 303
    assert Candidate.objects.count() == 4


def test_a_closed_campaign_takes_no_file_and_says_why(cast, ada: Client) -> None:
    upload(ada, good(1))
    row = ClaimImport.objects.get()
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    assert "<form" not in ada.get(PAGE).content.decode().split('id="main"')[1]
    assert b"Import these" not in ada.get(page_of(row)).content
    answer = upload(ada, good(1))
    assert answer.status_code == 409 and "closed" in text(answer)
    assert "closed" in text(ada.post(f"{page_of(row)}confirm/", follow=True))
    assert not Reference.objects.exists()


NAMES = {
    "path": ("../../etc/passwd", "passwd"),
    "markup": ("<img src=x onerror=alert(1)>.csv", "&lt;img src=x onerror=alert(1)&gt;.csv"),
    "turned": ("claims\u202elnosj.csv", "claimslnosj.csv"),
    "arabic": ("أسد.csv", "أسد.csv"),
    "long": ("y" * 300, "y" * 255),
    "template": ("{{7*7}}.csv", "{{7*7}}.csv"),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_file_is_shown_as_text_that_turns_nothing(ada: Client, name: str) -> None:
    sent, shown = NAMES[name]
    upload(ada, good(1), sent)
    row = ClaimImport.objects.get()
    for path in (PAGE, page_of(row)):
        html = ada.get(path).content.decode()
        assert f'<bdi translate="no">{shown}</bdi>' in html
        assert "<img" not in html and "\u202e" not in html and "etc/passwd" not in html
    assert [str(pk) for pk, _ in stored_uploads()] == [str(row.pk)]


def test_the_list_names_every_import_with_who_when_and_how_many(cast, ada: Client) -> None:
    upload(ada, good(2), "first.jsonl")
    ada.post(f"{page_of(ClaimImport.objects.get())}confirm/")
    upload(ada, bad(), "second.jsonl")
    found = text(ada.get(PAGE))
    assert "second.jsonl" in found.split("first.jsonl")[0]
    row = ClaimImport.objects.get(stage=ImportStage.APPLY)
    when = row.created_at.strftime("%Y-%m-%d %H:%M")
    assert f"first.jsonl {when} ada stored 2 4 {row.file_sha256[:12]}" in found
    assert re.search(r"ada refused \D \D \w{12}", found)


def test_the_campaign_page_leads_to_the_imports(ada: Client) -> None:
    assert f'href="{PAGE}"' in ada.get("/campaigns/cups/").content.decode()


@pytest.mark.parametrize("name", ["alice", "carol", "rita", "mallory"])
def test_nobody_else_sees_or_does_anything_of_it(cast, name: str) -> None:
    row = request_import(campaign=cast.campaign, file=file(good(1)), file_name="a.jsonl")
    carry_out_import(row.pk)
    client = Client()
    client.force_login(getattr(cast, name))
    status = 404 if name == "mallory" else 403
    for path in (PAGE, page_of(row), f"{page_of(row)}progress/"):
        assert client.get(path).status_code == status
    for path in (PAGE, f"{page_of(row)}confirm/", f"{page_of(row)}cancel/"):
        assert client.post(path, {"file": SimpleUploadedFile("a", good(1))}).status_code == status
    row.refresh_from_db()
    assert row.status == JobStatus.SUCCEEDED
    assert not Reference.objects.exists()


def test_an_import_of_another_campaign_is_not_found(cast, ada: Client) -> None:
    row = request_import(campaign=cast.elsewhere, file=file(good(1)), file_name="a.jsonl")
    for method, path in (
        ("get", ""),
        ("get", "progress/"),
        ("post", "confirm/"),
        ("post", "cancel/"),
    ):
        assert getattr(ada, method)(f"{page_of(row)}{path}").status_code == 404
    row.refresh_from_db()
    assert row.status == JobStatus.QUEUED


def test_two_admins_with_one_file_have_one_effect(cast, ada: Client) -> None:
    eve = Client()
    eve.force_login(grant(make_user("eve"), cast.campaign, "admin"))
    for client in (ada, eve):
        upload(client, good(2))
    for client, row in zip((ada, eve), ClaimImport.objects.order_by("created_at"), strict=True):
        client.post(f"{page_of(row)}confirm/")
    counts = [row.result["stored"]["references"] for row in ClaimImport.objects.all()]
    assert sorted(counts) == [0, 2]
    assert Reference.objects.count() == 2
