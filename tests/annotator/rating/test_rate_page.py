import re
from html import unescape
from urllib.parse import quote

import pytest
from django.test import Client

from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.keymap import ACTIONS
from annotator.models import (
    Assignment,
    Campaign,
    Candidate,
    Rating,
    ReadingPreference,
    Reference,
)
from annotator.rating.queries import CLOSED_SENTENCE, rate_page
from annotator.rating.services import skip_assignment
from tests.claims_in_languages import CHINESE, GERMAN

pytestmark = pytest.mark.postgres


def test_siblings_are_ones_own_candidates_of_the_reference(cast) -> None:
    reference = cast.reference()
    rows = cast.assign(cast.alice, reference)
    cast.assign(cast.bob, reference)
    cast.submit(rows[0])
    page = rate_page(cast.alice, rows[1].pk)
    assert page is not None
    assert [sibling.is_rated for sibling in page.siblings] == [True, False, False]
    assert [sibling.is_current for sibling in page.siblings] == [False, True, False]


def test_a_candidate_says_that_it_is_the_reference_or_another_candidate(client, rows) -> None:
    first, second, third = (row.candidate for row in rows)
    first.claims = "  ".join(first.reference.claims.split())
    Candidate.objects.filter(pk=first.pk).update(claims=first.claims)
    Candidate.objects.filter(pk=third.pk).update(claims_sha256=second.claims_sha256)
    pages = [client.get(f"/rate/{row.pk}/").content.decode() for row in rows]
    assert ["the reference, word for word" in page for page in pages] == [True, False, False]
    same = [re.findall("has the same text as ([^.]*)", page) for page in pages]
    assert same == [[], [rows[2].label], [rows[1].label]]


@pytest.mark.parametrize("purpose", ["repeat", "sentinel"])
def test_a_hidden_candidate_is_not_given_away_by_its_text(client, rows, purpose) -> None:
    hidden, other, _ = (row.candidate for row in rows)
    Candidate.objects.filter(pk=hidden.pk).update(
        purpose=purpose, claims_sha256=other.claims_sha256
    )
    for row in rows:
        assert "same text" not in client.get(f"/rate/{row.pk}/").content.decode()


def test_a_page_says_why_nothing_can_be_sent(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 4))

    def because(row: Assignment) -> str:
        page = rate_page(cast.alice, row.pk)
        assert page is not None and not page.is_writable
        return page.closed_because

    cast.submit(rows[0])
    skip_assignment(assignment=rows[2], reason_code="unreadable")
    Assignment.objects.filter(pk=rows[3].pk).update(status="withdrawn")
    assert "Take it back" in because(rows[2])
    assert "no longer assigned to you" in because(rows[3])
    Campaign.objects.update(status="closed")
    assert (because(rows[0]), because(rows[1])) == (LOCKED_SENTENCE, CLOSED_SENTENCE)


def test_neighbours_are_ones_own_assignments_in_order_whatever_their_state(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    rows += cast.assign(cast.alice, cast.reference("r2", 1))
    cast.assign(cast.bob, cast.reference("r3", 2))
    cast.submit(rows[0])
    pages = [rate_page(cast.alice, row.pk) for row in rows]
    keys = [row.pk for row in rows]
    assert [page.previous for page in pages if page] == [None, *keys[:-1]]
    assert [page.following for page in pages if page] == [*keys[1:], None]


SCRIPT = {"HX-Request": "true"}


def path(row) -> str:
    return f"/rate/{row.pk}/reading/"


def test_the_script_gets_the_claim_sets_alone_as_they_look_now(client, rows) -> None:
    answer = client.post(path(rows[0]), {"aid": "aligned off"}, headers=SCRIPT)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert html.lstrip().startswith('<div id="panes"') and "<form" not in html
    assert 'class="columns"' in html and 'value="aligned on"' in html
    answer = client.post(path(rows[0]), {"aid": "aligned on"}, headers=SCRIPT)
    assert b'class="columns"' not in answer.content and b'class="row' in answer.content


@pytest.mark.parametrize("aid", ["aligned", "diff", "marks"])
def test_without_script_the_page_comes_with_the_aid_switched(client, rows, form_of, typed, aid):
    page = f"/rate/{rows[0].pk}/"
    shown = form_of(client.get(page))
    answer = client.post(path(rows[0]), shown | typed(comment="half") | {"aid": f"{aid} off"})
    assert (answer.status_code, answer["Location"]) == (303, page)
    html = client.get(page).content.decode()
    assert f'value="{aid} on" aria-pressed="false"' in html and "half</textarea>" in html


def test_aids_follow_the_person_to_every_candidate_and_stay_off_others(client, cast, rows) -> None:
    client.post(path(rows[0]), {"aid": "marks off"}, headers=SCRIPT)
    assert b'value="marks on"' in client.get(f"/rate/{rows[1].pk}/").content
    theirs = cast.assign(cast.bob, rows[0].candidate.reference)
    client.force_login(cast.bob)
    assert b'value="marks off"' in client.get(f"/rate/{theirs[0].pk}/").content


def test_a_class_of_differences_is_counted_and_its_switch_is_remembered(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = candidate.reference.claims.replace("1. A ", "1. The ", 1)
    candidate.save()
    html = client.get(f"/rate/{rows[0].pk}/").content.decode()
    assert 'value="articles on" aria-pressed="false"' in html
    assert re.search(r'title="Articles and determiners"[^>]*>articles 2</button>', html)
    assert 'name="aid" value="signs' not in html, "what does not occur has no switch"
    shown = client.post(path(rows[0]), {"aid": "articles on"}, headers=SCRIPT).content.decode()
    assert 'value="articles off" aria-pressed="true"' in shown
    assert 'class="panes is-aligned shows-diff shows-marks shows-articles"' in shown
    assert "shows-articles" in client.get(f"/rate/{rows[0].pk}/").content.decode()


def test_a_rating_says_which_aids_were_on_the_screen(client, rows, form_of, typed) -> None:
    client.post(path(rows[0]), {"aid": "diff off"}, headers=SCRIPT)
    sent = form_of(client.get(f"/rate/{rows[0].pk}/")) | typed()
    client.post(f"/rate/{rows[0].pk}/", sent)
    assert Rating.objects.get().shown == {"aligned": True, "diff": False, "marks": True}


NO_AIDS = ("", "off", "diff", "diff maybe", "single_keys off", "<b> on", "diff\0 off", "x" * 9999)


@pytest.mark.parametrize("headers", [SCRIPT, {}], ids=["script", "page"])
def test_what_is_no_aid_is_422_in_a_plain_sentence(client, rows, headers) -> None:
    for aid in NO_AIDS:
        answer = client.post(path(rows[0]), {"aid": aid}, headers=headers)
        assert answer.status_code == 422, aid[:9]
        is_script = answer["Content-Type"].startswith("text/plain") and len(answer.content) < 200
        assert is_script == bool(headers), aid[:9]
        assert "reading aid" in answer.content.decode(), aid[:9]
        assert not ReadingPreference.objects.exists(), aid[:9]


def test_claims_that_hold_attributes_of_the_script_stay_text(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = '1. A cup <b hx-post="/logout/" data-hx-on="x">of</b> {{7*7}}\u202e.'
    candidate.save()
    html = client.post(path(rows[0]), {"aid": "diff on"}, headers=SCRIPT).content.decode()
    assert "<b hx-post" not in html and "{{7*7}}" in html
    assert 'class="claim-text" hx-ignore' in html
    assert 'data-code="U+202E"' in html


@pytest.fixture
def alice(cast, client: Client) -> Client:
    client.force_login(cast.alice)
    return client


def value(html: str, name: str) -> str:
    match = re.search(rf'<input id="id_{name}" name="{name}" value="([^"]*)"', html)
    assert match
    return unescape(match[1])


def test_the_page_shows_every_key_in_force_which_can_be_sent_back_unchanged(alice) -> None:
    html = alice.get("/keys/").content.decode()
    assert all(action.words in html for action in ACTIONS)
    assert (value(html, "ten"), value(html, "scroll-down")) == ("t", "PgDn")
    assert "default t or -" in html and "default j or ↓" in html
    assert re.search('name="single_keys" checked', html)
    assert not ReadingPreference.objects.exists()
    shown = {action.code: value(html, action.code) for action in ACTIONS}
    answer = alice.post("/keys/", shown | {"single_keys": "on"})
    assert (answer.status_code, answer["Location"]) == (303, "/keys/")
    assert ReadingPreference.objects.get().keys == {}


def test_changed_keys_are_stored_for_that_person_and_shown_again(alice, cast) -> None:
    alice.post("/keys/", {"ten": "x", "comment": "ctrl+m", "undo": "u", "single_keys": "on"})
    stored = ReadingPreference.objects.get()
    assert stored.user == cast.alice and stored.single_keys
    assert stored.keys == {"ten": "x", "comment": "Ctrl+m"}
    html = alice.get("/keys/").content.decode()
    assert (value(html, "ten"), value(html, "comment")) == ("x", "Ctrl+m")
    assert "Keys saved." in html
    alice.force_login(cast.bob)
    assert value(alice.get("/keys/").content.decode(), "ten") == "t"


def test_what_is_sent_takes_the_place_of_all_that_was_stored(alice) -> None:
    alice.post("/keys/", {"flag": "z", "ten": "x", "single_keys": "on"})
    assert alice.post("/keys/", {"undo": "z", "ten": ""}).status_code == 303
    stored = ReadingPreference.objects.get()
    assert (stored.keys, stored.single_keys) == ({"undo": "z"}, False)
    assert not re.search('name="single_keys" checked', alice.get("/keys/").content.decode())


def test_wrong_keys_are_named_at_their_fields_and_all_that_was_typed_stays(alice) -> None:
    unknown = alice.post("/keys/", {"dance": "x"})
    assert unknown.status_code == 422 and "no action named dance" in unknown.content.decode()
    sent = {"ten": "5", "undo": "n", "comment": "x", "note": "<b>"}
    answer = alice.post("/keys/?next=/rated/", sent)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert {name: value(html, name) for name in sent} == sent
    for name, words in (
        ("ten", "The digits 0 to 9 always give scores."),
        ("undo", "n is already the key for: next candidate."),
        ("note", "Type one character"),
    ):
        error = re.search(rf'<p class="error" id="{name}-error">([^<]*)<', html)
        assert error and words in error[1]
    assert 'id="comment-error"' not in html and html.count(" autofocus") == 1
    assert 'name="single_keys" checked' not in html
    assert 'name="next" value="/rated/"' in html
    assert not ReadingPreference.objects.exists()


def test_reset_brings_all_defaults_back_whatever_is_typed_and_keeps_the_way_back(alice) -> None:
    alice.post("/keys/", {"ten": "x"})
    ReadingPreference.objects.update(shows_diff=False)
    answer = alice.post("/keys/", {"ten": "5", "reset": "1", "next": "/rated/"})
    assert (answer.status_code, answer["Location"]) == (303, "/keys/?next=%2Frated%2F")
    stored = ReadingPreference.objects.get()
    assert (stored.keys, stored.single_keys, stored.shows_diff) == ({}, True, False)


def test_saving_leads_back_to_where_one_came_from(alice) -> None:
    html = alice.get("/keys/?next=/rate/7/%3Fa=1").content.decode()
    assert '<a href="/rate/7/?a=1">Back</a>' in html
    answer = alice.post("/keys/", {"next": "/rate/7/?a=1", "ten": "x"})
    assert answer["Location"] == "/rate/7/?a=1"


TARGETS = (
    *("https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"),
    *("rate/7/", "///evil.example", "\x00/rated/", "/" + "a" * 500),
)


def test_no_other_site_is_led_to(alice) -> None:
    for target in TARGETS:
        html = alice.get(f"/keys/?next={quote(target)}").content.decode()
        assert 'class="trail"' not in html and "evil.example" not in html, target
        answer = alice.post("/keys/", {"next": target, "ten": "x"})
        assert answer["Location"] == "/keys/", target


def test_marks_of_a_language_that_is_not_read_are_said_to_be_missing(client, rows) -> None:
    candidate = rows[0].candidate
    said = "Not checked in this language (German): antecedents, renamed terms"
    assert said not in client.get(f"/rate/{rows[0].pk}/").content.decode()
    Reference.objects.filter(pk=candidate.reference_id).update(language="de")
    html = client.get(f"/rate/{rows[0].pk}/").content.decode()
    assert html.count(said) == 2
    # Where no marks are asked for, none are missing.
    hidden = client.post(path(rows[0]), {"aid": "marks off"}, headers=SCRIPT).content.decode()
    assert said not in hidden


def test_the_page_says_how_the_language_of_a_text_was_found(client, rows) -> None:
    reference = Reference.objects.filter(pk=rows[0].candidate.reference_id)
    Candidate.objects.filter(pk=rows[0].candidate_id).update(claims=GERMAN[0].damaged(0))
    for record, said in (
        ("", "No language is recorded. By its words it is read as German."),
        ("en", "The record says English, but the text looks like German."),
    ):
        reference.update(claims=GERMAN[0].text, language=record)
        assert said in client.get(f"/rate/{rows[0].pk}/").content.decode()
    reference.update(language="de")
    html = client.get(f"/rate/{rows[0].pk}/").content.decode()
    assert "No language is recorded" not in html and "looks like" not in html


def test_a_candidate_in_chinese_is_told_apart_by_its_script(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = CHINESE[0].text
    candidate.save()
    html = client.get(f"/rate/{rows[0].pk}/").content.decode()
    assert html.count("Not checked in this language (Chinese)") == 1
    assert "4 claims · 116 characters" in html
