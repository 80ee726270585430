"""Another campaign's object is answered exactly as one that does not exist (P17)."""

import dataclasses
import logging
import re
from collections.abc import Iterable, Iterator
from uuid import UUID, uuid5

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from annotator.access import matrix as permissions
from annotator.access.scopes import campaigns_for
from annotator.models import Campaign
from tests.amounts import IS_THOROUGH
from tests.guards.blindness.addresses import Address, addresses, ids, routes
from tests.guards.blindness.crawl import Answer, Crawl
from tests.guards.blindness.people import Visitor
from tests.guards.blindness.requests_sent import Sent, requests_to
from tests.served.faults import replace
from tests.soak.tally import tally

__all__ = ["tally"]
pytestmark = [pytest.mark.slow, pytest.mark.promise("P17")]
# What differs from one answer to the next, whatever is asked: CSRF tokens and the clock.
OF_THE_MOMENT = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"|csrftoken=\w+|'
    r"expires[:=][^;\n]+|x-request-id[:=][^;\n]+|\bnow\b|\b(?:an?|\d+)\s\w+ ago\b",
    re.IGNORECASE,
)
NAMELESS = UUID(int=4)
MEMBERS = (
    *("one", "adjudicator", "researcher", "admin", "reader", "boss"),
    *("read token", "write token", "admin's token"),
)


def named() -> set[str]:
    """Return the routes that name what belongs to a campaign or to somebody in it."""
    matrix = permissions.matrix()
    return {one.name for one in routes() if one.arguments and matrix[one.name].outsider == "404"}


def unknown_names(world) -> dict[str, str]:
    """Return what names the other campaign's rows, each with what names nothing."""
    other = world.other
    pks = {str(pk): str(uuid5(NAMELESS, str(pk))) for rows in ids(other).values() for pk in rows}
    names = (other.campaign.slug, other.measured.version.dataset.name)
    return pks | {word: "no" + word[2:] for word in names}


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
                like_it = dataclasses.replace(sent, address=nobodys, data=body)
                yield sent, next(crawl.send(sent)), next(crawl.send(like_it))


def distinguished(world, found: list[Address], caplog) -> tuple[list[str], int]:
    """Return which requests show that the object exists, and how many were compared."""
    names = unknown_names(world)
    wrong, seen = [], 0
    tried: set[str] = set()
    caplog.clear()
    for name in MEMBERS:
        # In `make test` a route is asked by the first of them who may.
        left = [one for one in found if IS_THOROUGH or one.route not in tried]
        for sent, theirs, nobodys in asked_twice(world, world.visitor(name), left, names):
            seen += 1
            tried.add(sent.address.route)
            if theirs.status < 400 or plain(theirs, names) != plain(nobodys, names):
                statuses = f"{theirs.status}, for nobody's {nobodys.status}"
                wrong.append(f"{name} / {sent.method} {sent.label} {sent.address.path}: {statuses}")
    # A log names what was asked for, and reveals nothing of what is there.
    asked = {word for pair in names.items() for word in pair}
    logged = " ".join(replaced(caplog.text, dict.fromkeys(asked, "")).split())
    mark = world.marks.found_in(logged).get("elsewhere")
    wrong += [f"logged: {mark}"] if mark else []
    return wrong, seen


@pytest.fixture
def logs(caplog, monkeypatch: pytest.MonkeyPatch):
    """Give the log of everything, that of refused requests included."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", False)
    with caplog.at_level(logging.INFO):
        yield caplog


def insiders(world) -> list[Visitor]:
    """Return the members of the other campaign, each signed in to it."""
    found = []
    for who, user in world.other.people.items():
        client = Client()
        client.force_login(user)
        roles = frozenset(user.memberships.values_list("role", flat=True))
        found += [] if who == "gone" else [Visitor(who, client, roles)]
    return found


def is_there(world, address: Address, visitor: Visitor) -> bool:
    """Return whether the campaign's own member is answered about the object, however."""
    rule = permissions.matrix()[address.route]
    if not rule.principals & visitor.roles:
        return False
    crawl = Crawl(visitor, world.other)
    found = (next(crawl.send(Sent(address, one))) for one in sorted(rule.methods & {"GET", "POST"}))
    return any(answer.status != 404 for answer in found)


@pytest.mark.parametrize("furnished", ["untouched"], indirect=True)
def test_every_route_that_names_an_object_is_tried_with_one_that_is_there(world) -> None:
    """Else a new kind of object would be answered as nobody's because nobody knows its id."""
    known: dict[str, list[Address]] = {}
    for address in addresses(world.other):
        known.setdefault(address.route, []).append(address)
    members = insiders(world)
    missing = [
        name
        for name in sorted(named())
        if not any(is_there(world, one, who) for one in known.get(name, ()) for who in members)
    ]
    remedy = "give KINDS and ids of tests/guards/blindness/addresses.py an object that it finds"
    assert not missing, f"{', '.join(missing)}: {remedy}"


@pytest.mark.parametrize("furnished", ["ruled"], indirect=True)
def test_an_id_of_another_campaign_is_answered_as_a_random_one(world, logs, tally) -> None:
    found = [one for one in addresses(world.other) if one.route in named()]
    wrong, seen = distinguished(world, found, logs)
    tally.tried(pairs_of_requests=seen)
    assert not wrong, "\n".join(wrong)
    assert seen > 100


@pytest.mark.exhaustive
@pytest.mark.parametrize("furnished", ["ruled"], indirect=True)
def test_an_id_of_another_campaign_in_a_body_is_answered_as_a_random_one(
    world, logs, tally
) -> None:
    bare = [Address(route.name, reverse(route.name)) for route in routes() if not route.arguments]
    wrong, seen = distinguished(world, bare, logs)
    tally.tried(pairs_of_requests=seen)
    assert not wrong, "\n".join(wrong)
    assert seen > 10


@pytest.mark.parametrize("furnished", ["ruled"], indirect=True)
def test_a_look_for_a_campaign_by_its_name_alone_is_found_out(world, logs) -> None:
    def whatever_is_there(user, roles=()) -> QuerySet[Campaign]:
        return Campaign.objects.all()

    found = [one for one in addresses(world.other) if one.route == "annotator:campaign"]
    assert found and distinguished(world, found, logs)[0] == []
    # Held here: in this module, too, the name means the other one meanwhile.
    scoped = campaigns_for
    replace(scoped, whatever_is_there)
    try:
        wrong, _ = distinguished(world, found, logs)
    finally:
        replace(whatever_is_there, scoped)
    assert wrong
    assert campaigns_for is scoped
