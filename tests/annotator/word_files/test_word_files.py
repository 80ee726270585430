"""Claims, marks and rulings as Word documents: who gets which, without names, and on record."""

import io
import zipfile
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from annotator.adjudication.rulings.services import void_adjudication
from annotator.imports.documents import Choices
from annotator.imports.erasing import erase_texts
from annotator.imports.services import carry_out_import, request_import
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Conflict,
    Draft,
    ReadingPreference,
    Reference,
)
from annotator.word_files.services import NO_MARK_FILES
from core.clock import database_now
from patclaimeval.claims.reading_limits import Limit
from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadOptions, TrackedChanges
from tests.annotator.adjudication.conftest import conflict, flip, ratings  # noqa: F401
from tests.annotator.adjudication.discrepant import NOTES, WORDS
from tests.annotator.adjudication.rulings import decide
from tests.conftest import grant, signed_in

pytestmark = pytest.mark.django_db

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
BEFORE = "1. A pump of steel (12), wherein the rod is long.\n\n2. The pump of claim 1."
AFTER = "1. A pump of brass, in which the rod is long.\n\n2. The pump of claim 1, with a lid."


def read(answer: Any, changes: str = "accepted") -> str:
    options = ReadOptions(TrackedChanges(changes))
    return read_document(answer.content, "docx", options).claims.text


def parts(answer: Any) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def comments(answer: Any) -> list[tuple[str, str]]:
    tree = etree.fromstring(parts(answer)["word/comments.xml"].encode())
    return [
        (one.get(f"{WORD}author"), "|".join("".join(p.itertext()) for p in one)) for one in tree
    ]


def changed(answer: Any) -> list[str]:
    tree = etree.fromstring(parts(answer)["word/document.xml"].encode())
    found = tree.iter(f"{WORD}delText", f"{WORD}ins")
    return ["".join(one.itertext()).strip() for one in found if "".join(one.itertext()).strip()]


@pytest.fixture
def pair(cast: Any) -> Candidate:
    row = cast.reference("R 1", 1)
    Reference.objects.filter(pk=row.pk).update(claims=BEFORE, language="en")
    row.candidates.update(claims=AFTER)
    found: Candidate = row.candidates.get()
    return found


@pytest.fixture
def mine(cast: Any, pair: Candidate) -> Assignment:
    Campaign.objects.filter(pk=cast.campaign.pk).update(has_mark_files=True)
    (row,) = cast.assign(cast.alice, pair.reference)
    return row


@pytest.fixture
def alice(cast: Any) -> Client:
    return signed_in(cast.alice)


@pytest.fixture
def ada(cast: Any) -> Client:
    return signed_in(cast.ada)


def take(client: Client, row: Assignment, **sent: Any) -> Any:
    return client.post(f"/rate/{row.pk}/docx/", sent)


ALL = ["signs", "articles", "connectives", "forms", "punctuation"]


def test_an_admin_takes_a_reference_and_a_candidate_and_they_come_in_again(cast, ada, pair):
    sent = {"reference_id": "R 1"}
    for more, text, name in (
        ({}, BEFORE, "R-1.docx"),
        ({"candidate_id": pair.candidate_id}, AFTER, f"R-1-{pair.candidate_id}.docx"),
    ):
        answer = ada.post("/campaigns/cups/claims.docx", sent | more)
        assert answer.status_code == 200
        assert answer["Content-Type"] == TYPE
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer["Export-By"] == "ada" and answer["Export-Notice"].startswith("Confidential")
        assert "no-store" in answer["Cache-Control"]
        assert read(answer) == text
        assert "Confidential: of unfiled claims" in parts(answer)["word/header.xml"]
        assert "Title of R 1" in parts(answer)["word/document.xml"]
        assert "ada" not in "".join(parts(answer).values())
        row = request_import(
            campaign=cast.elsewhere,
            file=io.BytesIO(answer.content),
            file_name=name,
            choices=Choices(reference_id=name),
            is_confirmed=True,
        )
        carry_out_import(row.pk)
        assert Reference.objects.get(reference_id=name).claims == text
    acts = AuditEvent.objects.filter(action="claims.taken").order_by("pk")
    assert [(act.object_type, act.actor) for act in acts] == [
        ("reference", cast.ada),
        ("candidate", cast.ada),
    ]


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({}, 422, "required"),
        ({"reference_id": "none"}, 422, "no such reference"),
        ({"reference_id": "R 1", "candidate_id": "none"}, 422, "no such candidate"),
        ({"reference_id": "R" * 201}, 422, "at most 200"),
    ],
)
def test_what_is_not_there_is_refused_on_a_page_that_leads_back(ada, pair, sent, status, words):
    answer = ada.post("/campaigns/cups/claims.docx", sent)
    assert answer.status_code == status
    assert words in answer.content.decode() and "Back" in answer.content.decode()
    assert not AuditEvent.objects.filter(action="claims.taken").exists()


def test_claims_of_another_campaign_or_an_erased_reference_are_not_given(cast, ada, pair):
    other = cast.reference("there", 1, campaign=cast.elsewhere)
    address = "/campaigns/cups/claims.docx"
    assert ada.post(address, {"reference_id": other.reference_id}).status_code == 422
    there = ada.post("/campaigns/elsewhere/claims.docx", {"reference_id": "there"})
    assert there.status_code == 404
    erase_texts(pair.reference)
    Reference.objects.update(erased_at=database_now())
    name = Reference.objects.get(pk=pair.reference_id).reference_id
    answer = ada.post(address, {"reference_id": name})
    assert answer.status_code == 409
    assert "were erased" in answer.content.decode()


def test_a_text_that_no_document_can_hold_is_refused_with_its_place(ada, pair):
    Reference.objects.update(claims="1. A pump\x0bwith a rod.")
    answer = ada.post("/campaigns/cups/claims.docx", {"reference_id": "R 1"})
    assert answer.status_code == 422
    assert "Reference R 1 holds U+000B as character 10" in answer.content.decode()


def test_an_annotator_takes_the_differences_with_their_own_marks(cast, alice, mine):
    tags = [
        {"tag": "vagueness", "start": 3, "end": 7, "remark": "which pump?"},
        {"tag": "vagueness", "side": "reference", "start": 13, "end": 18},
        {"tag": "vagueness"},
    ]
    cast.submit(mine, comment="Close to it.", note="for the adjudicator", error_tags=tags)
    answer = take(alice, mine, changes=ALL)
    assert answer.status_code == 200
    assert (read(answer), read(answer, "original")) == (AFTER, BEFORE)
    assert comments(answer) == [
        ("Annotator", "Close to it."),
        ("Annotator", "Vagueness. which pump?"),
        ("Annotator", "Vagueness"),
        ("Annotator", "Vagueness"),
    ]
    whole = "".join(parts(answer).values())
    assert 'w:author="Annotator"' in whole
    assert f'w:date="{mine.rating.revised_at:%Y-%m-%dT%H:%M:%SZ}"' in whole
    for hidden in ("alice", "for the adjudicator", cast.system_canary, mine.candidate.candidate_id):
        assert hidden not in whole
    assert mine.candidate.candidate_id not in answer["Content-Disposition"]
    (act,) = AuditEvent.objects.filter(action="marks.taken")
    assert (act.object_id, act.actor) == (str(mine.pk), cast.alice)


def test_only_the_classes_that_are_chosen_are_tracked(alice, mine):
    answer = take(alice, mine)
    assert changed(answer) == ["steel", "brass", ", with a lid"]
    assert read(answer) == AFTER
    assert read(answer, "original") == (
        "1. A pump of steel, in which the rod is long.\n\n2. The pump of claim 1."
    )
    assert (
        "Not tracked, and here as in the candidate: reference signs, articles"
        in (parts(answer)["word/document.xml"])
    )
    answer = take(alice, mine, changes=["signs", "connectives"])
    assert changed(answer) == ["steel (12)", "wherein", "brass", "in which", ", with a lid"]


def test_a_draft_comes_before_the_rating_that_it_would_change(cast, alice, mine):
    cast.submit(mine, comment="The first words.")
    typed = {"comment": "Other words.", "error_tags": '[{"tag": "vagueness"}]'}
    Draft.objects.create(assignment=mine, typed=typed, saved_at=database_now())
    assert comments(take(alice, mine)) == [
        ("Annotator", "Other words."),
        ("Annotator", "Vagueness"),
    ]
    Draft.objects.update(typed={"error_tags": "[not json"})
    assert "word/comments.xml" not in parts(take(alice, mine))


@pytest.mark.parametrize("name", ["CHARACTERS", "CLAIMS"])
def test_texts_that_no_page_compares_are_not_compared_here(alice, mine, monkeypatch, name):
    monkeypatch.setattr(f"annotator.word_files.documents.{name}", Limit(1, ""))
    answer = take(alice, mine)
    assert answer.status_code == 422
    assert "too long to be compared" in answer.content.decode()


@pytest.mark.parametrize("status", ["recused", "withdrawn"])
def test_what_was_left_is_not_given(cast, alice, mine, status):
    Assignment.objects.update(status=status)
    assert take(alice, mine).status_code == 409
    assert "Word file" not in alice.get(f"/rate/{mine.pk}/").content.decode()


def test_nobody_takes_the_marks_of_another(cast, mine):
    assert take(signed_in(cast.bob), mine).status_code == 404
    assert take(signed_in(cast.mallory), mine).status_code == 404
    assert take(signed_in(cast.ada), mine).status_code == 403
    assert not AuditEvent.objects.filter(action="marks.taken").exists()


def test_a_class_that_is_none_is_refused(alice, mine):
    answer = take(alice, mine, changes=["colours"])
    assert answer.status_code == 422
    assert "colours is not one of the available choices" in answer.content.decode()


def test_the_rate_page_offers_the_classes_that_the_person_has_marked(cast, alice, mine):
    ReadingPreference.objects.create(user=cast.alice, shows_changes=["signs"])
    page = alice.get(f"/rate/{mine.pk}/").content.decode()
    assert f'action="/rate/{mine.pk}/docx/"' in page
    assert 'name="changes" value="signs" checked' in page
    assert 'name="changes" value="articles">' in page


def test_annotators_take_no_marks_unless_the_rules_allow_it(cast, call, alice, ada, pair):
    (row,) = cast.assign(cast.alice, pair.reference)
    rating = cast.submit(row)
    page, own = f"/rate/{row.pk}/", f"ratings/{rating.pk}/docx/"
    assert "Word file" not in alice.get(page).content.decode()
    refused = take(alice, row)
    assert refused.status_code == 403
    assert (
        NO_MARK_FILES in refused.content.decode() and f'href="{page}"' in refused.content.decode()
    )
    answer = call(cast.alice, "get", own)
    assert (answer.status_code, answer.json()) == (403, {"detail": NO_MARK_FILES})
    assert not AuditEvent.objects.filter(action="marks.taken").exists()
    rules = "/campaigns/cups/rules/"
    fields = ada.get(rules).context["form"].initial
    sent = {name: value for name, value in fields.items() if value not in (None, False)}
    assert ada.post(rules, sent | {"has_mark_files": "on"}).status_code == 303
    assert "Word file" in alice.get(page).content.decode()
    assert read(take(alice, row)) == AFTER
    assert call(cast.alice, "get", own).status_code == 200
    off = call(cast.ada, "patch", "campaigns/cups/rules/", {"has_mark_files": False})
    assert off.json()["has_mark_files"] is False
    assert take(alice, row).status_code == 403
    changes = [
        event.details["changes"]
        for event in AuditEvent.objects.filter(action="campaign.rules_changed").order_by("pk")
    ]
    assert changes == [{"has_mark_files": [False, True]}, {"has_mark_files": [True, False]}]


@pytest.fixture
def carol_browser(carol: Any) -> Client:
    return signed_in(carol)


def test_an_adjudicator_takes_a_ruling_with_its_reasons_and_the_tags(
    carol,
    carol_browser,
    conflict: Conflict,  # noqa: F811
):
    address = f"/adjudication/{conflict.pk}/docx/"
    answer = carol_browser.post(address)
    assert answer.status_code == 409
    assert "no valid ruling" in answer.content.decode()
    ruling = decide(conflict, carol)
    answer = carol_browser.post(address, {"changes": ALL})
    assert answer.status_code == 200
    assert read(answer) == conflict.candidate.claims
    assert read(answer, "original") == conflict.candidate.reference.claims
    found = comments(answer)
    assert found[0][0] == "Adjudicator"
    assert "Ruling: the mean of the ratings; something in the claims was overlooked." in found[0][1]
    assert "Feature completeness 4.50" in found[0][1] and "Claim 2 was overlooked." in found[0][1]
    assert sorted(found[1:]) == sorted(
        (f"Annotator {number}", text)
        for number, words in enumerate(
            [words for _, words in sorted((a, t) for a, t in found[1:] if t in WORDS.values())], 1
        )
        for text in (words, "Vagueness")
    )
    whole = "".join(parts(answer).values())
    assert not any(words in whole for words in (*NOTES.values(), "alice", "bob", carol.username))
    assert conflict.candidate.candidate_id not in whole + answer["Content-Disposition"]
    (act,) = AuditEvent.objects.filter(action="ruling.taken")
    assert (act.object_id, act.actor) == (str(ruling.pk), carol)
    page = carol_browser.get(f"/adjudication/{conflict.pk}/").content.decode()
    assert f'action="{address}"' in page


def test_of_a_pair_either_candidate_is_taken(carol, carol_browser, flip: Conflict):  # noqa: F811
    decide(flip, carol)
    texts = {
        read(carol_browser.post(f"/adjudication/{flip.pk}/docx/", {"number": number}))
        for number in ("1", "2")
    }
    other = flip.other_candidate
    assert other is not None
    assert texts == {flip.candidate.claims, other.claims}
    for wrong in ("0", "3", "x"):
        answer = carol_browser.post(f"/adjudication/{flip.pk}/docx/", {"number": wrong})
        assert answer.status_code == 422


def test_who_rated_does_not_take_the_ruling(cast, carol, conflict: Conflict):  # noqa: F811
    decide(conflict, carol)
    grant(cast.alice, cast.campaign, "adjudicator")
    assert signed_in(cast.alice).post(f"/adjudication/{conflict.pk}/docx/").status_code == 404
    assert signed_in(cast.rita).post(f"/adjudication/{conflict.pk}/docx/").status_code == 403


def test_an_admin_takes_a_signed_ruling_without_what_annotators_wrote(
    cast,
    ada,
    carol,
    conflict: Conflict,  # noqa: F811
):
    row = decide(conflict, carol)
    address = f"/campaigns/cups/rulings/{row.pk}/docx/"
    assert address in ada.get("/campaigns/cups/rulings/").content.decode()
    answer = ada.post(address, {"changes": ALL, "number": "1"})
    assert answer.status_code == 200
    assert read(answer) == conflict.candidate.claims
    ((author, said),) = comments(answer)
    assert author == "Adjudicator" and said.startswith("Ruling: the mean")
    whole = "".join(parts(answer).values())
    assert not any(words in whole for words in (*WORDS.values(), *NOTES.values(), carol.username))
    assert ada.post(address, {"number": "2"}).status_code == 409
    void_adjudication(adjudication_id=row.pk, reason="a slip", by=cast.ada)
    assert comments(ada.post(address))[0][1].startswith("Void. Ruling:")
    other = f"/campaigns/elsewhere/rulings/{row.pk}/docx/"
    assert ada.post(other).status_code == 404


def test_the_calls_give_the_same_files(cast, call, carol, mine, conflict: Conflict):  # noqa: F811
    claims = call(cast.ada, "get", "campaigns/cups/claim-sets/docx/?reference_id=R+1")
    assert (claims.status_code, read(claims)) == (200, BEFORE)
    rating = cast.submit(mine)
    marks = call(cast.alice, "get", f"ratings/{rating.pk}/docx/")
    assert (read(marks), read(marks, "original")) == (AFTER, BEFORE)
    some = call(cast.alice, "get", f"ratings/{rating.pk}/docx/?changes=signs", Accept=TYPE)
    assert changed(some) == ["steel (12)", "brass", ", with a lid"]
    assert changed(call(cast.alice, "get", f"ratings/{rating.pk}/docx/?changes=")) == [
        *("steel", "brass", ", with a lid"),
    ]
    assert call(cast.bob, "get", f"ratings/{rating.pk}/docx/").status_code == 404
    decide(conflict, carol)
    ruling = call(carol, "get", f"conflicts/{conflict.pk}/docx/")
    assert read(ruling, "original") == conflict.candidate.reference.claims
    assert comments(ruling)[0][0] == "Adjudicator"


@pytest.mark.parametrize(
    ("who", "path", "field"),
    [
        ("ada", "campaigns/cups/claim-sets/docx/", "reference_id"),
        ("ada", "campaigns/cups/claim-sets/docx/?reference_id=R+1&candidate_id=x", "candidate_id"),
        ("ada", "campaigns/cups/claim-sets/docx/?reference_id=%00", "reference_id"),
        ("ada", "campaigns/cups/claim-sets/docx/?reference_id=R+1&colour=red", "colour"),
        ("alice", "ratings/{rating}/docx/?changes=signs,colours", "changes"),
        ("carol", "conflicts/{conflict}/docx/?number=3", "number"),
    ],
)
def test_the_calls_refuse_by_field(cast, call, carol, mine, conflict, who, path, field):  # noqa: F811
    rating = cast.submit(mine)
    decide(conflict, carol)
    answer = call(getattr(cast, who), "get", path.format(rating=rating.pk, conflict=conflict.pk))
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
