"""Another campaign's object is answered exactly as one that does not exist (P17)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from uuid import UUID, uuid5

import pytest
from django.urls import reverse

from annotator import permissions
from tests.house.blindness.addresses import Address, addresses, ids, routes
from tests.house.blindness.crawl import Answer, Crawl
from tests.house.blindness.people import Visitor
from tests.house.blindness.requests_sent import Sent, requests_to

pytestmark = pytest.mark.slow
# What differs from one answer to the next, whatever is asked: CSRF tokens and the clock.
OF_THE_MOMENT = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"|csrftoken=\w+|'
    r"expires[:=][^;\n]+",
    re.IGNORECASE,
)
NAMELESS = UUID(int=4)
MEMBERS = ("one", "adjudicator", "researcher", "admin", "boss", "write token", "admin's token")
# The name in its address is a word of the rubric.
OF_NO_CAMPAIGN = {"annotator:rubric_criterion"}


def unknown_names(world) -> dict[str, str]:
    """Return what names the other campaign's rows, each with what names nothing."""
    other = world.other
    pks = {str(pk): str(uuid5(NAMELESS, str(pk))) for rows in ids(other).values() for pk in rows}
    words = (other.campaign.slug, other.measured.version.dataset.name)
    return pks | {word: "no" + word[2:] for word in words}


def replaced(text: str, names: dict[str, str]) -> str:
    for name, unknown in names.items():
        text = text.replace(name, unknown)
    return text


def plain(answer: Answer, names: dict[str, str]) -> tuple[int, str]:
    """Return an answer without what is of the moment and without the names that were sent."""
    text = OF_THE_MOMENT.sub("", answer.text)
    for name, unknown in names.items():
        text = text.replace(name, "").replace(unknown, "")
    return answer.status, text


def asked_twice(
    world, visitor: Visitor, found: Iterable[Address], names: dict[str, str]
) -> Iterator[tuple[Sent, Answer, Answer]]:
    """Yield what a principal is answered to a request for theirs, and to one for nobody's."""
    crawl = Crawl(visitor, world.other)
    for address in found:
        rule = permissions.matrix()[address.route]
        is_page = not address.path.startswith("/api/")
        if not rule.principals & visitor.roles or (visitor.is_token and is_page):
            continue
        for sent in requests_to(address, rule, world.other, is_thorough=True):
            nobodys = Address(address.route, replaced(address.path, names))
            body = replaced(sent.data, names) if isinstance(sent.data, str) else sent.data
            if (nobodys, body) != (address, sent.data):
                like_it = replace(sent, address=nobodys, data=body)
                yield sent, next(crawl.send(sent)), next(crawl.send(like_it))


def told_apart(world, found: list[Address]) -> tuple[list[str], int]:
    """Return which requests show that the object exists, and how many were compared."""
    names = unknown_names(world)
    wrong, seen = [], 0
    for name in MEMBERS:
        for sent, theirs, nobodys in asked_twice(world, world.visitor(name), found, names):
            seen += 1
            if theirs.status < 400 or plain(theirs, names) != plain(nobodys, names):
                statuses = f"{theirs.status}, for nobody's {nobodys.status}"
                wrong.append(f"{name} / {sent.method} {sent.label} {sent.address.path}: {statuses}")
    return wrong, seen


@pytest.mark.parametrize("world", ["ruled"], indirect=True)
def test_an_id_of_another_campaign_is_answered_as_a_random_one(world) -> None:
    named = {route.name for route in routes() if route.arguments} - OF_NO_CAMPAIGN
    wrong, seen = told_apart(world, [one for one in addresses(world.other) if one.route in named])
    assert not wrong, "\n".join(wrong)
    assert seen > 200


@pytest.mark.parametrize("world", ["ruled"], indirect=True)
def test_an_id_of_another_campaign_in_a_body_is_answered_as_a_random_one(world) -> None:
    bare = [Address(route.name, reverse(route.name)) for route in routes() if not route.arguments]
    wrong, seen = told_apart(world, bare)
    assert not wrong, "\n".join(wrong)
    assert seen > 10
