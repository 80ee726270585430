import json
import re
from html import unescape

import pytest
from django.test import Client

from annotator.exemplars import lesson_of
from annotator.models import Campaign, Draft, Rating
from annotator.typology import ABSTRACT_TAGS, CLAIM_TAGS
from patclaimeval.rubric import CRITERIA, RUBRIC
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


def test_a_tag_is_removed_by_its_place_and_a_place_that_is_none_removes_nothing(client, rows):
    assert tags_in(change(client, rows[0], "remove 0", VAGUE, ON_WORDS)) == [ON_WORDS]
    assert tags_in(change(client, rows[0], "remove 2", VAGUE, ON_WORDS)) == [VAGUE, ON_WORDS]
    assert tags_in(change(client, rows[0], "show", VAGUE, ON_WORDS)) == [VAGUE, ON_WORDS]


WISHES = (
    *("", "add", "add ", "add no-such-tag", "add vagueness candidate", "remove", "remove x"),
    *("add vagueness other 0 1", "add vagueness candidate 5 3", "add vagueness candidate 3 3"),
    *("add vagueness candidate 0 9999999", "add vagueness candidate 0 99999999", "remove 1000"),
    *("add vagueness candidate -1 3", "add <script>", "add vagueness\x00", "ADD vagueness"),
    "add " + "a" * 9999,
)


def test_a_wish_that_is_none_is_422_and_keeps_what_was_chosen(client, rows, form_of, typed) -> None:
    for number, wish in enumerate(WISHES):
        case = wish[:40]
        sent = typed(comment="half", tag=wish, error_tags=json.dumps([VAGUE]))
        answer = client.post(path(rows[0]), sent, headers=SCRIPT)
        assert answer.status_code == 422 and not Draft.objects.exists(), case
        assert answer["Content-Type"].startswith("text/plain") and len(answer.content) < 300, case
        # Both ask the same service; the page is drawn for a share of them.
        if number in range(0, len(WISHES), 1 if IS_THOROUGH else 5):
            answer = client.post(path(rows[0]), sent)
            assert answer.status_code == 422 and not Draft.objects.exists(), case
            again = form_of(answer)
            assert (again["comment"], json.loads(again["error_tags"])) == ("half", [VAGUE]), case


UNREADABLE = (
    *("[", "null", "7", '"vagueness"', '{"tag": "vagueness"}', "[NaN]", '["no-such-tag"]'),
    *('[{"tag": "vagueness", "start": 3}]', '[{"tag": ["vagueness"]}]', "[" * 5000, "\x00"),
    *('[{"tag": "vagueness", "remark": "\\u0000"}]', '["\\ud800"]', '[{"tag": "x", "tag": 1}]'),
)


def test_tags_that_cannot_be_read_are_no_fault_here_and_422_at_submit(client, rows, form_of, typed):
    for chosen in UNREADABLE:
        case, sent = chosen[:40], {"tag": "add vagueness", "error_tags": chosen}
        answer = client.post(path(rows[0]), sent, headers=SCRIPT)
        assert (answer.status_code, tags_in(answer)) == (200, [VAGUE]), case
        answer = client.post(f"/rate/{rows[0].pk}/", typed(error_tags=chosen))
        assert answer.status_code == 422, case
        assert not Rating.objects.exists() and form_of(answer)["error_tags"] == chosen, case
        Draft.objects.all().delete()


def test_without_script_a_tag_is_kept_as_draft_and_reaches_the_rating(client, rows, form_of, typed):
    page = f"/rate/{rows[0].pk}/"
    sent = form_of(client.get(page)) | typed(comment="half") | {"tag": "add vagueness"}
    answer = client.post(path(rows[0]), sent)
    assert (answer.status_code, answer["Location"]) == (303, page)
    again = form_of(client.get(page))
    assert (again["comment"], json.loads(again["error_tags"])) == ("half", [VAGUE])
    assert client.post(page, again).status_code == 303
    assert Rating.objects.get().error_tags == [VAGUE]


def test_without_script_removing_is_not_adding_what_the_list_shows(client, rows, form_of, typed):
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    client.post(path(rows[0]), shown | {"tag": "add vagueness"})
    shown = form_of(client.get(f"/rate/{rows[0].pk}/"))
    # A browser sends the list of tags along with the button that was pressed.
    answer = client.post(path(rows[0]), shown | {"tag": ["add vagueness", "remove 0"]})
    assert answer.status_code == 303
    assert json.loads(Draft.objects.get().typed["error_tags"]) == []


def test_quotes_are_shown_as_text_and_long_ones_are_cut(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = '<b hx-get="/">' + "x" * 200
    candidate.save()
    html = change(client, rows[0], "add vagueness candidate 0 200").content.decode()
    assert '<q translate="no">&lt;b hx-get=&quot;/&quot;&gt;' in html and "…</q>" in html
    assert "x" * 60 not in html


def test_without_script_a_locked_rating_takes_no_tag_and_gets_no_draft(client, cast, rows, form_of):
    cast.submit(rows[0])
    Campaign.objects.update(status="closed")
    sent = form_of(client.get(f"/rate/{rows[0].pk}/")) | {"tag": "add vagueness"}
    assert client.post(path(rows[0]), sent).status_code == 409
    assert not Draft.objects.exists()


def words(html: str) -> str:
    plain = unescape(re.sub(r"<[^>]*>", "", html)).replace("\n", " ")
    return " ".join(plain.split())


@pytest.fixture
def page(client: Client, cast) -> str:
    client.force_login(cast.rita)
    return client.get("/rubric/").content.decode()


def test_every_criterion_stands_there_with_bands_examples_and_an_address(page: str) -> None:
    for criterion in RUBRIC:
        assert page.count(f'id="{criterion.key}"') == 1
        assert page.count(f'id="example-{criterion.key}"') == 1
        assert criterion.name in page
        assert all(band.sentence in page for band in criterion.bands)
        for example in lesson_of(criterion.key).examples:
            assert " ".join(example.candidate.split()) in words(page)
            assert example.why in unescape(page) and example.contrast in unescape(page)
            assert f"overall {example.overall}, " in page


def test_the_overall_is_worked_through_with_the_rubrics_weights(page: str) -> None:
    assert "(4 · feature completeness + 2 · conceptual clarity + 2 · ter" in words(page)
    assert "(4 · 4 + 2 · 9 + 2 · 10 + 3 · 9) / 11 = 81 / 11 = 7.36, high." in words(page)


def test_every_error_tag_has_its_definition_and_an_address(page: str) -> None:
    assert page.count('id="tags"') == 1
    for tag in (*CLAIM_TAGS, *ABSTRACT_TAGS):
        assert f'<dt id="tag-{tag.code}">{tag.name}</dt>' in page
        assert tag.definition in unescape(page)


def test_no_address_on_the_page_is_given_twice_and_every_link_within_leads_somewhere(page) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    targets = re.findall(r'href="#([^"]+)"', page) + re.findall(r'aria-labelledby="([^"]+)"', page)
    assert len(targets) > len(CRITERIA)
    assert set(targets) <= set(ids)


@pytest.mark.parametrize("key", CRITERIA)
def test_a_script_gets_one_criterion_alone_and_a_person_gets_a_page(client, cast, key) -> None:
    client.force_login(cast.alice)
    part = client.get(f"/rubric/{key}/", headers=SCRIPT)
    whole = client.get(f"/rubric/{key}/")
    assert "<html" not in part.content.decode() and "<html" in whole.content.decode()
    assert words(part.content.decode()) in words(whole.content.decode())
    assert f'id="example-{key}"' in part.content.decode()
    others = [other for other in CRITERIA if other != key]
    assert not any(f'id="example-{other}"' in part.content.decode() for other in others)
    assert "HX-Request" in part["Vary"] and "HX-Request" in whole["Vary"]


@pytest.mark.parametrize("name", ["overall_quality", "none", "Feature_Completeness", "%00"])
def test_an_unknown_criterion_is_not_found(client: Client, cast, name: str) -> None:
    client.force_login(cast.alice)
    for headers in ({}, SCRIPT):
        assert client.get(f"/rubric/{name}/", headers=headers).status_code == 404


def test_the_rubric_costs_no_query_beyond_signing_in(client, cast, django_assert_max_num_queries):
    client.force_login(cast.alice)
    with django_assert_max_num_queries(4):
        client.get(f"/rubric/{CRITERIA[0]}/", headers=SCRIPT)
