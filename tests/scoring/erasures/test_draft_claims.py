"""The draft of a reference is read, added and corrected by hand; every earlier one stays."""

import pytest
from django.test import Client

from annotator.campaigns.services import close_campaign
from annotator.imports.erasing import erase_texts
from annotator.models import AuditEvent, DraftClaimsEdit, Reference
from core.errors import Forbidden
from patclaimeval.text_io.text import text_sha256
from scoring.erasures.services import edit_unfrozen_draft
from tests.conftest import signed_in

pytestmark = [pytest.mark.django_db]

DRAFT = "1. A lamp with a foot.\r\n\r\n2. The lamp of claim 1."
STORED = DRAFT.replace("\r\n", "\n")


@pytest.fixture
def reference(cast) -> Reference:
    return cast.reference("r1", 1)


@pytest.fixture
def ada(cast) -> Client:
    return signed_in(cast.ada)


def page(reference: Reference) -> str:
    return f"/datasets/references/{reference.pk}/"


def send(client: Client, reference: Reference, text: str = DRAFT, reason: str = "found", **more):
    sent = {"draft_claims": text, "reason": reason, **more}
    return client.post(f"{page(reference)}draft/", sent)


def draft_of(reference: Reference) -> str:
    return Reference.objects.get(pk=reference.pk).draft_claims


def test_a_draft_is_added_corrected_and_taken_away_and_each_earlier_one_stays(ada, reference):
    assert "None is known" in ada.get(page(reference)).content.decode()
    assert send(ada, reference).status_code == 303
    assert draft_of(reference) == STORED
    assert send(ada, reference, "1. A lamp.", "a slip").status_code == 303
    assert send(ada, reference, "", "of another case").status_code == 303
    assert draft_of(reference) == ""
    found = DraftClaimsEdit.objects.order_by("number")
    assert [(one.number, one.earlier, one.reason) for one in found] == [
        (1, "", "found"),
        (2, STORED, "a slip"),
        (3, "1. A lamp.", "of another case"),
    ]
    text = ada.get(page(reference)).content.decode()
    assert "Changed 3 times" in text and "A lamp with a foot." in text and "a slip" in text
    acts = AuditEvent.objects.filter(action="draft_claims.edited").order_by("pk")
    assert [act.details["number"] for act in acts] == [1, 2, 3]
    assert "lamp" not in str([act.details for act in acts])


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        (DRAFT, "", "required"),
        (DRAFT, "x" * 2_001, "at most 2000"),
        ("", "why", "nothing was changed"),
        (" \u200b ", "why", "The draft shows nothing"),
        ("a" * 200_001, "why", "at most 200,000"),
        ("\n".join(f"{n}. A lamp." for n in range(1, 202)), "why", "at most 200"),
    ],
)
def test_what_cannot_be_a_draft_is_refused_and_what_was_typed_stays(
    ada, reference, text, reason, words
):
    answer = send(ada, reference, text, reason)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert words in page
    assert text[:20].strip("\u200b ") in page
    assert (draft_of(reference), DraftClaimsEdit.objects.count()) == ("", 0)


def test_two_who_edit_at_once_do_not_overwrite_each_other(ada, reference):
    seen = text_sha256("")
    assert send(ada, reference, seen=seen).status_code == 303
    answer = send(ada, reference, "1. Another lamp.", seen=seen)
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "changed meanwhile" in text and "1. Another lamp." in text
    assert "A lamp with a foot." in text
    assert f'name="seen" value="{text_sha256(STORED)}"' in text
    assert draft_of(reference) == STORED


def test_once_a_version_was_frozen_with_it_it_stays(scene):
    ada = signed_in(scene.ada)
    reference = Reference.objects.get(campaign=scene.campaign, reference_id="r0")
    assert send(ada, reference).status_code == 303
    scene.freeze()
    answer = send(ada, reference, "1. Too late.")
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "A dataset version was frozen with this reference" in text and "1. Too late." in text
    assert 'name="draft_claims"' not in ada.get(page(reference)).content.decode()
    assert draft_of(reference) == STORED


def test_of_a_closed_campaign_and_an_erased_reference_nothing_is_changed(cast, ada, reference):
    send(ada, reference)
    erase_texts(reference)
    assert draft_of(reference) == ""
    (edit,) = DraftClaimsEdit.objects.all()
    assert (edit.earlier, edit.reason) == ("", "")
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    assert send(ada, reference).status_code == 409


def test_an_erasure_empties_what_stood_there_before(ada, reference):
    send(ada, reference)
    send(ada, reference, "1. A lamp.", "a slip")
    assert erase_texts(reference)["earlier drafts of claims"] == 2
    assert not DraftClaimsEdit.objects.exclude(earlier="", reason="").exists()


def test_only_admins_of_the_campaign_change_it(cast, reference):
    for person, status in ((cast.rita, 403), (cast.alice, 403), (cast.mallory, 403)):
        assert send(signed_in(person), reference).status_code == status
    with pytest.raises(Forbidden):
        edit_unfrozen_draft(
            reference=reference, draft_claims=DRAFT, reason="x", edited_by=cast.rita
        )
    other = cast.reference("there", 1, campaign=cast.elsewhere)
    assert send(signed_in(cast.ada), other).status_code == 404
