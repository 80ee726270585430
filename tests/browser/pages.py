"""Every page that a furnished campaign has for somebody, found by its routes."""

from collections.abc import Collection, Iterator
from typing import Final

from annotator.access import matrix
from annotator.models import Role, User
from tests.conftest import signed_in
from tests.guards.blindness.addresses import addresses
from tests.guards.blindness.states import Scenario

# Which people of the campaign look around, as what.
VISITORS: Final = {
    "one": Role.ANNOTATOR,
    "adjudicator": Role.ADJUDICATOR,
    "researcher": Role.RESEARCHER,
    "admin": Role.ADMIN,
    "reader": Role.READER,
    "boss": matrix.SITE_ADMIN,
}


def readable(
    scenario: Scenario, who: str, but: Collection[str] = ()
) -> Iterator[tuple[str, str, str, bool]]:
    """Yield route, path and HTML of what somebody is shown, and whether that is a whole page.

    What is none is a part of a page, or a file that is saved. Routes in `but` are left out.
    """
    client = signed_in(User.objects.get(pk=scenario.people[who].pk))
    for one in addresses(scenario):
        rule = matrix.matrix()[one.route]
        if "GET" not in rule.methods or VISITORS[who] not in rule.principals:
            continue
        if one.path.startswith("/api/") or one.route in but:
            continue
        answer = client.get(one.path)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            html = answer.content.decode()
            is_page = html.startswith("<!doctype html>") and "Content-Disposition" not in answer
            yield one.route, one.path, html, is_page
        # A file that is not read to its end would count as a request that goes on.
        answer.close()
