"""The reading aids, switched by the page's script and by its buttons without it."""

import uuid

import pytest

from annotator.models import Rating, ReadingPreference

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
def test_without_script_the_page_comes_again_with_the_aid_switched(
    client, rows, form_of, typed, aid: str
) -> None:
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


@pytest.mark.parametrize("name", ["bob", "mallory"])
def test_anothers_claims_are_not_shown_by_way_of_an_aid(client, cast, rows, name: str) -> None:
    client.force_login(getattr(cast, name))
    for pk in (rows[0].pk, uuid.uuid4()):
        answer = client.post(f"/rate/{pk}/reading/", {"aid": "diff off"}, headers=SCRIPT)
        assert answer.status_code == 404 and b"A mug" not in answer.content
    assert not ReadingPreference.objects.exists()


def test_claims_that_hold_attributes_of_the_script_stay_text(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = '1. A cup <b hx-post="/logout/" data-hx-on="x">of</b> {{7*7}}\u202e.'
    candidate.save()
    html = client.post(path(rows[0]), {"aid": "diff on"}, headers=SCRIPT).content.decode()
    assert "<b hx-post" not in html and "{{7*7}}" in html
    assert 'class="claim-text" hx-ignore' in html
    assert 'data-code="U+202E"' in html
