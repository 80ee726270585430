import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.campaigns.services import close_campaign
from annotator.imports.files import stored_uploads
from annotator.imports.queries import Counted, ImportPage, imports_of, recent_imports
from annotator.imports.services import carry_out_import, request_import
from annotator.models import ClaimImport, ImportStage, Reference
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import bad, file, good

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PAGE = "/campaigns/cups/import/"


def upload(client: Client, content: bytes, name: str = "claims.jsonl", **more: str) -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile(name, content), **more})


def page_of(row: ClaimImport) -> str:
    return f"/campaigns/cups/imports/{row.pk}/"


def text(answer: Any) -> str:
    words = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", words)


def test_a_good_file_is_shown_first_and_stored_when_asked(ada: Client, enqueued: list[Any]) -> None:
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
    assert enqueued == []


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
        ({}, "Choose a file, or paste the claims."),
        ({"file": "words"}, "Choose a file, or paste the claims."),
        ({"file": [SimpleUploadedFile(n, good(1)) for n in "ab"]}, "More than one file"),
        ({"file": SimpleUploadedFile("a", good(1)), "format": "xls"}, "Select a valid choice"),
    ],
    ids=["nothing", "no file", "two", "unknown format"],
)
def test_what_cannot_be_imported_is_answered_422_in_words(ada, sent, words) -> None:
    answer = ada.post(PAGE, sent)
    assert answer.status_code == 422
    assert words in text(answer)
    assert list(stored_uploads()) == []


def test_a_file_past_the_limit_is_answered_413(ada: Client, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    answer = upload(ada, good(3))
    assert answer.status_code == 413
    assert not ClaimImport.objects.exists()


def test_a_long_file_waits_for_a_worker_while_its_page_asks(cast, ada, enqueued, nothing_is_small):
    upload(ada, good(2))
    row = ClaimImport.objects.get()
    assert [one.pk for one in enqueued] == [row.pk]
    progress = f"{page_of(row)}progress/"
    for path in (page_of(row), progress):
        answer = ada.get(path)
        assert answer.status_code == 200
        html = answer.content.decode()
        assert f'hx-get="{progress}" hx-trigger="every 2s"' in html
        assert "<progress" in html and "Refresh" in html
    carry_out_import(row.pk)
    answer = ada.get(progress)
    assert answer.status_code == 286
    assert b"hx-get" not in answer.content and b"Import these" in answer.content
    ada.post(f"{page_of(row)}confirm/")
    assert len(enqueued) == 2
    assert ada.get(progress).status_code == 200
    carry_out_import(row.pk)
    assert ada.get(progress).status_code == 286
    assert Reference.objects.count() == 2


def test_a_bad_long_file_has_its_list_on_the_page_of_the_import(ada, nothing_is_small) -> None:
    assert upload(ada, bad()).status_code == 303
    row = ClaimImport.objects.get()
    carry_out_import(row.pk)
    found = text(ada.get(page_of(row)))
    assert "Refused." in found and "line 3 scroe unknown field" in found


@pytest.mark.parametrize("is_checked", [False, True])
def test_an_import_is_given_up_by_its_button(ada, nothing_is_small, is_checked) -> None:
    upload(ada, good(1))
    row = ClaimImport.objects.get()
    if is_checked:
        carry_out_import(row.pk)
    row.refresh_from_db()
    was = row.status
    assert "1 file is given up" in text(ada.post(f"{page_of(row)}cancel/"))
    row.refresh_from_db()
    assert row.status == was
    answer = ada.post(f"{page_of(row)}cancel/", {"confirmed": "1"}, follow=True)
    assert "nothing of this file is stored" in text(answer)
    row.refresh_from_db()
    assert row.status == JobStatus.CANCELLED
    assert "ended already" in text(ada.post(f"{page_of(row)}cancel/", follow=True))
    assert "does not wait" in text(ada.post(f"{page_of(row)}confirm/", follow=True))
    assert not Reference.objects.exists()


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


def test_the_list_names_every_import_with_who_when_and_how_many(cast, ada: Client) -> None:
    upload(ada, good(2), "first.jsonl")
    ada.post(f"{page_of(ClaimImport.objects.get())}confirm/")
    upload(ada, bad(), "second.jsonl")
    found = text(ada.get(PAGE))
    assert "second.jsonl" in found.split("first.jsonl")[0]
    row = ClaimImport.objects.get(stage=ImportStage.APPLY)
    when = f"{row.created_at:%-d %b %Y, %H:%M} UTC"
    assert f"first.jsonl {when} ada stored 2 4 {row.file_sha256[:12]}" in found
    assert re.search(r"ada refused \D \D \w{12}", found)


def test_the_campaign_page_leads_to_the_imports(ada: Client) -> None:
    assert f'href="{PAGE}"' in ada.get("/campaigns/cups/").content.decode()


def test_an_import_of_another_campaign_is_not_found(cast, ada: Client) -> None:
    row = request_import(campaign=cast.elsewhere, file=file(good(1)), file_name="a.jsonl")
    for path in ("", "progress/"):
        assert ada.get(f"{page_of(row)}{path}").status_code == 404
    for path in ("confirm/", "cancel/"):
        assert ada.post(f"{page_of(row)}{path}").status_code == 404
    row.refresh_from_db()
    assert row.status == JobStatus.QUEUED


def made(cast: Any, **more: Any) -> ClaimImport:
    return ClaimImport.objects.create(
        campaign=cast.campaign, file_name="a", file_sha256="0" * 64, file_bytes=1, **more
    )


@pytest.mark.parametrize("stage", ImportStage.values)
@pytest.mark.parametrize("status", JobStatus.values)
def test_every_state_has_words(cast, stage: str, status: str) -> None:
    page = ImportPage(made(cast, stage=stage, status=status))
    assert page.state
    assert page.is_waiting == (stage == "check" and status == "succeeded")


def test_counts_are_those_of_the_check_until_something_is_stored(cast) -> None:
    found = {"references": 2, "known_references": 1, "candidates": 4, "known_candidates": 0}
    row = made(cast, result={"counts": found})
    lines = [Counted("References", 2, 1), Counted("Candidates", 4, 0)]
    assert (ImportPage(row).counts, ImportPage(row).stored) == (lines, {})
    row.result["stored"] = found | {"references": 0, "known_references": 3}
    assert ImportPage(row).counts[0] == Counted("References", 0, 3)
    assert ImportPage(made(cast)).counts == []


def test_what_nobody_counts_as_known_has_no_number(cast) -> None:
    row = made(cast, result={"stored": {"annotators": 2}})
    assert ImportPage(row).counts == [Counted("Annotators", 2, None)]


def test_imports_are_those_of_the_campaign_the_newest_first(cast) -> None:
    second = made(cast)
    # Said, as the clock of SQLite may tell the same millisecond for both.
    first = made(cast, created_at=second.created_at - timedelta(seconds=1))
    ClaimImport.objects.create(
        campaign=cast.elsewhere, file_name="b", file_sha256="0" * 64, file_bytes=1
    )
    assert list(imports_of(cast.campaign)) == [second, first]
    assert [page.row for page in recent_imports(cast.campaign)] == [second, first]
