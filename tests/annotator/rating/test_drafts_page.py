"""Drafts and pings, sent by the page's script and by its buttons without it."""

import uuid

import pytest
from django.test import Client

from annotator.assignments.services import take_next
from annotator.models import Assignment, Campaign, Draft, Rating, WorkTime
from annotator.rating.drafts import LONGEST_TYPED
from annotator.rubric import CRITERIA

SCRIPT = {"HX-Request": "true"}
FIRST = CRITERIA[0]
ACTIONS = ("draft/", "draft/discard/", "ping/")


def path(row: Assignment, action: str = "draft/") -> str:
    return f"/rate/{row.pk}/{action}"


@pytest.fixture
def save(client: Client, rows: list[Assignment]):
    """Give a function that sends an autosave of the first candidate as the page's script does."""

    def send(comment: str, version: int, **more: str):
        sent = {"comment": comment, "draft_version": version, "version": 0} | more
        return client.post(path(rows[0]), sent, headers=SCRIPT)

    return send


def test_the_script_gets_the_new_version_and_when_it_was_stored(save) -> None:
    answers = [save(f"words {n}", n) for n in range(3)]
    assert [answer.json()["version"] for answer in answers] == [1, 2, 3]
    draft = Draft.objects.get()
    assert draft.typed["comment"] == "words 2"
    assert answers[-1].json()["saved_at"] == draft.saved_at.isoformat()


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
    said = answer.json()
    assert (said["typed"]["comment"], said["version"]) == ("of the other tab", 2)
    assert said["sentence"] == "Another tab changed this draft."
    assert Draft.objects.get().typed["comment"] == "of the other tab"


def test_an_autosave_after_the_submit_is_409_and_the_rating_stays(
    save, client, rows, typed
) -> None:
    save("typed", 0)
    sent = typed(comment="final", draft_version=1, version=0)
    assert client.post(f"/rate/{rows[0].pk}/", sent).status_code == 303
    answer = save("late", 1)
    assert (answer.status_code, answer.json()["typed"]) == (409, None)
    assert Rating.objects.get().comment == "final" and not Draft.objects.exists()


@pytest.mark.parametrize("words", ["a\x00b", "x" * (LONGEST_TYPED + 1)])
def test_what_cannot_be_stored_is_reported_in_a_sentence(save, words: str) -> None:
    answer = save(words, 0)
    assert answer.status_code == 422 and set(answer.json()) == {"sentence"}
    assert not Draft.objects.exists()


def test_a_version_that_is_none_overwrites_nothing(save) -> None:
    save("old", 0)
    for version in ("x", "-1", "9" * 40, "1.5", "\x00", "2"):
        answer = save("odd", version)
        assert answer.status_code == 409, version
        assert Draft.objects.get().typed["comment"] == "old", version


def test_a_draft_beyond_the_size_limit_is_413_and_the_old_one_stays(save) -> None:
    save("old", 0)
    assert save("x" * 3_000_000, 1).status_code == 413
    assert Draft.objects.get().typed["comment"] == "old"


def test_without_script_a_button_keeps_the_draft_and_the_page_shows_all_of_it(
    client, rows, form_of, typed
) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    sent = shown | typed(3, 4, 5, 6, comment="one\r\ntwo  ", note="<i>note</i>")
    sent["error_tags"] = '[{"tag": "vagueness", "side": "candidate"}]'
    answer = client.post(path(rows[0]), sent)
    assert (answer.status_code, answer["Location"]) == (303, f"/rate/{rows[0].pk}/")
    again = form_of(client.get(answer["Location"]))
    assert {name: again[name] for name in sent if name not in ("key", "draft_version")} == {
        name: value for name, value in sent.items() if name not in ("key", "draft_version")
    }
    assert again["draft_version"] == "1"


def test_without_script_nothing_is_stored_where_nothing_was_typed(client, rows, form_of) -> None:
    sent = form_of(client.get(f"/rate/{rows[0].pk}/"))
    assert client.post(path(rows[0]), sent).status_code == 303
    assert not Draft.objects.exists()


def test_a_rating_of_several_lines_sent_back_as_shown_makes_no_draft(
    client, rows, form_of, typed
) -> None:
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
    client.post(path(rows[0]), typed(1, 1, 1, 1, comment="draft", draft_version=0, version=1))
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    assert shown["comment"] == "draft"
    answer = client.post(path(rows[0], "draft/discard/"), shown)
    assert answer.status_code == 303 and not Draft.objects.exists()
    assert form_of(client.get(answer["Location"]))["comment"] == "stored"


def test_a_draft_into_which_another_tab_typed_is_not_discarded(client, rows, save, form_of) -> None:
    save("seen", 0)
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    save("typed since", 1)
    answer = client.post(path(rows[0], "draft/discard/"), shown)
    assert answer.status_code == 409 and b"typed since</q>" in answer.content
    assert Draft.objects.get().typed["comment"] == "typed since"


def test_two_tabs_over_a_whole_life_never_lose_the_later_text(client, rows, form_of, typed):
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
    row = take_next(slug="cups", annotator=cast.alice)
    assert row is not None and row.lease_expires_at is not None
    answer = client.post(path(row, "ping/"))
    assert answer.json() == {"lease_expires_at": row.lease_expires_at.isoformat()}
    assert WorkTime.objects.get().assignment == row


def test_a_ping_of_a_named_assignment_has_no_lease_to_report(client, rows) -> None:
    assert client.post(path(rows[0], "ping/")).json() == {"lease_expires_at": None}


@pytest.mark.parametrize("headers", [SCRIPT, {}], ids=["script", "page"])
def test_anothers_assignment_is_as_one_that_does_not_exist(
    client, cast, rows, save, headers
) -> None:
    save("hers", 0)
    sent = {"comment": "theirs", "draft_version": 1}
    for user in (cast.bob, cast.mallory):
        client.force_login(user)
        for action in ACTIONS:
            answers = [
                client.post(f"/rate/{pk}/{action}", sent, headers=headers)
                for pk in (rows[0].pk, uuid.uuid4())
            ]
            assert [answer.status_code for answer in answers] == [404, 404], action
            assert answers[0].content == answers[1].content, action
            assert Draft.objects.get().typed["comment"] == "hers", action
            assert not WorkTime.objects.exists(), action


def test_nobody_else_reads_a_draft(client, cast, rows, save) -> None:
    save("draftcanary", 0)
    bobs, *_ = cast.assign(cast.bob, rows[0].candidate.reference)
    pages = ("/", f"/rate/{rows[0].pk}/", f"/rate/{bobs.pk}/", "/campaigns/cups/", "/rated/")
    for name in ("bob", "ada", "carol", "rita", "mallory"):
        client.force_login(getattr(cast, name))
        for page in pages:
            assert b"draftcanary" not in client.get(page).content, (name, page)


def test_drafts_and_pings_are_posted_with_a_token_of_this_site(cast, rows) -> None:
    stranger = Client(enforce_csrf_checks=True)
    stranger.force_login(cast.alice)
    for action in ACTIONS:
        for headers in ({}, SCRIPT):
            answer = stranger.post(path(rows[0], action), {}, headers=headers)
            assert answer.status_code == 403, action
        assert stranger.get(path(rows[0], action)).status_code == 405, action


def test_the_script_stores_text_after_the_campaign_closed(save) -> None:
    Campaign.objects.update(status="closed")
    assert save("not lost", 0).status_code == 200
