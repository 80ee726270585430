"""Error tags: one more, one less, with script and without."""

import json
import re
import uuid

import pytest

from annotator.models import Campaign, Draft, Rating
from tests.amounts import IS_THOROUGH

SCRIPT = {"HX-Request": "true"}
VAGUE = {"tag": "vagueness", "side": "candidate"}
ON_WORDS = {"tag": "vagueness", "side": "candidate", "start": 3, "end": 8}


def path(row) -> str:
    return f"/rate/{row.pk}/tags/"


def tags_in(answer) -> list[dict]:
    found = re.search(r'name="error_tags" value="([^"]*)"', answer.content.decode())
    assert found
    return json.loads(found[1].replace("&quot;", '"'))


def change(client, row, wish: str, *chosen: dict, **more: object):
    sent = {"tag": wish, "error_tags": json.dumps(chosen)} | more
    return client.post(path(row), sent, headers=SCRIPT)


def test_the_script_gets_the_chips_with_one_more_and_nothing_is_stored(client, rows) -> None:
    answer = change(client, rows[0], "add vagueness")
    assert tags_in(answer) == [VAGUE]
    answer = change(client, rows[0], "add vagueness candidate 3 8", VAGUE)
    assert tags_in(answer) == [VAGUE, ON_WORDS]
    assert b'<q translate="no">A mug</q>' in answer.content
    assert not Draft.objects.exists() and not Rating.objects.exists()


def test_a_tag_is_removed_by_its_place_and_a_place_that_is_none_removes_nothing(
    client, rows
) -> None:
    assert tags_in(change(client, rows[0], "remove 0", VAGUE, ON_WORDS)) == [ON_WORDS]
    assert tags_in(change(client, rows[0], "remove 2", VAGUE, ON_WORDS)) == [VAGUE, ON_WORDS]
    assert tags_in(change(client, rows[0], "show", VAGUE, ON_WORDS)) == [VAGUE, ON_WORDS]


def test_the_same_tag_chosen_twice_is_one(client, rows) -> None:
    assert tags_in(change(client, rows[0], "add vagueness", VAGUE)) == [VAGUE]


WISHES = (
    *("", "add", "add ", "add no-such-tag", "add vagueness candidate", "remove", "remove x"),
    *("add vagueness other 0 1", "add vagueness candidate 5 3", "add vagueness candidate 3 3"),
    *("add vagueness candidate 0 9999999", "add vagueness candidate 0 99999999", "remove 1000"),
    *("add vagueness candidate -1 3", "add <script>", "add vagueness\x00", "ADD vagueness"),
    "add " + "a" * 9999,
)


def test_a_wish_that_is_none_is_422_and_keeps_what_was_chosen(client, rows, form_of, typed) -> None:
    for number, wish in enumerate(WISHES):
        said = wish[:40]
        sent = typed(comment="half", tag=wish, error_tags=json.dumps([VAGUE]))
        answer = client.post(path(rows[0]), sent, headers=SCRIPT)
        assert answer.status_code == 422 and not Draft.objects.exists(), said
        assert answer["Content-Type"].startswith("text/plain") and len(answer.content) < 300, said
        # Both ask the same service; the page is drawn for a share of them.
        if number in range(0, len(WISHES), 1 if IS_THOROUGH else 5):
            answer = client.post(path(rows[0]), sent)
            assert answer.status_code == 422 and not Draft.objects.exists(), said
            again = form_of(answer)
            assert (again["comment"], json.loads(again["error_tags"])) == ("half", [VAGUE]), said


UNREADABLE = (
    *("[", "null", "7", '"vagueness"', '{"tag": "vagueness"}', "[NaN]", '["no-such-tag"]'),
    *('[{"tag": "vagueness", "start": 3}]', '[{"tag": ["vagueness"]}]', "[" * 5000, "\x00"),
    *('[{"tag": "vagueness", "remark": "\\u0000"}]', '["\\ud800"]', '[{"tag": "x", "tag": 1}]'),
)


def test_tags_that_cannot_be_read_are_no_fault_here_and_422_at_submit(
    client, rows, form_of, typed
) -> None:
    for chosen in UNREADABLE:
        said, sent = chosen[:40], {"tag": "add vagueness", "error_tags": chosen}
        answer = client.post(path(rows[0]), sent, headers=SCRIPT)
        assert (answer.status_code, tags_in(answer)) == (200, [VAGUE]), said
        answer = client.post(f"/rate/{rows[0].pk}/", typed(error_tags=chosen))
        assert answer.status_code == 422, said
        assert not Rating.objects.exists() and form_of(answer)["error_tags"] == chosen, said
        Draft.objects.all().delete()


def test_without_script_a_tag_is_stored_with_the_draft_and_reaches_the_rating(
    client, rows, form_of, typed
) -> None:
    page = f"/rate/{rows[0].pk}/"
    sent = form_of(client.get(page)) | typed(comment="half") | {"tag": "add vagueness"}
    answer = client.post(path(rows[0]), sent)
    assert (answer.status_code, answer["Location"]) == (303, page)
    again = form_of(client.get(page))
    assert (again["comment"], json.loads(again["error_tags"])) == ("half", [VAGUE])
    assert client.post(page, again).status_code == 303
    assert Rating.objects.get().error_tags == [VAGUE]


def test_without_script_removing_is_not_adding_what_the_list_shows(
    client, rows, form_of, typed
) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    client.post(path(rows[0]), shown | {"tag": "add vagueness"})
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    # A browser sends the list of tags along with the button that was pressed.
    answer = client.post(path(rows[0]), shown | {"tag": ["add vagueness", "remove 0"]})
    assert answer.status_code == 303
    assert json.loads(Draft.objects.get().typed["error_tags"]) == []


def test_without_script_a_stale_page_is_409_with_both_and_the_wish_shown_again(
    client, rows, form_of, typed
) -> None:
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    client.post(f"/rate/{rows[0].pk}/draft/", shown | typed(comment="there"))
    mine = shown | typed(comment="here") | {"tag": "add vagueness"}
    answer = client.post(path(rows[0]), mine)
    assert answer.status_code == 409
    assert b"there</q>" in answer.content and b"here</textarea>" in answer.content


def test_a_hundred_tags_fit_and_one_more_is_refused_without_losing_them(client, rows) -> None:
    many = [VAGUE | {"remark": f"n{number}"} for number in range(100)]
    assert len(tags_in(change(client, rows[0], "show", *many))) == 100
    answer = change(client, rows[0], "add vagueness", *many)
    assert answer.status_code == 422 and b"100 error tags" in answer.content


def test_quotes_are_shown_as_text_and_long_ones_are_cut(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = '<b hx-get="/">' + "x" * 200
    candidate.save()
    html = change(client, rows[0], "add vagueness candidate 0 200").content.decode()
    assert '<q translate="no">&lt;b hx-get=&quot;/&quot;&gt;' in html and "…</q>" in html
    assert "x" * 60 not in html


@pytest.mark.parametrize("name", ["bob", "mallory"])
@pytest.mark.parametrize("headers", [SCRIPT, {}], ids=["script", "page"])
def test_anothers_text_is_not_quoted(client, cast, rows, name: str, headers) -> None:
    client.force_login(getattr(cast, name))
    for pk in (rows[0].pk, uuid.uuid4()):
        sent = {"tag": "add vagueness candidate 0 9", "error_tags": "[]"}
        answer = client.post(f"/rate/{pk}/tags/", sent, headers=headers)
        assert answer.status_code == 404 and b"A mug" not in answer.content
    assert not Draft.objects.exists()


def test_without_script_a_locked_rating_takes_no_tag_and_gets_no_draft(
    client, cast, rows, form_of
) -> None:
    cast.submit(rows[0])
    Campaign.objects.update(status="closed")
    sent = form_of(client.get(f"/rate/{rows[0].pk}/")) | {"tag": "add vagueness"}
    assert client.post(path(rows[0]), sent).status_code == 409
    assert not Draft.objects.exists()
