"""The rubric page, whole and by criterion."""

import re
from html import unescape

import pytest
from django.test import Client

from annotator.exemplars import lesson_of
from annotator.models import User
from annotator.rubric import CRITERIA, RUBRIC
from annotator.typology import ABSTRACT_TAGS, CLAIM_TAGS

PART = {"HX-Request": "true"}


def words(html: str) -> str:
    """Return what a person reads: no tags, one space between words."""
    plain = unescape(re.sub(r"<[^>]*>", "", html)).replace("\n", " ")
    return " ".join(plain.split())


def flat(text: str) -> str:
    return " ".join(text.split())


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
            assert flat(example.candidate) in words(page)
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


def test_no_address_on_the_page_is_given_twice_and_every_link_within_leads_somewhere(
    page: str,
) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    targets = re.findall(r'href="#([^"]+)"', page) + re.findall(r'aria-labelledby="([^"]+)"', page)
    assert len(targets) > len(CRITERIA)
    assert set(targets) <= set(ids)


@pytest.mark.parametrize("key", CRITERIA)
def test_a_script_gets_one_criterion_alone_and_a_person_gets_a_page(client, cast, key) -> None:
    client.force_login(cast.alice)
    part = client.get(f"/rubric/{key}/", headers=PART)
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
    for headers in ({}, PART):
        assert client.get(f"/rubric/{name}/", headers=headers).status_code == 404


def test_who_has_no_role_anywhere_is_shown_no_criterion(client: Client, cast) -> None:
    client.force_login(User.objects.create(username="nobody"))
    assert client.get(f"/rubric/{CRITERIA[0]}/").status_code == 403


def test_the_rubric_costs_no_query_beyond_signing_in(client, cast, django_assert_max_num_queries):
    client.force_login(cast.alice)
    with django_assert_max_num_queries(4):
        client.get(f"/rubric/{CRITERIA[0]}/", headers=PART)
