import pytest
from django.db import models
from django.test import Client

from annotator.imports.erasing import erase_texts
from annotator.models import Assignment, AuditEvent, Draft, Rating, ReferenceNote, User
from annotator.rating.own_notes import NoteMoved, own_note, save_note
from annotator.rating_values import LONGEST_TEXT
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import CRITERIA
from tests.conftest import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
SCRIPT = {"HX-Request": "true"}
BOX = 'name="own_note"'


def note_of(user: User, row: Assignment) -> str:
    note = own_note(user.pk, row.candidate.reference_id)
    return note.text if note else ""


def test_a_note_stands_beside_every_candidate_of_its_reference_and_no_other(
    cast, client, rows
) -> None:
    (other,) = cast.assign(cast.alice, cast.reference("r2", 1))
    save_note(assignment=rows[0], text="claim 3 is the point", version=0)
    pages = [client.get(f"/rate/{row.pk}/").content.decode() for row in (*rows, other)]
    assert ["claim 3 is the point" in page for page in pages] == [True, True, True, False]
    assert all(BOX in page for page in pages)


def test_nobody_but_its_author_is_shown_a_note(cast, rows) -> None:
    save_note(assignment=rows[0], text="zqowned", version=0)
    (peers, *_) = cast.assign(cast.bob, rows[0].candidate.reference)
    shown = signed_in(cast.bob).get(f"/rate/{peers.pk}/").content.decode()
    assert BOX in shown and "zqowned" not in shown
    for who in (cast.bob, cast.carol, cast.rita, cast.ada, cast.mallory):
        path = f"/rate/{rows[0].pk}/note/"
        answer = signed_in(who).post(path, {"own_note": "taken over", "note_version": "1"})
        assert answer.status_code in (403, 404)
    assert note_of(cast.alice, rows[0]) == "zqowned" and note_of(cast.bob, rows[0]) == ""


def test_the_pages_script_saves_a_note_and_nothing_else(cast, client, rows) -> None:
    path = f"/rate/{rows[0].pk}/note/"
    answer = client.post(path, {"own_note": "a\r\nb", "note_version": "0"}, headers=SCRIPT)
    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert note_of(cast.alice, rows[0]) == "a\nb" and not Draft.objects.exists()
    again = client.post(path, {"own_note": "", "note_version": "1"}, headers=SCRIPT)
    assert (again.status_code, again.json()["version"]) == (200, 2)
    nothing = client.post(path, {"note_version": "2"}, headers=SCRIPT)
    assert nothing.json() == {"version": 0}


def test_another_tab_overwrites_no_note_unseen(cast, client, rows) -> None:
    save_note(assignment=rows[0], text="old", version=0)
    save_note(assignment=rows[1], text="newer", version=1)
    with pytest.raises(NoteMoved) as moved:
        save_note(assignment=rows[0], text="stale", version=1)
    assert (moved.value.note.text, moved.value.note.version) == ("newer", 2)
    path = f"/rate/{rows[0].pk}/note/"
    answer = client.post(path, {"own_note": "stale", "note_version": "1"}, headers=SCRIPT)
    assert answer.status_code == 409
    assert (answer.json()["text"], answer.json()["version"]) == ("newer", 2)
    assert note_of(cast.alice, rows[0]) == "newer"
    # What was meant is sent again, with both in view.
    assert (
        client.post(path, {"own_note": "stale", "note_version": "2"}, headers=SCRIPT).status_code
        == 200
    )
    assert note_of(cast.alice, rows[0]) == "stale"
    again = save_note(assignment=rows[0], text="stale", version=0)
    assert again and again.version == 3


@pytest.mark.parametrize("text", ["x" * (LONGEST_TEXT + 1), "a\0b"])
def test_a_note_that_cannot_be_stored_is_refused_and_leaves_the_rating_unsent(
    cast, client, rows, text, typed
) -> None:
    with pytest.raises(Refused):
        save_note(assignment=rows[0], text=text, version=0)
    sent = typed(own_note=text, note_version=0)
    answer = client.post(f"/rate/{rows[0].pk}/", sent)
    assert answer.status_code == 422 and "own note" in answer.content.decode()
    answer = client.post(f"/rate/{rows[0].pk}/note/", {"own_note": text}, headers=SCRIPT)
    assert answer.status_code == 422 and "own note" in answer.json()["sentence"]
    assert not Rating.objects.exists() and not ReferenceNote.objects.exists()


def test_without_scripts_every_button_of_the_form_saves_the_note(
    cast, client, rows, form_of, typed
) -> None:
    first, second, third = rows
    sent = form_of(client.get(f"/rate/{first.pk}/")) | typed(own_note="by submit")
    assert client.post(f"/rate/{first.pk}/", sent).status_code == 303
    assert note_of(cast.alice, first) == "by submit" and Rating.objects.count() == 1
    sent = form_of(client.get(f"/rate/{second.pk}/"))
    assert sent["own_note"] == "by submit" and sent["note_version"] == "1"
    sent |= {"own_note": "by its button", "comment": "not lost"}
    answer = client.post(f"/rate/{second.pk}/note/", sent)
    assert (answer.status_code, answer["Location"]) == (303, f"/rate/{second.pk}/")
    assert note_of(cast.alice, first) == "by its button"
    assert Draft.objects.get().typed["comment"] == "not lost"
    sent = form_of(client.get(f"/rate/{third.pk}/")) | {
        "own_note": "by a skip",
        "leave_code": "unreadable",
    }
    # A skip asks first, and what was typed is kept before it asks.
    assert client.post(f"/rate/{third.pk}/skip/", sent).status_code == 200
    assert note_of(cast.alice, first) == "by a skip"


def test_a_submit_with_a_stale_note_shows_both_and_stores_neither(
    client, cast, rows, form_of, typed
) -> None:
    sent = form_of(client.get(f"/rate/{rows[0].pk}/")) | typed(own_note="here")
    save_note(assignment=rows[1], text="there", version=0)
    answer = client.post(f"/rate/{rows[0].pk}/", sent)
    page = answer.content.decode()
    assert answer.status_code == 409 and '<q translate="no">there</q>' in page
    assert not Rating.objects.exists() and note_of(cast.alice, rows[0]) == "there"
    again = form_of(answer)
    assert (again["own_note"], again["note_version"], again[CRITERIA[0]]) == ("here", "1", "7")
    assert client.post(f"/rate/{rows[0].pk}/", again).status_code == 303
    assert note_of(cast.alice, rows[0]) == "here" and Rating.objects.count() == 1


def test_a_note_ends_with_its_reference_and_with_its_author(cast, rows) -> None:
    (other,) = cast.assign(cast.alice, cast.reference("r2", 1))
    for row in (rows[0], other):
        save_note(assignment=row, text=f"on {row.candidate.reference.reference_id}", version=0)
    reference = rows[0].candidate.reference
    assert erase_texts(reference)["own notes"] == 1
    assert [note.text for note in ReferenceNote.objects.all()] == ["on r2"]
    reference.erased_at = reference.campaign.created_at
    reference.save(update_fields=["erased_at"])
    with pytest.raises(OutOfDate, match="erased"):
        save_note(assignment=rows[0], text="late", version=0)
    assert BOX not in signed_in(cast.alice).get(f"/rate/{rows[0].pk}/").content.decode()
    author = ReferenceNote._meta.get_field("author").remote_field
    assert author.on_delete is models.CASCADE


def test_a_note_leaves_no_act_and_needs_a_signed_in_person(rows, client) -> None:
    before = AuditEvent.objects.count()
    client.post(f"/rate/{rows[0].pk}/note/", {"own_note": "quiet"}, headers=SCRIPT)
    assert ReferenceNote.objects.count() == 1 and AuditEvent.objects.count() == before
    assert Client().post(f"/rate/{rows[0].pk}/note/", {"own_note": "x"}).status_code == 302
