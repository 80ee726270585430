"""Documents over REST: sent as a file or as text, answered, corrected, stored."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.imports.services import carry_out_import
from annotator.models import Candidate, ClaimImport, ReadClaimSet, Reference, TokenScope
from tests.amounts import few
from tests.annotator.imports.test_documents_page import AMENDED, STRUCK, WORD
from tests.patclaimeval.documents.office_files import ALL, OfficeFile, claims_in
from tests.patclaimeval.documents.samples import DOCUMENTS
from tests.patclaimeval.documents.word_files import zipped

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PATH = "/api/v1/campaigns/cups/claim-sets/import/"
JSON = "application/json"


@pytest.fixture
def ada(cast: Any) -> Client:
    token = create_token(user=cast.ada, scope=TokenScope.WRITE).token
    return Client(headers={"Authorization": f"Token {token}"})


def followed(client: Client, answer: Any) -> dict[str, Any]:
    """Return an import as it is once a worker was at it."""
    assert answer.status_code == 202, answer.content
    body = answer.json()
    carry_out_import(body["id"])
    found: dict[str, Any] = client.get(body["url"]).json()
    return found


def by_file(client: Client, content: bytes, **more: Any) -> dict[str, Any]:
    sent = {"file": SimpleUploadedFile("lamp.docx", content), **more}
    return followed(client, client.post(PATH, sent))


def by_text(client: Client, text: str, **more: Any) -> dict[str, Any]:
    return followed(client, client.post(PATH, {"text": text, **more}, content_type=JSON))


def test_a_document_is_read_by_a_worker_and_stored(ada: Client) -> None:
    body = by_file(ada, WORD, reference_id="EP1", tracked_changes="both")
    assert (body["status"], body["is_stored"], body["format"]) == ("succeeded", True, "docx")
    assert body["counts"]["references"] == 1
    (one,) = body["claim_sets"]
    assert one["read_sha256"] == one["stored_sha256"] == Reference.objects.get().claims_sha256
    assert Reference.objects.get().draft_claims


def test_a_dry_run_answers_what_was_found_without_the_text(ada: Client) -> None:
    body = by_file(ada, WORD, reference_id="EP1", dry_run="true")
    (one,) = body["claim_sets"]
    assert one["claims_read"][0] == {"number": 1, "place": "paragraph 3", "status": ""}
    assert {item["severity"] for item in one["findings"]} <= {"note", "check"}
    assert "lamp with" not in str(body)
    text = ada.get(f"{body['url']}claim-sets/1/").json()
    assert text["claims"] == AMENDED
    assert not Reference.objects.exists()
    done = ada.post(f"{body['url']}confirm/").json()
    assert done["is_stored"]


@pytest.mark.parametrize("kind", sorted(DOCUMENTS.keys() - {"xml in two languages"}))
def test_each_kind_of_document_comes_in(ada: Client, kind: str) -> None:
    more = {} if kind == "zip" else {"reference_id": "P1"}
    more |= {"format": kind} if kind == "text" else {}
    body = by_file(ada, DOCUMENTS[kind], **more)
    assert (body["format"], body["is_stored"]) == (kind, True), body
    stored = Reference.objects.get()
    assert (stored.reference_id, stored.claims[:4]) == ("P1", "1. A")


@pytest.mark.parametrize(("office", "name"), few(ALL, 2))
def test_a_file_of_an_office_comes_in_whole(
    ada: Client, office: Callable[[str], OfficeFile], name: str
) -> None:
    file = office(name)
    body = by_file(ada, file.data, reference_id=name, format=file.kind)
    assert (body["format"], body["is_stored"]) == (file.kind, True), body
    assert claims_in(file, Reference.objects.get().claims) == file.claims


def test_a_text_is_sent_as_json(ada: Client) -> None:
    body = by_text(ada, "1. A lamp.\n2. The lamp of claim 1.", reference_id="R")
    assert (body["is_stored"], body["format"], body["file_name"]) == (True, "text", "pasted text")
    by_text(ada, "1. A torch.", reference_id="R", candidate_id="c1")
    assert Candidate.objects.get().claims == "1. A torch."


def test_claim_sets_of_lines_are_sent_as_json_where_they_are_named(ada: Client) -> None:
    line = '{"reference_id": "R", "reference_claims": "1. A", "candidates": []}'
    sent = {"text": line, "format": "claims-jsonl"}
    answer = ada.post(PATH, sent, content_type=JSON)
    assert answer.status_code in {200, 422}, answer.content
    assert answer.json()["format"] == "claims-jsonl"


def test_what_is_asked_is_answered_and_then_it_is_stored(ada: Client) -> None:
    body = by_text(ada, "Intro\n1. A lamp.")
    questions = [item["number"] for item in body["questions"]]
    assert (body["is_stored"], body["stage"], questions) == (False, "check", [0, 1])
    refused = ada.post(f"{body['url']}confirm/")
    assert refused.status_code == 409 and "answered" in refused.json()["detail"]
    sent = {"reference_id": "R", "claims_from": 2}
    body = followed(ada, ada.post(f"{body['url']}answer/", sent, content_type=JSON))
    assert body["is_stored"]
    assert Reference.objects.get().claims == "1. A lamp."


def test_a_correction_answers_what_was_asked_about_a_claim_set(cast: Any, ada: Client) -> None:
    body = by_file(ada, STRUCK, reference_id="R", dry_run="true")
    address = f"{body['url']}claim-sets/1/"
    answer = ada.put(address, {"claims": "1. A lamp."}, content_type=JSON)
    assert answer.status_code == 200, answer.content
    (one,) = answer.json()["claim_sets"]
    assert (one["edited_by"], answer.json()["questions"]) == ("ada", [])
    assert ada.post(f"{body['url']}confirm/").json()["is_stored"]
    assert Reference.objects.get().claims == "1. A lamp."


@pytest.mark.parametrize("claims", ["", " ", 5, None, "x" * 2_000_001, "1. A\x00"])
def test_a_text_that_cannot_be_claims_is_answered_by_field(ada: Client, claims: Any) -> None:
    body = by_file(ada, WORD, reference_id="R", dry_run="true")
    answer = ada.put(f"{body['url']}claim-sets/1/", {"claims": claims}, content_type=JSON)
    assert answer.status_code == 400, answer.content
    assert ReadClaimSet.objects.get().edited_at is None


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"text": "1. A", "reference_id": 5}, "reference_id"),
        ({"text": "1. A", "claims_from": "2"}, "claims_from"),
        ({"text": "1. A", "claims_from": True}, "claims_from"),
        ({"text": "1. A", "claims_to": 0}, "claims_to"),
        ({"text": "1. A", "claims_from": 3, "claims_to": 2}, "claims_to"),
        ({"text": "1. A", "language": "English"}, "language"),
        ({"text": "1. A", "candidate_id": "c"}, "reference_id"),
        ({"text": "1. A", "tracked_changes": "some"}, "tracked_changes"),
        ({"text": 5}, "text"),
        ({"file": "x"}, "file"),
        ({}, "file"),
    ],
)
def test_wrong_choices_are_answered_400_by_field(ada: Client, sent: Any, field: str) -> None:
    answer = ada.post(PATH, sent, content_type=JSON)
    assert answer.status_code == 400, answer.content
    assert field in answer.json()
    assert not ClaimImport.objects.exists()


def test_a_form_may_leave_choices_empty(ada: Client) -> None:
    more = {"claims_from": "", "claims_to": "9", "language": "", "candidate_id": ""}
    assert by_file(ada, WORD, reference_id="R", **more)["claim_sets"]


def test_a_bad_document_of_an_archive_is_named(ada: Client) -> None:
    files = {"P1/reference.txt": "1. A lamp.", "P1/candidates/a.pdf": b"%PDF-1.4"}
    body = by_file(ada, zipped(files))
    assert body["status"] == "failed"
    assert [item["file"] for item in body["bad_records"]] == ["P1/candidates/a.pdf"]
    assert body["claim_sets"] == []
