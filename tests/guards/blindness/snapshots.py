"""All that a principal can look at, so that two states of the world can be held side by side."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from django.db import transaction

from annotator.access import matrix
from tests.guards.blindness.addresses import Address, addresses
from tests.guards.blindness.crawl import Crawl
from tests.guards.blindness.people import Visitor
from tests.guards.blindness.requests_sent import Sent
from tests.guards.blindness.states import Scenario

# CSRF tokens, the key of a form that was not sent yet, and clocks.
OF_THE_MOMENT: Final = re.compile(
    r'name="(csrfmiddlewaretoken|key)" value="[\w-]+"|"X-CSRFToken": "\w+"|csrftoken=\w+|'
    r"expires[:=][^;\n]+|(?:x-request-id|export-at)[:=][^;\n]+|counted at [\d:]+|yours until.*|"
    r"\bnow\b|\b(?:an?|\d+)\s\w+ ago\b",
    re.IGNORECASE,
)
# A secret that is drawn anew at each look, and figures that count the looks.
DRAWN_ANEW: Final = frozenset({"annotator:account_second_factor", "annotator:metrics"})


def looked_at(
    visitor: Visitor, scenario: Scenario, chosen: Iterable[Address] = ()
) -> dict[str, str]:
    """Return every page and answer that a principal is given without sending anything."""
    crawl = Crawl(visitor, scenario)
    found = {}
    for address in tuple(chosen) or tuple(addresses(scenario)):
        rule = matrix.matrix()[address.route]
        if address.route in DRAWN_ANEW:
            continue
        if "GET" in rule.methods and rule.principals & visitor.roles:
            for answer in crawl.send(Sent(address, "GET")):
                plain = OF_THE_MOMENT.sub("", answer.text)
                found[f"{address.route} {address.path}"] = f"{answer.status} {plain}"
    return found


def after(
    act: Callable[[], object], visitor: Visitor, scenario: Scenario, chosen: Iterable[Address] = ()
) -> dict[str, str]:
    """Return what a principal looks at once something has happened, which is then undone."""
    with transaction.atomic():
        act()
        found = looked_at(visitor, scenario, chosen)
        transaction.set_rollback(True)
    return found


def differences(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the addresses that are answered in two ways."""
    return [name for name in one if one[name] != other.get(name)] + sorted(other.keys() - one)
