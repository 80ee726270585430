"""What is sent to an address: every method of the matrix, with good and with bad bodies.

What no parser takes is sent in `make test-all` only: `tests/bad_input` looks at those each time.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.access.matrix import Rule
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.amounts import IS_THOROUGH
from tests.guards.blindness.addresses import Address
from tests.guards.blindness.hook_rows import HOST
from tests.guards.blindness.import_rows import MULTIPART, form_with_file
from tests.guards.blindness.measured_rows import CRITERION
from tests.guards.blindness.people import PASSWORD, RULING
from tests.guards.blindness.states import Scenario

FORM: Final = "application/x-www-form-urlencoded"
JSON: Final = "application/json"
# Where files go, and which fields go along with them.
UPLOADS: Final[dict[str, tuple[dict[str, str], ...]]] = {
    "annotator:import_claims": ({},),
    "api:import_claims": ({}, {"dry_run": "true"}),
}
HTMX: Final = {"HX-Request": "true"}
WRITES: Final = ("POST", "PUT", "PATCH", "DELETE")
SCORES: Final = dict.fromkeys(CRITERIA, "7")
# Fields of every page that a script, and no form of a page, sends.
SENT_BY_SCRIPT: Final = {
    **SCORES,
    **dict.fromkeys(ALL_CRITERIA, "-1"),
    "draft_version": "0",
    "typed_version": "0",
    "version": "0",
    "comment": "a comment",
    "note": "a note",
    "tag": "add vagueness",
    "aid": "diff off",
    "leave_code": "not-now",
    "confirmed": "1",
    "flag_code": "wrong-text",
    "reason": "a reason",
    "kind": "again",
    "question": "a question",
    "format": "jsonl",
}
BAD: Final = {
    **dict.fromkeys((*SENT_BY_SCRIPT, "username", "slug", "name", "decision"), "\x00"),
    "reason": "x" * 10_000,
    "draft_version": "٣",
    "typed_version": "٣",
    "version": "9" * 40,
}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request: `label` names what is special about it."""

    address: Address
    method: str
    label: str = ""
    data: Mapping[str, str] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON

    @property
    def is_text(self) -> bool:
        return isinstance(self.data, str)


def requests_to(
    address: Address, rule: Rule, scenario: Scenario, *, is_thorough: bool
) -> Iterator[Sent]:
    """Yield what is sent to an address: each method once, or with all that could be sent."""
    methods = sorted(rule.methods - {"OPTIONS", "HEAD"})
    if not is_thorough:
        for method in methods:
            yield Sent(address, method)
        return
    for method in methods:
        if method == "GET":
            yield Sent(address, "GET")
            yield Sent(address, "GET", "htmx", headers=HTMX)
        elif address.path.startswith("/api/"):
            yield from _calls(address, method, scenario)
        else:
            yield from _posts(address, method)
        if method == "POST":
            for fields in UPLOADS.get(address.route, ()):
                form = form_with_file(scenario.mark, **fields)
                yield Sent(address, method, "file", form, content_type=MULTIPART)
    yield Sent(address, next(name for name in ("PUT", "DELETE") if name not in rule.methods))


def _posts(address: Address, method: str) -> Iterator[Sent]:
    yield Sent(address, method, "empty", {})
    if IS_THOROUGH:
        yield Sent(address, method, "bad", BAD)
    yield Sent(address, method, "by script", SENT_BY_SCRIPT, HTMX)


def _calls(address: Address, method: str, scenario: Scenario) -> Iterator[Sent]:
    yield Sent(address, method, "empty", "{}")
    if IS_THOROUGH:
        yield Sent(address, method, "broken", "{")
        yield Sent(address, method, "list", "[1]")
    for number, body in enumerate(bodies(address.route, scenario)):
        headers = {"If-Match": '"1"', "Idempotency-Key": f"key {number}"}
        yield Sent(address, method, f"body {number}", json.dumps(body), headers)


def bodies(route: str, scenario: Scenario) -> list[dict[str, Any]]:
    """Return what a program would send to a route of the API."""
    scores = dict.fromkeys(CRITERIA, 7)
    conflicts = list(scenario.campaign.conflicts.order_by("kind"))[:2]
    dataset = scenario.measured.version.dataset.name
    known: dict[str, list[dict[str, Any]]] = {
        "api:ratings": [
            {"assignment": str(row.pk), "scores": scores, "comment": "a comment"}
            for row in (
                *scenario.campaign.assignments.filter(candidate=scenario.item),
                *(scenario.other_open(who) for who in ("one", "peer")),
            )
        ],
        "api:campaigns": [{"slug": "newer", "name": "Newer"}, {"slug": "newer"}],
        "api:campaign_rules": [{"revision_hours": 5}, {"overall_gap": 2.5, "overlap": 0}],
        "api:close_campaign": [{"reason": "a reason"}],
        "api:reopen_campaign": [{"reason": "a reason"}],
        "api:members": [
            {"username": scenario.people[who].username, "role": "reader"} for who in ("one", "peer")
        ],
        "api:invitations": [{"role": "annotator"}, {"role": "none"}],
        "api:webhooks": [
            {"url": f"https://{HOST}/a", "events": ["freeze"]},
            {"url": "https://elsewhere.example.org/a", "events": ["freeze"]},
        ],
        "api:join": [{"token": "no-such-token"}],
        "api:plan": [
            {"annotators": [scenario.people[who].username for who in ("one", "peer")], **more}
            for more in ({"dry_run": True}, {"seed": 1, "due_on": "2100-01-01"})
        ],
        "api:rating": [{"comment": "a comment"}, {"scores": scores}],
        "api:adjudications": [
            {**RULING, "conflict": str(row.pk), "password": password}
            for row in conflicts
            for password in (PASSWORD, "wrong")
        ],
        "api:answer_import": [{"reference_id": "another"}, {"claims_from": 1}],
        "api:read_claim_set": [{"claims": "1. A corrected claim."}],
        "api:send_back": [{"kind": "again", "question": "a question"}, {"kind": "another"}],
        "scoring:api:erasures": [{"reason": "a reason"}],
        "scoring:api:datasets": [
            {"campaign": scenario.campaign.slug, "include_unlocked": True, **more}
            for more in ({}, {"policy": "per-annotator", "split_by": "time", "test_share": 0})
        ],
        "scoring:api:runs": [{"dataset": dataset, "criterion": CRITERION}],
        "scoring:api:run": [{"tags": ["one"], "note": "a note"}, {"tags": "one"}],
        "scoring:api:promote": [
            {"act": act, "reason": "a reason", "is_aware": True}
            for act in ("ask", "agree", "decline", "withdraw")
        ],
        "scoring:api:scores": [
            {"reference": "1. A cup.", "candidates": ["1. A mug."]},
            {"reference": "1. A cup.", "candidates": [""], "criteria": [CRITERION]},
        ],
        "scoring:api:reports": [
            {"dataset": dataset, "criterion": CRITERION, "scorers": ["length"], "split": "all"}
        ],
    }
    return known.get(route, [])
