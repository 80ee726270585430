"""P23: no query parameter that a page does not know changes what the page shows."""

import re
from urllib.parse import urlencode

import pytest

from annotator.access import matrix
from tests.amounts import IS_THOROUGH
from tests.guards.blindness.addresses import addresses
from tests.guards.blindness.crawl import Crawl
from tests.guards.blindness.requests_sent import Sent
from tests.guards.blindness.snapshots import DRAWN_ANEW, OF_THE_MOMENT

pytestmark = pytest.mark.slow
PATHS = (
    *("password", "annotator__password", "annotator__username", "memberships__user__password"),
    *("system", "candidate__system", "ratings__comment", "requested_by__password", "result"),
)
LOOKUPS = ("", "__startswith", "__regex", "__gt", "__in", "__isnull")
ORDERS = ("ordering", "order_by", "sort", "o", "_connector", "_negated", "q", "search", "fields")
UNKNOWN = urlencode(
    {f"{path}{lookup}": "p" for path in PATHS for lookup in LOOKUPS}
    | dict.fromkeys(ORDERS, "-password")
)
# These know a search, which would narrow what they show.
SEARCHED = {"scoring:references"}
UNSEARCHED = UNKNOWN.replace("&q=-password", "")
# Of its parameters the order is one: it refuses those that it does not know.
ORDERED = {"scoring:runs"}
LENGTH = re.compile(r"content-length[:=][^;\n]+", re.IGNORECASE)
# They take known parameters only, and refuse the others.
STRICT = {"scoring:export", "scoring:data_card"}
# In `make test` a page is asked for by the first of them who may.
WHO = ("admin", "researcher", "adjudicator", "one")


@pytest.mark.parametrize("furnished", ["closed"], indirect=True)
def test_no_page_heeds_a_lookup_or_an_order_that_it_does_not_know(world) -> None:
    wrong, seen = [], 0
    tried: set[str] = set()
    for name in WHO:
        before = frozenset() if IS_THOROUGH else frozenset(tried)
        visitor = world.visitor(name)
        crawl = Crawl(visitor, world.here)
        for address in addresses(world.here):
            rule = matrix.matrix()[address.route]
            if (
                address.route in DRAWN_ANEW | before
                or "GET" not in rule.methods
                or not rule.principals & visitor.roles
            ):
                continue
            unknown = UNSEARCHED if address.route in SEARCHED else UNKNOWN
            plain, asked = (_shown(crawl, address, query) for query in ("", unknown))
            seen += 1
            tried.add(address.route)
            if address.path.startswith("/api/v1/") or address.route in STRICT:
                if asked[0] != 400 and plain[0] < 400:
                    wrong.append(f"{name} {address.route}: {asked[0]} instead of 400")
            elif address.route in ORDERED:
                if asked[0] != 422:
                    wrong.append(f"{name} {address.route}: {asked[0]} instead of 422")
            elif plain != asked:
                wrong.append(f"{name} {address.route} shows something else")
    assert not wrong, "\n".join(sorted(set(wrong)))
    assert seen > (100 if IS_THOROUGH else 50)


def _shown(crawl: Crawl, address, query: str) -> tuple[int, str]:
    asked = type(address)(address.route, f"{address.path}?{query}" if query else address.path)
    answer = next(crawl.send(Sent(asked, "GET")))
    # How long a page is, its text shows; what is of the moment changes the header, too.
    return answer.status, LENGTH.sub("", OF_THE_MOMENT.sub("", answer.text))
