"""Every route that may write leaves its act in the audit trail, in the transaction of the act.

A route that is not in the table fails, so that none is forgotten. Those with a case are really
asked, in a state in which they do something; with the trail out of order, they must do nothing.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.permissions import SAFE_METHODS

from annotator import permissions
from annotator.models import AuditEvent, Comparison
from annotator.rubric import ALL_CRITERIA, CRITERIA
from tests.house.blindness.measured_rows import CRITERION
from tests.house.blindness.people import PASSWORD
from tests.house.blindness.states import House, furnish

pytestmark = pytest.mark.slow

MARK: Final = "zqhere"
SCORES: Final = dict.fromkeys(CRITERIA, "7")
RULING: Final = {
    "decision": "mean",
    "reason_code": "overlooked",
    "reason": "words",
    "password": PASSWORD,
}
Body = Mapping[str, Any] | Callable[[House], Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A request that does something: who sends it in which state, to which row, with what."""

    action: str
    state: str
    who: str
    row: Callable[[House], Any] | None = None
    body: Body = field(default_factory=dict)
    method: str = "POST"


def own(house: House) -> Any:
    return house.other_open("one").pk


def conflict(house: House) -> Any:
    return house.conflict.pk


def compared(house: House) -> Any:
    rows = Comparison.objects.filter(annotator=house.people["one"], preference=None)
    return rows.order_by("position")[0].pk


def rules(house: House) -> dict[str, Any]:
    row = house.campaign
    return {
        "name": row.name,
        "overlap": row.overlap,
        "shared_percent": row.shared_percent,
        "revision_hours": 5,
        "lease_minutes": row.lease_minutes,
        "criterion_gap": row.criterion_gap,
        "overall_gap": "2",
        "flip_gap": "1",
    }


def as_one(house: House, role: str = "reader") -> dict[str, Any]:
    return {"username": house.people["one"].username, "role": role}


def person(house: House) -> dict[str, Any]:
    return {"annotator": house.people["peer"].username}


def conflict_body(house: House) -> dict[str, Any]:
    return {**RULING, "conflict": str(house.conflict.pk)}


WORDS: Final = {"reason": "words"}
CASES: Final[dict[str, Case]] = {
    "annotator:rate": Case("rating.submitted", "untouched", "one", own, SCORES),
    "annotator:skip": Case("assignment.skip", "untouched", "one", own, {"leave_code": "not-now"}),
    "annotator:recuse": Case(
        "assignment.recusal", "untouched", "one", own, {"leave_code": "conflict-of-interest"}
    ),
    "annotator:flag": Case(
        "candidate.flagged", "untouched", "one", own, {"flag_code": "wrong-text"}
    ),
    "annotator:compare": Case(
        "preference.submitted", "untouched", "one", compared, dict.fromkeys(ALL_CRITERIA, "1")
    ),
    "annotator:take_turn": Case("turn.taken", "conflict open", "adjudicator", conflict),
    "annotator:adjudicate": Case("conflict.ruled", "taken", "adjudicator", conflict, RULING),
    "annotator:give_back": Case("turn.given_back", "taken", "adjudicator", conflict),
    "annotator:send_back": Case(
        "conflict.sent_back",
        "taken",
        "adjudicator",
        conflict,
        {"back_kind": "again", "back_question": "words"},
    ),
    "annotator:call_back": Case("conflict.called_back", "waiting", "adjudicator", conflict),
    "annotator:new_campaign": Case(
        "campaign.created", "untouched", "admin", None, {"slug": "newer", "name": "Newer"}
    ),
    "annotator:campaign_rules": Case("campaign.rules_changed", "untouched", "admin", None, rules),
    "annotator:close_campaign": Case("campaign.closed", "untouched", "admin", None, WORDS),
    "annotator:reopen_campaign": Case("campaign.reopened", "closed", "admin", None, WORDS),
    "annotator:members": Case("role.granted", "untouched", "admin", None, as_one),
    "annotator:revoke": Case(
        "role.revoked", "untouched", "admin", None, lambda house: as_one(house, "annotator")
    ),
    "annotator:quota": Case(
        "quota.set", "untouched", "admin", None, lambda house: person(house) | {"quota": "5"}
    ),
    "annotator:qualification": Case(
        "qualification.marked",
        "untouched",
        "admin",
        None,
        lambda house: {"references": [house.item.reference.reference_id]},
    ),
    "annotator:sentinels": Case(
        "sentinels.added", "untouched", "admin", None, {"count": "1", "seed": "1"}
    ),
    "annotator:repeats": Case(
        "repeats.set", "untouched", "admin", None, {"percent": "10", "lag": "5"}
    ),
    "annotator:confirm_import": Case(
        "import.confirmed", "untouched", "admin", lambda house: house.imports.waiting.pk
    ),
    "annotator:cancel_import": Case(
        "import.cancelled", "untouched", "admin", lambda house: house.imports.waiting.pk
    ),
    "annotator:void_ruling": Case(
        "signature.voided",
        "ruled",
        "admin",
        lambda house: house.conflict.adjudications.get().pk,
        WORDS,
    ),
    "annotator:reliability": Case("reliability.requested", "rated by one", "admin"),
    "annotator:show_names": Case("unblinding.shown", "closed", "admin", None, WORDS),
    "annotator:export_ratings": Case(
        "ratings.exported", "rated by one", "admin", None, {"format": "jsonl"}
    ),
    "annotator:export_audit": Case("audit.exported", "untouched", "admin"),
    "annotator:feedback": Case("reliability.requested", "closed", "one"),
    "annotator:ask_comparisons": Case(
        "comparisons.asked", "untouched", "admin", None, {"share": "100", "seed": "1"}
    ),
    "scoring:set_licence": Case(
        "dataset.licence_set", "untouched", "admin", None, {"licence": "CC0-1.0"}
    ),
    "scoring:cancel_freeze": Case(
        "freeze.cancelled", "untouched", "admin", lambda house: house.measured.freeze.pk
    ),
    "scoring:cancel_run": Case(
        "training.cancelled", "untouched", "researcher", lambda house: house.measured.waiting.pk
    ),
    "scoring:promotion": Case(
        "promotion.withdrawn",
        "untouched",
        "admin",
        lambda house: house.measured.model.pk,
        {"act": "withdraw", "reason": "words"},
    ),
    "scoring:delete_scores": Case(
        "scores.deleted", "untouched", "researcher", lambda house: house.measured.scores.pk
    ),
    "api:ratings": Case(
        "rating.submitted",
        "untouched",
        "one",
        None,
        lambda house: {"assignment": str(own(house)), "scores": dict.fromkeys(CRITERIA, 7)},
    ),
    "api:rating": Case(
        "rating.revised",
        "rated by one",
        "peer",
        lambda house: house.assignment("peer").rating.pk,
        {"comment": "other words"},
        "PATCH",
    ),
    "api:take_turn": Case("turn.taken", "conflict open", "adjudicator", conflict),
    "api:give_back": Case("turn.given_back", "taken", "adjudicator", conflict),
    "api:send_back": Case(
        "conflict.sent_back",
        "taken",
        "adjudicator",
        conflict,
        {"kind": "again", "question": "words"},
    ),
    "api:call_back": Case("conflict.called_back", "waiting", "adjudicator", conflict),
    "api:adjudications": Case("conflict.ruled", "taken", "adjudicator", None, conflict_body),
    "api:agreement": Case("reliability.requested", "rated by one", "admin"),
    "api:confirm_import": Case(
        "import.confirmed", "untouched", "admin", lambda house: house.imports.waiting.pk
    ),
    "api:cancel_import": Case(
        "import.cancelled", "untouched", "admin", lambda house: house.imports.waiting.pk
    ),
    "scoring:api:cancel_run": Case(
        "training.cancelled", "untouched", "researcher", lambda house: house.measured.waiting.pk
    ),
    "scoring:api:promote": Case(
        "promotion.withdrawn",
        "untouched",
        "admin",
        lambda house: house.measured.model.pk,
        {"act": "withdraw", "reason": "words"},
    ),
    "scoring:api:scores": Case(
        "scores.requested",
        "untouched",
        "researcher",
        None,
        {"reference": "1. A cup.", "candidates": ["1. A mug."]},
    ),
    "scoring:api:score": Case(
        "scores.deleted",
        "untouched",
        "researcher",
        lambda house: house.measured.scores.pk,
        {},
        "DELETE",
    ),
    "scoring:api:reports": Case(
        "report.requested",
        "untouched",
        "researcher",
        None,
        lambda house: {
            "dataset": house.measured.version.dataset.name,
            "criterion": CRITERION,
            "scorers": ["length"],
            "split": "test",
        },
    ),
}
# The same service as the route beside it, or one with tests of its own that look for the act.
NAMED: Final = {
    "annotator:login": "sign_in.accepted",
    "annotator:login_code": "sign_in.accepted",
    "annotator:account_second_factor": "second_factor.set_up",
    "annotator:account_second_factor_codes": "second_factor.codes_renewed",
    "annotator:account_second_factor_remove": "second_factor.reset",
    "annotator:account_password": "password.changed",
    "annotator:account_end_others": "session.ended",
    "annotator:account_end_session": "session.ended",
    "annotator:users": "invitation.made",
    "annotator:change_user": "user.deactivated",
    "annotator:invitation": "invitation.accepted",
    "annotator:invite_member": "invitation.made",
    "annotator:account_tokens": "token.created",
    "annotator:account_revoke_token": "token.revoked",
    "annotator:take_next": "assignment.leased",
    "api:take_next": "assignment.leased",
    "annotator:take_back": "assignment.returned",
    "annotator:carry_out_plan": "plan.carried_out",
    "annotator:assign_by_name": "assignments.named",
    "annotator:withdraw": "assignments.withdrawn",
    "annotator:import_claims": "import.requested",
    "annotator:cancel_reliability": "reliability.cancelled",
    "api:import_claims": "import.requested",
    "scoring:ask_erasure": "erasure.asked",
    "scoring:agree_erasure": "erasure.agreed",
    "scoring:decline_erasure": "erasure.declined",
    "scoring:freeze": "freeze.requested",
    "scoring:runs": "training.requested",
    "scoring:train_again": "training.requested",
    "scoring:score": "scores.requested",
    "scoring:reports": "report.requested",
    "scoring:cancel_report": "report.cancelled",
    "scoring:api:datasets": "freeze.requested",
    "scoring:api:runs": "training.requested",
    "scoring:api:train_again": "training.requested",
    "scoring:api:cancel_report": "report.cancelled",
}
NO_ACT: Final = {
    "annotator:logout": "ends the person's own session, which is kept nowhere else",
    "annotator:overall": "computes and stores nothing",
    "annotator:draft": "what is typed is nobody's act until it is submitted",
    "annotator:discard_draft": "as a draft",
    "annotator:ping": "measures time; the rating carries it",
    "annotator:reading": "how one likes to read",
    "annotator:compare_reading": "how one likes to read",
    "annotator:tags": "as a draft; the rating carries them",
    "annotator:keys": "how one likes to press keys",
}
# Sessions and paces are of the request; drafts are kept before anything else is done.
BESIDE: Final = {
    *("django_session", "annotator_browsersession", "annotator_usedpace", "annotator_presence"),
    *("annotator_draft", "annotator_worktime", "annotator_auditevent", "annotator_auditseal"),
}
STATES: Final = sorted({case.state for case in CASES.values()})


def test_every_route_that_may_write_names_its_act_or_says_why_it_has_none():
    writing = {
        route for route, rule in permissions.matrix().items() if rule.methods - set(SAFE_METHODS)
    }
    assert writing == {*CASES, *NAMED, *NO_ACT}
    assert not (CASES.keys() & NAMED.keys() | CASES.keys() & NO_ACT.keys())


@pytest.fixture
def house(request, db, settings, tmp_path, monkeypatch) -> House:
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.DATA_DIR = tmp_path
    return furnish(MARK, request.param)


@pytest.mark.parametrize("house", STATES, indirect=True, ids=STATES)
def test_what_a_route_does_is_in_the_trail_or_is_not_done(house, request):
    state = request.node.callspec.id
    wrong = []
    for route, case in CASES.items():
        if case.state != state:
            continue
        with transaction.atomic():
            last = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            status = sent(signed_in(house, case), house, route, case)
            new = AuditEvent.objects.filter(pk__gt=last).values_list("action", flat=True)
            if status >= 400 or case.action not in new:
                wrong.append(f"{route}: {status} {sorted(new)}")
            transaction.set_rollback(True)
        if left := left_without_trail(house, route, case):
            wrong.append(f"{route}: {left}")
    assert not wrong, "\n".join(wrong)


def signed_in(house: House, case: Case) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(house.people[case.who])
    return client


def sent(client: Client, house: House, route: str, case: Case) -> int:
    body = case.body(house) if callable(case.body) else case.body
    if ":api:" not in f":{route}":
        return client.post(address(house, route, case), body).status_code
    headers = {"If-Match": '"1"', "Idempotency-Key": "k"}
    return client.generic(
        case.method,
        address(house, route, case),
        json.dumps(body),
        content_type="application/json",
        headers=headers,
    ).status_code


def address(house: House, route: str, case: Case) -> str:
    """Return the address, with as many arguments as the route has."""
    pk = {"pk": case.row(house)} if case.row else {}
    slug = {"slug": house.campaign.slug}
    version = {"name": house.measured.version.dataset.name, "number": 1}
    for arguments in (pk, {**pk, **slug}, slug, version):
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


def left_without_trail(house: House, route: str, case: Case) -> str:
    """Send it while nothing can be written to the trail; return what was written all the same."""
    with transaction.atomic(), connection.cursor() as cursor:
        connection.check_constraints()
        client = signed_in(house, case)
        before = everything()
        for statement in FULL[connection.vendor]:
            cursor.execute(statement)
        status = sent(client, house, route, case)
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
