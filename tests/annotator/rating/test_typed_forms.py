"""What every button of the rate form does first, and what is shown again after a refusal."""

import pytest

from annotator.models import Campaign, Draft, Rating
from annotator.rating.forms import RatingForm
from annotator.rating.page import page_context
from annotator.rating.queries import rate_page
from annotator.rubric import CRITERIA
from tests.amounts import few

FIRST = CRITERIA[0]
# Every button that is no submit, with what it needs to be carried out.
BUTTONS = {
    "draft/": {},
    "reading/": {"aid": "diff off"},
    "tags/": {"tag": "add vagueness"},
    "skip/": {"leave_code": "not-now"},
    "recuse/": {},
    "flag/": {"flag_code": "wrong-text"},
}
# What each of them is refused for, and the code of its answer.
REFUSED = {
    "tags/": ({"tag": "add no-such-tag"}, 422),
    "skip/": ({"leave_code": "other", "leave_reason": " "}, 422),
    "flag/": ({"flag_code": ""}, 422),
    "recuse/": ({"leave_reason": "a\x00b"}, 422),
    "take-back/": ({}, 409),
}
HOSTILE = [
    "<script>x</script> <img src=x onerror=x> </textarea><p hx-get='/'> {{7*7}}{% load %} "
    "[x](javascript:alert(1)) \u202eabc\u200b\ufeff",
    "\r\n leading and trailing \r\n",
]


@pytest.mark.parametrize("action", BUTTONS)
def test_every_button_keeps_what_is_typed_and_the_page_shows_it_again(
    client, rows, form_of, typed, action: str
) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    words = typed(3, 4, 5, 6, comment="half\r\na sentence", note="n")
    answer = client.post(f"/rate/{rows[0].pk}/{action}", shown | words | BUTTONS[action])
    assert answer.status_code == 303
    again = form_of(client.get(f"/rate/{rows[0].pk}/"))
    assert (again["comment"], again["note"]) == ("half\r\na sentence", "n")
    # A left candidate's scales are disabled; the draft has the scores all the same.
    assert Draft.objects.get().typed[FIRST] == "3"


@pytest.mark.parametrize("action", few(BUTTONS, 3))
def test_a_button_pressed_on_a_stale_page_is_409_and_does_nothing(
    client, rows, form_of, typed, action: str
) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    client.post(f"/rate/{rows[0].pk}/draft/", shown | typed(comment="of the other tab"))
    mine = shown | typed(1, 1, 1, 1, comment="of this tab") | BUTTONS[action]
    answer = client.post(f"/rate/{rows[0].pk}/{action}", mine)
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "of the other tab</q>" in html and "of this tab</textarea>" in html
    assert Draft.objects.get().typed["comment"] == "of the other tab"
    rows[0].refresh_from_db()
    assert rows[0].status == "open" and not rows[0].flags.exists()


@pytest.mark.parametrize("action", REFUSED)
def test_a_refused_button_shows_all_that_was_typed_and_can_be_pressed_again(
    client, rows, form_of, typed, action: str
) -> None:
    fields, code = REFUSED[action]
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    words = typed(3, 4, 5, 6, comment="half\r\na sentence")
    answer = client.post(f"/rate/{rows[0].pk}/{action}", shown | words | fields)
    assert answer.status_code == code
    again = form_of(answer)
    assert {name: again[name] for name in words} == words
    assert b'role="alert"' in answer.content
    # What was kept with the refusal is this page's own draft: it does not clash with itself.
    answer = client.post(f"/rate/{rows[0].pk}/", again | {"comment": "and the rest"})
    assert answer.status_code == 303, answer.content
    assert Rating.objects.get().comment == "and the rest"


@pytest.mark.parametrize("action", ["skip/", "flag/"])
def test_a_refused_leaving_shows_its_reason_again(client, rows, form_of, action: str) -> None:
    kind = {"skip/": "leave", "flag/": "flag"}[action]
    sent = {f"{kind}_code": "other", f"{kind}_reason": "x" * 2001}
    answer = client.post(f"/rate/{rows[0].pk}/{action}", sent)
    assert answer.status_code == 422 and b"2,000 characters" in answer.content
    again = form_of(answer)
    assert {name: again[name] for name in sent} == sent
    assert b'id="leave" open>' in answer.content


@pytest.mark.parametrize("text", HOSTILE, ids=["markup", "line ends"])
def test_hostile_text_comes_back_as_text_in_draft_refusal_and_rating(
    client, rows, form_of, typed, text: str
) -> None:
    path = f"/rate/{rows[0].pk}/"
    words = {"comment": text, "note": text}
    shown = form_of(client.get(path))
    client.post(f"{path}draft/", shown | typed() | words)
    draft = client.get(path)
    refused = client.post(path, form_of(draft) | {FIRST: "11"})
    stored = client.post(path, form_of(draft), follow=True)
    rated = client.get(path)
    assert (refused.status_code, stored.status_code) == (422, 200)
    for answer in (draft, refused, rated):
        again = form_of(answer)
        assert {field: again[field] for field in words} == words
        html = answer.content.decode()
        assert "<script>x" not in html and "<img src=x" not in html and "<p hx-get" not in html
    rating = Rating.objects.get()
    assert {rating.comment, rating.note} == {text.replace("\r\n", "\n")}


def test_nothing_is_stored_on_a_page_that_takes_nothing(client, rows, form_of, typed) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    Campaign.objects.update(status="closed")
    client.post(f"/rate/{rows[0].pk}/reading/", shown | typed(comment="x") | {"aid": "diff off"})
    assert not Draft.objects.exists()


def test_the_small_forms_of_a_scripted_page_save_nothing(client, rows) -> None:
    client.post(f"/rate/{rows[0].pk}/reading/", {"aid": "diff off"})
    assert not Draft.objects.exists()


def test_a_draft_of_another_tab_stays_another_tabs_after_a_plain_mistake(
    client, cast, rows, typed
) -> None:
    client.post(f"/rate/{rows[0].pk}/draft/", typed(comment="there", draft_version=0))
    page = rate_page(cast.alice, rows[0].pk)
    assert page is not None
    form = RatingForm(typed(comment="here", draft_version=0))
    assert page_context(page, form)["sent"]["draft_version"] == "0"
