"""The keys page, posted without JavaScript."""

import re
from html import unescape
from urllib.parse import quote

import pytest
from django.test import Client

from annotator.keymap import ACTIONS
from annotator.models import ReadingPreference


@pytest.fixture
def alice(cast, client: Client) -> Client:
    client.force_login(cast.alice)
    return client


def value(html: str, name: str) -> str:
    match = re.search(rf'<input id="id_{name}" name="{name}" value="([^"]*)"', html)
    assert match
    return unescape(match[1])


def test_the_page_shows_every_action_with_the_key_in_force_and_its_defaults(alice) -> None:
    html = alice.get("/keys/").content.decode()
    assert all(action.words in html for action in ACTIONS)
    assert (value(html, "ten"), value(html, "scroll-down")) == ("t", "PgDn")
    assert "default t or -" in html and "default j or ↓" in html
    assert re.search('name="single_keys" checked', html)
    assert not ReadingPreference.objects.exists()


def test_what_the_page_shows_can_be_sent_back_unchanged(alice) -> None:
    html = alice.get("/keys/").content.decode()
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
    assert "Your keys are stored." in html
    alice.force_login(cast.bob)
    assert value(alice.get("/keys/").content.decode(), "ten") == "t"


def test_a_blank_field_brings_the_default_back(alice) -> None:
    alice.post("/keys/", {"ten": "x", "single_keys": "on"})
    alice.post("/keys/", {"ten": "", "single_keys": "on"})
    assert ReadingPreference.objects.get().keys == {}


def test_single_letter_keys_can_be_switched_off(alice) -> None:
    alice.post("/keys/", {"ten": "t"})
    assert ReadingPreference.objects.get().single_keys is False
    assert not re.search('name="single_keys" checked', alice.get("/keys/").content.decode())


def test_wrong_keys_are_reported_at_their_fields_and_everything_shown_again(alice) -> None:
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
    assert 'id="comment-error"' not in html
    assert 'name="single_keys" checked' not in html
    assert 'name="next" value="/rated/"' in html
    assert not ReadingPreference.objects.exists()


@pytest.mark.parametrize("key", ["\x00", "x" * 21, "\u200b"])
def test_what_is_no_key_is_reported_at_its_field(alice, key: str) -> None:
    answer = alice.post("/keys/", {"ten": key})
    assert answer.status_code == 422 and 'id="ten-error"' in answer.content.decode()


def test_an_unknown_action_is_refused(alice) -> None:
    answer = alice.post("/keys/", {"dance": "x"})
    assert answer.status_code == 422 and "no action named dance" in answer.content.decode()


def test_reset_brings_all_defaults_back_whatever_is_typed_and_keeps_the_way_back(alice) -> None:
    alice.post("/keys/", {"ten": "x"})
    answer = alice.post("/keys/", {"ten": "5", "reset": "1", "next": "/rated/"})
    assert (answer.status_code, answer["Location"]) == (303, "/keys/?next=%2Frated%2F")
    stored = ReadingPreference.objects.get()
    assert (stored.keys, stored.single_keys) == ({}, True)


def test_reading_aids_stay_as_they_were(alice, cast) -> None:
    ReadingPreference.objects.create(user=cast.alice, shows_diff=False)
    alice.post("/keys/", {"ten": "x"})
    alice.post("/keys/", {"reset": "1"})
    assert ReadingPreference.objects.get().shows_diff is False


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


def test_only_annotators_have_keys(client: Client, cast) -> None:
    client.force_login(cast.rita)
    assert client.get("/keys/").status_code == 403
