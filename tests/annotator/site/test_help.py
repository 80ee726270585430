"""The guides as pages: each person sees those of their roles."""

import re

import pytest
from django.test import Client

from annotator.models import Role
from annotator.site.help import OF_ROLE, guide_html
from tests.conftest import signed_in

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize(
    ("person", "heading"),
    [
        ("alice", "Annotator guide"),
        ("carol", "Adjudicator guide"),
        ("rita", "Researcher guide"),
        ("ada", "Admin guide"),
    ],
)
def test_help_opens_with_the_guide_of_the_role(cast, person: str, heading: str) -> None:
    page = signed_in(getattr(cast, person)).get("/help/")
    assert re.search(rf"<h1[^>]*>{heading}", page.text)


def test_an_annotator_is_not_shown_what_only_admins_know(cast) -> None:
    alice = signed_in(cast.alice)
    page = alice.get("/help/")
    assert "sentinel" not in page.text.lower()
    assert "guide=admin" not in page.text
    assert alice.get("/help/?guide=admin").status_code == 404


@pytest.mark.parametrize("name", ["nothing", "../README", ""])
def test_a_guide_that_does_not_exist_is_not_found(cast, name: str) -> None:
    assert signed_in(cast.ada).get("/help/", {"guide": name}).status_code == 404


def test_links_lead_to_guides_or_nowhere(cast, client: Client) -> None:
    ada = signed_in(cast.ada)
    names = OF_ROLE[Role.ADMIN]
    anchors = {name: set(re.findall(r'id="([^"]+)"', guide_html(name, names))) for name in names}
    links = {
        (name, href)
        for name in names
        for href in re.findall(r'href="([^"]*)"', guide_html(name, names))
    }
    assert links
    for name, href in links:
        page, _, place = href.partition("#")
        target = page.rpartition("=")[2] or name
        assert not page or ada.get(page).status_code == 200
        assert not place or place in anchors[target], (name, href)
    assert all("<img" not in guide_html(name, names) for name in names)
