"""No answer tells anybody a secret that the table does not give them in that state (P18)."""

from collections.abc import Iterator

import pytest

from tests.house.blindness.addresses import Address, addresses
from tests.house.blindness.allowed import allowed
from tests.house.blindness.crawl import Answer, Crawl
from tests.house.blindness.people import Visitor
from tests.house.blindness.states import STATES

pytestmark = pytest.mark.slow
# `make test` crawls these; each is beyond what the others before it tell.
CRAWLED_EACH_TIME = ("conflict open", "ruled")
# The gate looks at who asks for which route, and at nothing that a state changes.
REFUSALS_IN = ("untouched", "closed")
# The other campaign has been through everything, in each state of the one that is crawled.
OTHER_IN = "untouched"
WHAT_TO_DO = "take it off the page, or give it a Row in tests/house/blindness/allowed.py"


def answers_to(visitor: Visitor, world) -> Iterator[Answer]:
    """Yield what a principal is answered in the campaign; the outsider also in their own."""
    is_outsider = visitor.name == "outsider"
    tries = world.state in REFUSALS_IN
    crawl = Crawl(visitor, world.here, is_thorough=not is_outsider, tries_the_refused=tries)
    yield from crawl.visit_all(_sites(visitor, addresses(world.here)))
    if is_outsider and world.state == OTHER_IN:
        own = Crawl(visitor, world.other, is_thorough=False)
        yield from own.visit_all(addresses(world.other))


def _sites(visitor: Visitor, found: Iterator[Address]) -> Iterator[Address]:
    """A page does not look at tokens: to it their owners are nobody."""
    return (one for one in found if not visitor.is_token or one.path.startswith("/api/"))


@pytest.mark.parametrize(
    "furnished",
    [
        pytest.param(state, marks=() if state in CRAWLED_EACH_TIME else pytest.mark.exhaustive)
        for state in STATES
    ],
    indirect=True,
)
def test_nobody_meets_a_secret_that_is_not_theirs(world) -> None:
    hits, count = set(), 0
    for visitor in world.visitors:
        for answer in answers_to(visitor, world):
            count += 1
            told = world.marks.found_in(answer.text)
            for secret in told.keys() - allowed(visitor.name, world.state, answer.door):
                way = f"{answer.sent.method} {answer.sent.label}".strip()
                hits.add(
                    f"{visitor.name} / {world.state} / {answer.door} ({way}, {answer.status}): "
                    f"{secret} ({told[secret]})"
                )
    assert not hits, f"{len(hits)} hits: {WHAT_TO_DO}\n" + "\n".join(sorted(hits))
    assert count > 1000
