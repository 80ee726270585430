"""No answer shows anybody what the tables do not give them in that state (P18, ASVS 8.1.2).

The one lists secrets by principal, the other the keys of each route of the API.
"""

from collections.abc import Iterator

import pytest

from tests.amounts import IS_THOROUGH
from tests.guards.blindness.addresses import Address, addresses
from tests.guards.blindness.allowed import allowed
from tests.guards.blindness.allowed_keys import ALLOWED_KEYS, OCCLUSION, allowed_keys
from tests.guards.blindness.answer_keys import answered_keys
from tests.guards.blindness.crawl import Answer, Crawl
from tests.guards.blindness.people import Visitor
from tests.guards.blindness.states import STATES

pytestmark = pytest.mark.slow
# `make test` sends everything in the one, and each method once in the other, which shows more.
SENT_EVERYTHING, SENT_LITTLE = "conflict open", "ruled"
IN_MAKE_TEST = (SENT_EVERYTHING, SENT_LITTLE)
# The gate looks at who asks for which route, and at nothing that a state changes.
REFUSALS_IN = ("untouched", "closed")
# The other campaign has been through everything, in each state of the one that is crawled.
OTHER_IN = "untouched"
WHAT_TO_DO = "take it off the page, or give it a Row in tests/guards/blindness/allowed.py"
REMEDY = "take the keys out of the answer, or list them in tests/guards/blindness/allowed_keys.py"
# There are too few references, and the report has ended.
NEVER_DONE = {f"POST scoring:api:{what}" for what in ("datasets", "runs", "cancel_report")}
NEVER_DONE |= {"POST scoring:api:train_again"}
# An open campaign is not reopened, and no visitor holds an invitation.
NEVER_DONE |= {"POST api:reopen_campaign", "POST api:join"}
# The site that is crawled has no provider of single sign-on.
NEVER_DONE |= {"GET api:group_roles", "POST api:group_roles", "DELETE api:group_role"}
# No role from outside waits there: tests/annotator/campaigns/test_roles_from_outside.py has them.
NEVER_DONE |= {"GET api:pending_roles", "POST api:pending_role"}
# The plan has somebody for every free place there.
NEVER_ANSWERED = {"POST api:plan": {"left_out.reason", "left_out.places"}}
# No encoder is promoted there: tests/scoring/scores/test_occlusions.py holds its keys to the list.
NEVER_ANSWERED |= {"GET scoring:api:score": {*OCCLUSION}}


def answers_to(visitor: Visitor, world) -> Iterator[Answer]:
    """Yield what a principal is answered in the campaign; the outsider also in their own."""
    is_outsider = visitor.name == "outsider"
    tries = world.state in REFUSALS_IN
    is_thorough = not is_outsider and (IS_THOROUGH or world.state != SENT_LITTLE)
    crawl = Crawl(visitor, world.here, is_thorough=is_thorough, tries_the_refused=tries)
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
        pytest.param(state, marks=() if state in IN_MAKE_TEST else pytest.mark.exhaustive)
        for state in STATES
    ],
    indirect=True,
)
def test_nobody_is_shown_what_is_not_theirs(world) -> None:
    hits, unlisted, count = set(), set(), 0
    seen: dict[str, set[str]] = {}
    for visitor in world.visitors:
        for answer in answers_to(visitor, world):
            count += 1
            found = world.marks.found_in(answer.text)
            for secret in found.keys() - allowed(visitor.name, world.state, answer.route):
                way = f"{answer.sent.method} {answer.sent.label}".strip()
                hits.add(
                    f"{visitor.name} / {world.state} / {answer.route} ({way}, {answer.status}): "
                    f"{secret} ({found[secret]})"
                )
            where, keys = answered_keys(answer)
            # The outsider's answers may be of the other campaign, which is in another state.
            if keys and visitor.name != "outsider":
                seen.setdefault(where, set()).update(keys)
                if more := keys - allowed_keys(where, world.state):
                    unlisted.add(f"{visitor.name} / {world.state} / {where}: {sorted(more)}")
    assert not hits, f"{len(hits)} hits: {WHAT_TO_DO}\n" + "\n".join(sorted(hits))
    assert not unlisted, f"{REMEDY}:\n" + "\n".join(sorted(unlisted))
    assert count > 500
    # Every list is in use, so that none of them hides that nothing was asked.
    if world.state == "conflict open":
        assert seen.keys() == {where for where, keys in ALLOWED_KEYS.items() if keys} - NEVER_DONE
        unmet = {
            where: (allowed_keys(where, world.state) ^ keys) - NEVER_ANSWERED.get(where, set())
            for where, keys in seen.items()
        }
        assert {where: keys for where, keys in unmet.items() if keys} == {}
    if world.state == "taken":
        for where in ("GET api:conflicts", "GET api:rating", "GET scoring:api:report"):
            assert seen[where] == allowed_keys(where, world.state), where
