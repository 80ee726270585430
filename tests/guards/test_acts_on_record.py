"""Every route that may write leaves its act in the audit trail, in the transaction of the act.

`test_routes.py` sees that none is forgotten. Those with a case are really asked, in a state in
which they do something; with the trail out of order, they must do nothing.
"""

import json
import logging
from copy import deepcopy
from typing import Any, Final

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse

from annotator.models import AuditEvent
from tests.guards.acts_on_record import CASES, Case
from tests.guards.blindness.hook_rows import HOST
from tests.guards.blindness.states import Scenario, furnish, go_on

pytestmark = pytest.mark.slow

MARK: Final = "zqhere"
# Sessions and rate limits are of the request; drafts are stored before anything else is done.
BESIDE: Final = {
    *("django_session", "annotator_browsersession", "annotator_usedpace", "annotator_presence"),
    *("annotator_draft", "annotator_worktime", "annotator_auditevent", "annotator_auditseal"),
}
STATES: Final = sorted({case.state for case in CASES.values()})
# Furnished once; from there a campaign is brought on to each of the states, and back.
FIRST, NEXT = "untouched", "rated by one"


@pytest.fixture
def scenario(request, db, settings, tmp_path, monkeypatch, quick_passwords) -> Scenario:
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.DATA_DIR = tmp_path
    settings.WEBHOOK_HOSTS = [HOST]
    return furnish(MARK, request.param)


@pytest.mark.parametrize("scenario", [FIRST, NEXT], indirect=True, ids=[FIRST, f"since {NEXT}"])
def test_what_a_route_does_is_in_the_trail_or_is_not_done(scenario, request):
    begun = request.node.callspec.params["scenario"]
    wrong = []
    for state in [FIRST] if begun == FIRST else [one for one in STATES if one != FIRST]:
        with transaction.atomic():
            here = deepcopy(scenario)
            go_on(here, begun, state)
            wrong += done_without_an_act(here, state)
            transaction.set_rollback(True)
    assert not wrong, "\n".join(wrong)


def done_without_an_act(scenario: Scenario, state: str) -> list[str]:
    """Send what does something in the state; return what left no act, or was done without one."""
    wrong = []
    for route, case in CASES.items():
        if case.state != state:
            continue
        with transaction.atomic():
            last = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            status = sent(signed_in(scenario, case), scenario, route, case)
            new = AuditEvent.objects.filter(pk__gt=last).values_list("action", flat=True)
            if status >= 400 or case.action not in new:
                wrong.append(f"{route}: {status} {sorted(new)}")
            transaction.set_rollback(True)
        if left := left_without_trail(scenario, route, case):
            wrong.append(f"{route}: {left}")
    return wrong


def signed_in(scenario: Scenario, case: Case) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(scenario.people[case.who])
    return client


def sent(client: Client, scenario: Scenario, route: str, case: Case) -> int:
    body = case.body(scenario) if callable(case.body) else case.body
    if ":api:" not in f":{route}":
        return client.post(address(scenario, route, case), body).status_code
    headers = {"If-Match": '"1"', "Idempotency-Key": "k"}
    return client.generic(
        case.method,
        address(scenario, route, case),
        json.dumps(body),
        content_type="application/json",
        headers=headers,
    ).status_code


def address(scenario: Scenario, route: str, case: Case) -> str:
    """Return the address, with as many arguments as the route has."""
    pk = {"pk": case.row(scenario)} if case.row else {}
    slug = {"slug": scenario.campaign.slug}
    version = {"name": scenario.measured.version.dataset.name, "number": 1}
    for arguments in (pk, {**pk, **slug}, {**pk, **slug, "number": 1}, slug, version):
        try:
            return reverse(route, kwargs=arguments)
        except Exception:  # noqa: BLE001
            continue
    raise AssertionError(route)


# Neither is an IntegrityError, which services take for somebody who was quicker.
FULL: Final = {
    "sqlite": (
        "CREATE TRIGGER trail_is_full BEFORE INSERT ON annotator_auditevent"
        " BEGIN SELECT the_trail_is_full(); END",
    ),
    "postgresql": (
        "CREATE FUNCTION the_trail_is_full() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$",
        "CREATE TRIGGER trail_is_full BEFORE INSERT ON annotator_auditevent"
        " FOR EACH ROW EXECUTE FUNCTION the_trail_is_full()",
    ),
}


def left_without_trail(scenario: Scenario, route: str, case: Case) -> str:
    """Send it while nothing can be written to the trail; return what was written all the same."""
    with transaction.atomic(), connection.cursor() as cursor:
        connection.check_constraints()
        client = signed_in(scenario, case)
        before = everything()
        for statement in FULL[connection.vendor]:
            cursor.execute(statement)
        status = sent(client, scenario, route, case)
        try:
            after = everything()
        except DatabaseError:
            after = {}
        transaction.set_rollback(True)
    if status < 500:
        return f"answered {status} without its act on record"
    if not after:
        return "wrote its act outside of a transaction"
    return ", ".join(sorted(name for name in before if before[name] != after[name]))


def everything() -> dict[str, list[Any]]:
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor)) - BESIDE
        found = {}
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1')
            found[table] = cursor.fetchall()
    return found
