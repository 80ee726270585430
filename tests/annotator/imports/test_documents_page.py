"""Documents through the browser: sent, read by a worker, asked about, corrected, stored."""

import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.imports.files import stored_uploads
from annotator.imports.services import carry_out_import
from annotator.models import AuditEvent, Candidate, ClaimImport, ReadClaimSet, Reference
from patclaimeval.text_io.text import text_sha256
from tests.patclaimeval.documents.samples import DOCUMENTS
from tests.patclaimeval.documents.word_files import (
    CLAIMS,
    added,
    paragraph,
    removed,
    text,
    word_file,
    zipped,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PAGE = "/campaigns/cups/import/"
BODY = paragraph("A lamp.") + paragraph("What is claimed is:")
BODY += paragraph("A lamp with a ", removed("foot"), added(text("base")), ".", number=(1, 0))
BODY += paragraph("The lamp of claim 1 or 5.", number=(1, 0))
WORD = word_file(BODY, numbering=CLAIMS)
AMENDED = "1. A lamp with a base.\n\n2. The lamp of claim 1 or 5."
STRUCK = word_file(
    paragraph("Claims")
    + paragraph("1. A lamp", "<w:r><w:rPr><w:strike/></w:rPr><w:t> with a foot</w:t></w:r>", ".")
)


def send(client: Client, content: bytes | str, name: str = "lamp.docx", **more: str) -> ClaimImport:
    sent = (
        {"text": content}
        if isinstance(content, str)
        else {"file": SimpleUploadedFile(name, content)}
    )
    answer = client.post(PAGE, {**sent, **more})
    assert answer.status_code == 303, words(answer)
    row = ClaimImport.objects.order_by("-created_at")[0]
    assert answer["Location"] == page_of(row)
    return worked_off(row)


def worked_off(row: ClaimImport) -> ClaimImport:
    carry_out_import(row.pk)
    row.refresh_from_db()
    return row


def page_of(row: ClaimImport) -> str:
    return f"/campaigns/cups/imports/{row.pk}/"


def words(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def confirm(client: Client, row: ClaimImport) -> ClaimImport:
    assert client.post(f"{page_of(row)}confirm/").status_code == 303
    row.refresh_from_db()
    return row


def test_a_word_file_is_shown_as_it_will_read_and_stored_when_asked(ada: Client) -> None:
    row = send(ada, WORD, reference_id="EP1", tracked_changes="both")
    answer = ada.get(page_of(row))
    found = words(answer)
    for said in (
        "2 claims",
        "paragraph 3",
        "paragraph 4",
        "cites claim 5",
        "Import these",
        "The draft",
    ):
        assert said in found, said
    assert 'class="tree"' in answer.content.decode()
    assert not Reference.objects.exists()
    row = confirm(ada, row)
    stored = Reference.objects.get()
    assert (stored.reference_id, stored.claims) == ("EP1", AMENDED)
    assert stored.draft_claims == AMENDED.replace("base", "foot")
    one = ReadClaimSet.objects.get()
    assert (one.claims, one.found, one.belongs_to) == ("", {}, stored)
    assert one.read_sha256 == one.stored_sha256 == stored.claims_sha256
    assert row.has_source
    assert "the same" in words(ada.get(page_of(row)))


def test_no_document_is_read_in_the_process_of_the_web(
    ada: Client, enqueued: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: Any) -> None:
        raise AssertionError("read in here")

    monkeypatch.setattr("annotator.imports.services.read_sets", read)
    for sent in ({"file": SimpleUploadedFile("a.docx", WORD)}, {"text": "1. A lamp."}):
        assert ada.post(PAGE, {**sent, "reference_id": "R"}).status_code == 303
        row = ClaimImport.objects.order_by("-created_at")[0]
        assert (row.status, enqueued[-1].pk) == ("queued", row.pk)
    assert not ReadClaimSet.objects.exists()


def test_what_the_file_holds_is_asked_and_not_guessed(ada: Client) -> None:
    row = send(ada, WORD)
    found = words(ada.get(page_of(row)))
    assert "Please answer" in found and "Give the reference's id" in found
    assert "Import these" not in found
    assert "answered or corrected first" in words(ada.post(f"{page_of(row)}confirm/", follow=True))
    # The ids alone: nothing is read anew, and nobody has to wait.
    read_before = ReadClaimSet.objects.get().pk
    answer = ada.post(f"{page_of(row)}answer/", {"reference_id": "EP1"}, follow=True)
    assert "Import these" in words(answer)
    assert ReadClaimSet.objects.get().pk == read_before
    confirm(ada, row)
    assert Reference.objects.get().reference_id == "EP1"


def test_where_the_claims_stand_is_answered_beside_the_lines_of_the_document(ada: Client) -> None:
    row = send(
        ada, "A lamp is described.\n1. A lamp.\n2. The lamp of claim 1.\nFig. 1", reference_id="R"
    )
    found = words(ada.get(page_of(row)))
    assert "Say at which line the claims begin" in found
    assert "line 2 1. A lamp." in found
    answer = ada.post(
        f"{page_of(row)}answer/", {"reference_id": "R", "claims_from": "2", "claims_to": "3"}
    )
    assert answer.status_code == 303
    confirm(ada, worked_off(row))
    assert Reference.objects.get().claims == "1. A lamp.\n2. The lamp of claim 1."


def test_what_was_misread_is_put_right_by_hand_and_that_is_on_record(
    cast: Any, ada: Client
) -> None:
    row = send(ada, STRUCK, reference_id="R")
    assert "struck out by hand" in words(ada.get(page_of(row)))
    read = ReadClaimSet.objects.get()
    address = f"{page_of(row)}claim-sets/1/"
    answer = ada.post(address, {"claims": " \r\n "})
    assert answer.status_code == 422
    answer = ada.post(address, {"claims": "1. A lamp.\r\n2. The lamp of claim 1."})
    assert (answer.status_code, answer["Location"]) == (303, f"{page_of(row)}?set=1#claim-set")
    found = words(ada.get(page_of(row)))
    assert "In question" not in found and "by ada" in found
    assert not Reference.objects.exists()
    confirm(ada, row)
    stored = Reference.objects.get()
    assert stored.claims == "1. A lamp.\n2. The lamp of claim 1."
    one = ReadClaimSet.objects.get()
    assert one.read_sha256 == read.read_sha256 == text_sha256("1. A lamp with a foot.")
    assert (one.stored_sha256, one.edited_by) == (stored.claims_sha256, cast.ada)
    assert one.edited_at is not None
    act = AuditEvent.objects.get(action="import.corrected")
    assert (act.actor, act.details["number"]) == (cast.ada, 1)
    assert "lamp" not in str(act.details)


def test_an_archive_is_shown_set_by_set_and_stored_whole(ada: Client) -> None:
    files = {
        "P1/reference.docx": WORD,
        "P1/candidates/a.txt": "1. A torch.",
        "P2/reference.txt": "1. A desk.",
        "P2/candidates/b.txt": "Hello",
    }
    row = send(ada, zipped(files), "matters.zip")
    found = words(ada.get(page_of(row)))
    for said in ("P1 reference P1/reference.docx 2", "candidate b P2/candidates/b.txt 0 1"):
        assert said in found
    assert "Import these" not in found
    second = words(ada.get(f"{page_of(row)}?set=4"))
    assert "Candidate b" in second and "No heading of claims was found" in second
    assert "line 1 Hello" in second
    ada.post(f"{page_of(row)}claim-sets/4/", {"claims": "1. A desk lamp."})
    row = confirm(ada, row)
    assert row.result["stored"]["candidates"] == 2
    assert Candidate.objects.get(candidate_id="b").claims == "1. A desk lamp."
    assert ReadClaimSet.objects.filter(belongs_to=None).count() == 0


def test_a_candidate_alone_joins_its_reference_and_is_asked_for_it(ada: Client) -> None:
    row = send(ada, "1. A torch.", reference_id="R", candidate_id="c1")
    assert "has no reference 'R'" in words(ada.get(page_of(row)))
    confirm(ada, send(ada, "1. A lamp.", reference_id="R"))
    ada.post(f"{page_of(row)}answer/", {"reference_id": "R", "candidate_id": "c1"})
    confirm(ada, row)
    assert Candidate.objects.get().claims == "1. A torch."
    assert ReadClaimSet.objects.filter(belongs_to=Reference.objects.get()).count() == 2


def test_an_id_that_is_known_with_other_claims_is_asked_again(ada: Client) -> None:
    confirm(ada, send(ada, "1. A lamp.", reference_id="R"))
    row = send(ada, "1. A torch.", reference_id="R")
    found = words(ada.get(page_of(row)))
    assert "is in this campaign with other claims" in found and "Import these" not in found
    ada.post(f"{page_of(row)}answer/", {"reference_id": "R2"})
    confirm(ada, row)
    assert Reference.objects.count() == 2


def test_known_and_nearly_equal_texts_are_named(ada: Client) -> None:
    confirm(ada, send(ada, "1. A lamp with a foot.", reference_id="R"))
    row = send(ada, "1. A lamp with a foot.", reference_id="R2")
    assert "has the same text as" in words(ada.get(page_of(row)))
    again = send(ada, "1. A lamp with a foot.", reference_id="R")
    assert "References 0 1" in words(ada.get(page_of(again)))


def test_the_language_of_a_file_in_two_is_asked(ada: Client) -> None:
    row = send(ada, DOCUMENTS["xml in two languages"], "a.xml", reference_id="R")
    assert "language" in words(ada.get(page_of(row))) and row.result["questions"]
    ada.post(f"{page_of(row)}answer/", {"reference_id": "R", "language": "de"})
    confirm(ada, worked_off(row))
    assert Reference.objects.get().language == "de"


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"text": "1. A", "reference_id": "a\x01b"}, "cannot be used"),
        ({"text": "1. A", "candidate_id": "c"}, "Of which reference"),
        ({"text": "1. A", "claims_from": "0"}, "greater than or equal to 1"),
        ({"text": "1. A", "claims_from": "9", "claims_to": "3"}, "cannot end before"),
        ({"text": "1. A", "language": "English"}, "two or three letters"),
        ({"text": "1. A", "tracked_changes": "some"}, "Select a valid choice"),
    ],
)
def test_choices_that_cannot_be_are_refused_beside_their_field(
    ada: Client, sent: Any, why: str
) -> None:
    answer = ada.post(PAGE, sent)
    assert answer.status_code == 422
    assert why in words(answer)
    assert not ClaimImport.objects.exists()


def test_a_file_and_a_text_at_once_are_refused(ada: Client) -> None:
    sent = {"text": "1. A", "file": SimpleUploadedFile("a", b"1. A")}
    assert "send one of them" in words(ada.post(PAGE, sent))


def test_nothing_of_what_was_read_stays_of_an_import_that_is_given_up(ada: Client) -> None:
    row = send(ada, WORD, reference_id="R")
    ada.post(f"{page_of(row)}cancel/", {"confirmed": "1"})
    assert not ReadClaimSet.objects.exists()
    assert list(stored_uploads()) == []
    answer = ada.post(f"{page_of(row)}claim-sets/1/", {"claims": "1. A"})
    assert answer.status_code == 404
    assert "does not wait" in words(ada.post(f"{page_of(row)}answer/", {"reference_id": "X"}))
