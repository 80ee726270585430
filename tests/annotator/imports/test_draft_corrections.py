"""The draft of a reference is seen, added and corrected in the preview of its import."""

import io
from typing import Any

import pytest
from django.test import Client

from annotator.imports.documents import Choices
from annotator.imports.services import carry_out_import, request_import
from annotator.models import ClaimImport, ReadClaimSet, Reference
from tests.patclaimeval.documents.word_files import (
    added,
    paragraph,
    removed,
    text,
    word_file,
    zipped,
)

pytestmark = pytest.mark.django_db

BODY = paragraph("Claims") + paragraph(
    "1. A lamp with a ", removed("foot"), added(text("base")), "."
)
CLAIMS, DRAFT = "1. A lamp with a base.", "1. A lamp with a foot."


def sent(cast: Any, content: bytes, **choices: Any) -> ClaimImport:
    row = request_import(
        campaign=cast.campaign,
        file=io.BytesIO(content),
        file_name="lamp.docx",
        choices=Choices(**choices),
        asked_by=cast.ada,
    )
    carry_out_import(row.pk)
    row.refresh_from_db()
    return row


@pytest.fixture
def row(cast: Any) -> ClaimImport:
    return sent(cast, word_file(BODY), reference_id="R", tracked_changes="both")


def correct(client: Client, row: ClaimImport, number: int = 1, **texts: str) -> Any:
    return client.post(f"/campaigns/cups/imports/{row.pk}/claim-sets/{number}/", texts)


def confirmed(client: Client, row: ClaimImport) -> Reference:
    client.post(f"/campaigns/cups/imports/{row.pk}/confirm/")
    carry_out_import(row.pk)
    return Reference.objects.get()


def test_the_draft_is_shown_and_stored_as_it_was_corrected(cast, ada, enqueued, row) -> None:
    page = ada.get(f"/campaigns/cups/imports/{row.pk}/").content.decode()
    assert page.count(DRAFT) == 2
    assert correct(ada, row, claims=CLAIMS, draft_claims="1. A lamp.\r\n2. A").status_code == 303
    one = ReadClaimSet.objects.get()
    assert (one.draft_claims, one.edited_by) == ("1. A lamp.\n2. A", cast.ada)
    reference = confirmed(ada, row)
    assert (reference.claims, reference.draft_claims) == (CLAIMS, "1. A lamp.\n2. A")
    page = ada.get(f"/campaigns/cups/imports/{row.pk}/").content.decode()
    assert f'href="/datasets/references/{reference.pk}/"' in page


def test_one_is_added_where_the_document_has_none_and_taken_away(cast, ada, enqueued) -> None:
    row = sent(cast, word_file(paragraph("Claims") + paragraph(CLAIMS)), reference_id="R")
    assert correct(ada, row, claims=CLAIMS, draft_claims=DRAFT).status_code == 303
    assert ReadClaimSet.objects.get().draft_claims == DRAFT
    assert correct(ada, row, claims=CLAIMS, draft_claims="").status_code == 303
    assert confirmed(ada, row).draft_claims == ""


def test_a_draft_that_shows_nothing_is_refused_and_what_was_typed_stays(ada, enqueued, row) -> None:
    answer = correct(ada, row, claims="1. Another lamp.", draft_claims="\u200b")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The draft shows nothing" in page and "1. Another lamp." in page
    assert ReadClaimSet.objects.get().claims == CLAIMS


def test_a_candidate_has_none(cast, ada, call, enqueued) -> None:
    files = {"P1/reference.txt": CLAIMS, "P1/candidates/a.txt": "1. A torch."}
    row = sent(cast, zipped(files))
    page = ada.get(f"/campaigns/cups/imports/{row.pk}/?set=2").content.decode()
    assert 'name="claims"' in page and 'name="draft_claims"' not in page
    address = f"campaigns/cups/claim-sets/imports/{row.pk}/claim-sets/2/"
    body = {"claims": "1. A torch.", "draft_claims": DRAFT}
    answer = call(cast.ada, "put", address, body)
    assert (answer.status_code, list(answer.json())) == (400, ["draft_claims"])
    assert not ReadClaimSet.objects.exclude(draft_claims="").exists()


def test_a_call_leaves_the_draft_as_it_is_unless_it_names_it(cast, call, enqueued, row) -> None:
    address = f"campaigns/cups/claim-sets/imports/{row.pk}/claim-sets/1/"
    assert call(cast.ada, "put", address, {"claims": "1. A lamp."}).status_code == 200
    assert call(cast.ada, "get", address).json()["draft_claims"] == DRAFT
    body = {"claims": "1. A lamp.", "draft_claims": "1. A torch."}
    assert call(cast.ada, "put", address, body).status_code == 200
    assert call(cast.ada, "get", address).json()["draft_claims"] == "1. A torch."
