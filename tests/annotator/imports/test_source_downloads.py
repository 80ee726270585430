"""The document of an import is downloaded as it came: by admins, on record, only if it is whole."""

import base64
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import FileResponse
from django.test import Client

from annotator.imports.erasing import erase_texts
from annotator.imports.files import name_of_source, upload_path
from annotator.imports.services import carry_out_import
from annotator.models import AuditEvent, ClaimImport, Reference
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

TEXT = b"Claims\n1. A lamp with a foot."


@pytest.fixture
def source(
    cast: Any, ada: Client, enqueued: list[Any], django_capture_on_commit_callbacks: Any
) -> ClaimImport:
    with django_capture_on_commit_callbacks(execute=True):
        sent = {"file": SimpleUploadedFile("lamp.html", TEXT), "format": "text"}
        ada.post("/campaigns/cups/import/", sent | {"reference_id": "R"})
        row = ClaimImport.objects.get()
        carry_out_import(row.pk)
        ada.post(f"/campaigns/cups/imports/{row.pk}/confirm/")
    row.refresh_from_db()
    assert row.has_source
    return row


def page(row: ClaimImport) -> str:
    return f"/campaigns/cups/imports/{row.pk}/"


def bytes_of(answer: Any) -> bytes:
    assert isinstance(answer, FileResponse)
    return b"".join(answer)


def taken() -> int:
    return AuditEvent.objects.filter(action="import.source_taken").count()


def test_it_is_the_file_as_it_was_sent_and_no_browser_opens_it(cast, ada, source) -> None:
    assert f'action="{page(source)}source/"' in ada.get(page(source)).content.decode()
    answer = ada.post(f"{page(source)}source/")
    assert bytes_of(answer) == TEXT
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == 'attachment; filename="lamp.html"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]
    assert answer["Export-By"] == "ada"
    digest = base64.b64decode(answer["Repr-Digest"].removeprefix("sha-256=:").rstrip(":"))
    assert digest.hex() == source.file_sha256
    (act,) = AuditEvent.objects.filter(action="import.source_taken")
    assert (act.actor, act.object_id) == (cast.ada, str(source.pk))


def test_a_program_gets_it_too(cast, call, source) -> None:
    address = f"campaigns/cups/claim-sets/imports/{source.pk}/source/"
    answer = call(cast.ada, "get", address, Accept="text/html")
    assert bytes_of(answer) == TEXT
    assert taken() == 1
    assert call(cast.rita, "get", address).status_code == 403
    assert call(cast.mallory, "get", address).status_code == 404


def test_one_that_was_changed_on_the_server_is_not_sent(cast, ada, call, source) -> None:
    upload_path(source.pk).write_bytes(TEXT[:-1] + b"!")
    answer = ada.post(f"{page(source)}source/", follow=True)
    assert "was changed on the server" in answer.content.decode()
    address = f"campaigns/cups/claim-sets/imports/{source.pk}/source/"
    assert call(cast.ada, "get", address).status_code == 409
    upload_path(source.pk).unlink()
    assert call(cast.ada, "get", address).status_code == 409
    assert taken() == 0


def test_after_an_erasure_there_is_none(cast, ada, call, source) -> None:
    erase_texts(Reference.objects.get())
    assert "Download it" not in ada.get(page(source)).content.decode()
    answer = ada.post(f"{page(source)}source/", follow=True)
    assert "is not here, or not any more" in answer.content.decode()
    address = f"campaigns/cups/claim-sets/imports/{source.pk}/source/"
    assert call(cast.ada, "get", address).status_code == 409


def test_others_do_not_get_it(cast, source) -> None:
    for person, status in ((cast.rita, 403), (cast.alice, 403), (cast.mallory, 404)):
        assert signed_in(person).post(f"{page(source)}source/").status_code == status
    other = signed_in(cast.ada)
    assert other.post(f"/campaigns/elsewhere/imports/{source.pk}/source/").status_code == 404
    assert taken() == 0


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("claims.docx", "claims.docx"),
        ("Ansprüche 1.pdf", "Ansprüche 1.pdf"),
        ('a"b<c>:d|e?f*g.txt', "a_b_c__d_e_f_g.txt"),
        ("..", "document"),
        (".htaccess", "htaccess"),
        ("fdp\ufffd.exe. ", "fdp_.exe"),
    ],
)
def test_the_name_can_be_stored_anywhere(name: str, safe: str) -> None:
    assert name_of_source(name) == safe
