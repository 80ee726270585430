"""What every button of the rate form does first, and what is shown again after a refusal."""

import uuid

import pytest
from django.test import Client

from annotator.models import (
    Assignment,
    Campaign,
    Departure,
    Draft,
    Flag,
    Rating,
    ReadingPreference,
    WorkTime,
)
from annotator.rating.forms import RatingForm
from annotator.rating.page import page_context
from annotator.rating.queries import rate_page
from patclaimeval.rubric import CRITERIA
from tests.amounts import few

FIRST = CRITERIA[0]
# Every button that is no submit, with what it needs to be carried out.
BUTTONS = {
    "draft/": {},
    "reading/": {"aid": "diff off"},
    "tags/": {"tag": "add vagueness"},
    "skip/": {"leave_code": "not-now", "confirmed": "1"},
    "recuse/": {"leave_reason": "my client", "confirmed": "1"},
    "flag/": {"flag_code": "wrong-text"},
}
# What each of them is refused for, and the code of its answer.
REFUSED = {
    "tags/": ({"tag": "add no-such-tag"}, 422),
    "flag/": ({"flag_code": ""}, 422),
    "take-back/": ({}, 409),
}


@pytest.mark.parametrize("action", BUTTONS)
def test_every_button_keeps_what_is_typed_and_shows_it_again(client, rows, form_of, typed, action):
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    words = typed(3, 4, 5, 6, comment="half\r\na sentence", note="n")
    answer = client.post(f"/rate/{rows[0].pk}/{action}", shown | words | BUTTONS[action])
    assert answer.status_code == 303
    if action == "recuse/":
        # The page shows nothing of the reference until the recusal is taken back.
        back = client.post(f"/rate/{rows[0].pk}/take-back/")
        assert back.status_code == 303
    again = form_of(client.get(f"/rate/{rows[0].pk}/"))
    assert (again["comment"], again["note"]) == ("half\r\na sentence", "n")
    # A left candidate's scales are disabled; the draft has the scores all the same.
    assert Draft.objects.get().typed[FIRST] == "3"


@pytest.mark.parametrize("action", few(BUTTONS, 3))
def test_a_button_on_a_stale_page_is_409_and_does_nothing(client, rows, form_of, typed, action):
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
def test_a_refused_button_shows_all_typed_and_works_again(client, rows, form_of, typed, action):
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


def test_a_refused_flag_shows_its_reason_again(client, rows, form_of) -> None:
    sent = {"flag_code": "other", "flag_reason": "x" * 2001}
    answer = client.post(f"/rate/{rows[0].pk}/flag/", sent)
    assert answer.status_code == 422 and b"2,000 characters" in answer.content
    again = form_of(answer)
    assert {name: again[name] for name in sent} == sent
    assert b'id="leave" open>' in answer.content


def test_line_ends_around_words_stay_in_draft_refusal_and_rating(client, rows, form_of, typed):
    path, text = f"/rate/{rows[0].pk}/", "\r\n leading and trailing <b>\r\n"
    words = {"comment": text, "note": text}
    client.post(f"{path}draft/", form_of(client.get(path)) | typed() | words)
    draft = client.get(path)
    refused = client.post(path, form_of(draft) | {FIRST: "11"})
    stored = client.post(path, form_of(draft), follow=True)
    assert (refused.status_code, stored.status_code) == (422, 200)
    for answer in (draft, refused, client.get(path)):
        again = form_of(answer)
        assert {field: again[field] for field in words} == words
    rating = Rating.objects.get()
    assert {rating.comment, rating.note} == {text.replace("\r\n", "\n")}


def test_nothing_is_kept_on_a_page_that_takes_nothing(client, rows, form_of, typed) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    # Nor by the small forms of a page with scripts, nor where nothing was typed.
    client.post(f"/rate/{rows[0].pk}/reading/", {"aid": "diff off"})
    assert client.post(path(rows[0]), shown).status_code == 303
    assert not Draft.objects.exists()
    Campaign.objects.update(status="closed")
    client.post(f"/rate/{rows[0].pk}/reading/", shown | typed(comment="x") | {"aid": "diff off"})
    assert not Draft.objects.exists()


def test_a_draft_of_another_tab_stays_another_tabs_after_a_plain_mistake(client, cast, rows, typed):
    client.post(f"/rate/{rows[0].pk}/draft/", typed(comment="there", draft_version=0))
    page = rate_page(cast.alice, rows[0].pk)
    assert page is not None
    form = RatingForm(typed(comment="here", draft_version=0))
    assert page_context(page, form)["sent"]["draft_version"] == "0"


@pytest.mark.parametrize("headers", [{"HX-Request": "true"}, {}], ids=["script", "page"])
@pytest.mark.parametrize("name", ["bob", "mallory"])
def test_anothers_assignment_is_answered_as_one_that_does_not_exist(
    client, cast, rows, typed, name: str, headers
) -> None:
    client.force_login(getattr(cast, name))
    others = ("", "overall/", "draft/discard/", "ping/", "take-back/")
    for action in (*BUTTONS, *others):
        sent = typed(draft_version=0) | BUTTONS.get(action, {})
        answers = [
            client.post(f"/rate/{pk}/{action}", sent, headers=headers)
            for pk in (rows[0].pk, uuid.uuid4())
        ]
        assert [answer.status_code for answer in answers] == [404, 404], action
        assert answers[0].content == answers[1].content, action
    assert set(Assignment.objects.values_list("status", flat=True)) == {"open"}
    for model in (Rating, Draft, Departure, Flag, WorkTime, ReadingPreference):
        assert not model.objects.exists(), model


SCRIPT = {"HX-Request": "true"}


def path(row: Assignment, action: str = "draft/") -> str:
    return f"/rate/{row.pk}/{action}"


@pytest.fixture
def save(client: Client, rows: list[Assignment]):
    """Give a function that sends an autosave of the first candidate as the page's script does."""

    def send(comment: str, version: int, **more: str):
        sent = {"comment": comment, "draft_version": version, "version": 0} | more
        return client.post(path(rows[0]), sent, headers=SCRIPT)

    return send


def test_the_script_is_given_the_new_version_and_time_also_after_the_campaign_closed(save) -> None:
    answers = [save(f"words {n}", n) for n in range(3)]
    assert [answer.json()["version"] for answer in answers] == [1, 2, 3]
    draft = Draft.objects.get()
    assert draft.typed["comment"] == "words 2"
    assert answers[-1].json()["saved_at"] == draft.saved_at.isoformat()
    Campaign.objects.update(status="closed")
    assert save("not lost", 3).status_code == 200


def test_a_draft_keeps_what_no_rating_could_hold(save, client, rows) -> None:
    for number, wrong in enumerate(("10.5", "-1", "11", "", "9 ", "9.", "+9", "9\u00a0", "<b>")):
        assert save(f"words {number}", number, **{FIRST: wrong}).status_code == 200, wrong
        assert Draft.objects.get().typed[FIRST] == wrong
        html = client.get(f"/rate/{rows[0].pk}/").content.decode()
        assert f"words {number}</textarea>" in html and "not submitted yet" in html, wrong


def test_a_stale_autosave_is_409_with_the_text_that_stands_there(save) -> None:
    save("first", 0)
    save("of the other tab", 1)
    answer = save("of this tab", 1)
    assert answer.status_code == 409
    body = answer.json()
    assert (body["typed"]["comment"], body["version"]) == ("of the other tab", 2)
    assert body["sentence"] == "Another tab changed this draft."
    assert Draft.objects.get().typed["comment"] == "of the other tab"


def test_a_version_that_is_none_overwrites_nothing(save) -> None:
    answer = save("a\x00b", 0)
    assert answer.status_code == 422 and set(answer.json()) == {"sentence"}
    assert not Draft.objects.exists()
    save("old", 0)
    for version in ("x", "-1", "9" * 40, "1.5", "\x00", "2"):
        answer = save("odd", version)
        assert answer.status_code == 409, version
        assert Draft.objects.get().typed["comment"] == "old", version


def test_a_rating_of_several_lines_sent_back_as_shown_makes_no_draft(client, rows, form_of, typed):
    client.post(f"/rate/{rows[0].pk}/", typed(comment="one\r\ntwo", note="a\r\nb"))
    sent = form_of(client.get(f"/rate/{rows[0].pk}/"))
    assert sent["comment"] == "one\r\ntwo"
    client.post(path(rows[0]), sent)
    assert not Draft.objects.exists()


def test_without_script_a_stale_draft_is_409_with_both_texts(client, rows, form_of, typed) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    client.post(path(rows[0]), shown | typed(1, 1, 1, 1, comment="theirs"))
    answer = client.post(path(rows[0]), shown | typed(2, 2, 2, 2, comment="mine"))
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "theirs</q>" in html and "mine</textarea>" in html
    again = form_of(answer)
    assert (again[FIRST], again["draft_version"]) == ("2", "1")
    assert client.post(path(rows[0]), again).status_code == 303
    assert Draft.objects.get().typed["comment"] == "mine"


def test_a_draft_is_discarded_as_it_was_shown(client, rows, form_of, typed) -> None:
    client.post(f"/rate/{rows[0].pk}/", typed(comment="stored"))
    tags = '["vagueness"]'
    drafted = typed(1, 1, 1, 1, comment="draft", draft_version=0, version=1, error_tags=tags)
    client.post(path(rows[0]), drafted)
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    assert shown["comment"] == "draft"
    asked = client.post(path(rows[0], "draft/discard/"), shown).content.decode()
    assert "<strong>4 scores, 1 error tag, your comment</strong> will be deleted." in asked
    assert "What you submitted before stays." in asked and Draft.objects.exists()
    assert f'name="draft_version" value="{shown["draft_version"]}"' in asked
    answer = client.post(path(rows[0], "draft/discard/"), shown | {"confirmed": "1"})
    assert answer.status_code == 303 and not Draft.objects.exists()
    assert form_of(client.get(answer["Location"]))["comment"] == "stored"


def test_a_draft_into_which_another_tab_typed_is_not_discarded(client, rows, save, form_of) -> None:
    save("seen", 0)
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    save("typed since", 1)
    answer = client.post(path(rows[0], "draft/discard/"), shown | {"confirmed": "1"})
    assert answer.status_code == 409 and b"typed since</q>" in answer.content
    assert Draft.objects.get().typed["comment"] == "typed since"


def test_two_tabs_over_a_whole_life_never_lose_the_later_words(client, rows, form_of, typed):
    here = form_of(client.get(f"/rate/{rows[0].pk}/"))
    there = dict(here)
    assert client.post(f"/rate/{rows[0].pk}/", here | typed(comment="here")).status_code == 303
    answer = client.post(f"/rate/{rows[0].pk}/", there | typed(1, 1, 1, 1, comment="there"))
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "here</q>" in html and "there</textarea>" in html
    # Kept as a draft of the author, so that closing the page loses nothing either.
    assert form_of(client.get(f"/rate/{rows[0].pk}/"))["comment"] == "there"
    assert client.post(f"/rate/{rows[0].pk}/", form_of(answer)).status_code == 303
    assert Rating.objects.get().comment == "there" and not Draft.objects.exists()


def test_a_refused_submit_sent_again_as_a_page_is_no_clash_with_itself(client, rows, typed) -> None:
    client.post(f"/rate/{rows[0].pk}/", typed(comment="stored"))
    late = typed(1, 1, 1, 1, draft_version=0, version=0, error_tags="[]")
    script = client.post(f"/rate/{rows[0].pk}/", late | {"comment": "a\nb"}, headers=SCRIPT)
    page = client.post(f"/rate/{rows[0].pk}/", late | {"comment": "a\r\nb"})
    assert (script.status_code, page.status_code) == (409, 409)
    assert b"another tab" not in page.content


def test_pings_count_and_say_how_long_the_lease_runs(client, cast) -> None:
    cast.reference("r1", 1)
    client.force_login(cast.alice)
    row = cast.take(cast.alice)
    answer = client.post(path(row, "ping/"))
    assert answer.json() == {"lease_expires_at": row.lease_expires_at.isoformat()}
    assert WorkTime.objects.get().assignment == row


def test_a_ping_of_a_named_assignment_has_no_lease_to_tell(client, rows) -> None:
    assert client.post(path(rows[0], "ping/")).json() == {"lease_expires_at": None}
