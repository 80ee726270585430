"""What each route that may write does, by the act that it leaves in the audit trail: tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.models import Comparison
from annotator.rubric import ALL_CRITERIA, CRITERIA
from tests.guards.blindness.measured_rows import CRITERION
from tests.guards.blindness.people import PASSWORD
from tests.guards.blindness.states import Scenario

SCORES: Final = dict.fromkeys(CRITERIA, "7")
RULING: Final = {
    "decision": "mean",
    "reason_code": "overlooked",
    "reason": "a reason",
    "password": PASSWORD,
}
Body = Mapping[str, Any] | Callable[[Scenario], Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A request that does something: who sends it in which state, to which row, with what."""

    action: str
    state: str
    who: str
    row: Callable[[Scenario], Any] | None = None
    body: Body = field(default_factory=dict)
    method: str = "POST"


def own(scenario: Scenario) -> Any:
    return scenario.other_open("one").pk


def conflict(scenario: Scenario) -> Any:
    return scenario.conflict.pk


def compared(scenario: Scenario) -> Any:
    rows = Comparison.objects.filter(annotator=scenario.people["one"], preference=None)
    return rows.order_by("position")[0].pk


def rules(scenario: Scenario) -> dict[str, Any]:
    row = scenario.campaign
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


def as_one(scenario: Scenario, role: str = "reader") -> dict[str, Any]:
    return {"username": scenario.people["one"].username, "role": role}


def person(scenario: Scenario) -> dict[str, Any]:
    return {"annotator": scenario.people["peer"].username}


def conflict_body(scenario: Scenario) -> dict[str, Any]:
    return {**RULING, "conflict": str(scenario.conflict.pk)}


WITH_REASON: Final = {"reason": "a reason"}
CASES: Final[dict[str, Case]] = {
    "annotator:rate": Case("rating.submitted", "untouched", "one", own, SCORES),
    "annotator:skip": Case("assignment.skip", "untouched", "one", own, {"leave_code": "not-now"}),
    "annotator:recuse": Case(
        *("assignment.recusal", "untouched", "one", own),
        {"leave_reason": "my client", "confirmed": "1"},
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
        {"back_kind": "again", "back_question": "a question"},
    ),
    "annotator:call_back": Case("conflict.called_back", "waiting", "adjudicator", conflict),
    "annotator:new_campaign": Case(
        "campaign.created", "untouched", "admin", None, {"slug": "newer", "name": "Newer"}
    ),
    "annotator:campaign_rules": Case("campaign.rules_changed", "untouched", "admin", None, rules),
    "annotator:close_campaign": Case("campaign.closed", "untouched", "admin", None, WITH_REASON),
    "annotator:reopen_campaign": Case("campaign.reopened", "closed", "admin", None, WITH_REASON),
    "annotator:members": Case("role.granted", "untouched", "admin", None, as_one),
    "annotator:revoke": Case(
        "role.revoked", "untouched", "admin", None, lambda scenario: as_one(scenario, "annotator")
    ),
    "annotator:quota": Case(
        "quota.set", "untouched", "admin", None, lambda scenario: person(scenario) | {"quota": "5"}
    ),
    "annotator:qualification": Case(
        "qualification.marked",
        "untouched",
        "admin",
        None,
        lambda scenario: {"references": [scenario.item.reference.reference_id]},
    ),
    "annotator:sentinels": Case(
        "sentinels.added", "untouched", "admin", None, {"count": "1", "seed": "1"}
    ),
    "annotator:repeats": Case(
        "repeats.set", "untouched", "admin", None, {"percent": "10", "lag": "5"}
    ),
    "annotator:confirm_import": Case(
        "import.confirmed", "untouched", "admin", lambda scenario: scenario.imports.waiting.pk
    ),
    "annotator:cancel_import": Case(
        "import.cancelled", "untouched", "admin", lambda scenario: scenario.imports.waiting.pk
    ),
    "annotator:void_ruling": Case(
        "signature.voided",
        "ruled",
        "admin",
        lambda scenario: scenario.conflict.adjudications.get().pk,
        WITH_REASON,
    ),
    "annotator:reliability": Case("reliability.requested", "rated by one", "admin"),
    "annotator:show_names": Case("unblinding.shown", "closed", "admin", None, WITH_REASON),
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
        "freeze.cancelled", "untouched", "admin", lambda scenario: scenario.measured.freeze.pk
    ),
    "scoring:cancel_run": Case(
        "training.cancelled",
        "untouched",
        "researcher",
        lambda scenario: scenario.measured.waiting.pk,
    ),
    "scoring:promotion": Case(
        "promotion.withdrawn",
        "untouched",
        "admin",
        lambda scenario: scenario.measured.model.pk,
        {"act": "withdraw", "reason": "a reason"},
    ),
    "scoring:delete_scores": Case(
        "scores.deleted", "untouched", "researcher", lambda scenario: scenario.measured.scores.pk
    ),
    "api:ratings": Case(
        "rating.submitted",
        "untouched",
        "one",
        None,
        lambda scenario: {"assignment": str(own(scenario)), "scores": dict.fromkeys(CRITERIA, 7)},
    ),
    "api:rating": Case(
        "rating.revised",
        "rated by one",
        "peer",
        lambda scenario: scenario.assignment("peer").rating.pk,
        {"comment": "another comment"},
        "PATCH",
    ),
    "api:take_turn": Case("turn.taken", "conflict open", "adjudicator", conflict),
    "api:give_back": Case("turn.given_back", "taken", "adjudicator", conflict),
    "api:send_back": Case(
        "conflict.sent_back",
        "taken",
        "adjudicator",
        conflict,
        {"kind": "again", "question": "a question"},
    ),
    "api:call_back": Case("conflict.called_back", "waiting", "adjudicator", conflict),
    "api:adjudications": Case("conflict.ruled", "taken", "adjudicator", None, conflict_body),
    "api:agreement": Case("reliability.requested", "rated by one", "admin"),
    "api:confirm_import": Case(
        "import.confirmed", "untouched", "admin", lambda scenario: scenario.imports.waiting.pk
    ),
    "api:cancel_import": Case(
        "import.cancelled", "untouched", "admin", lambda scenario: scenario.imports.waiting.pk
    ),
    "scoring:api:cancel_run": Case(
        "training.cancelled",
        "untouched",
        "researcher",
        lambda scenario: scenario.measured.waiting.pk,
    ),
    "scoring:api:promote": Case(
        "promotion.withdrawn",
        "untouched",
        "admin",
        lambda scenario: scenario.measured.model.pk,
        {"act": "withdraw", "reason": "a reason"},
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
        lambda scenario: scenario.measured.scores.pk,
        {},
        "DELETE",
    ),
    "scoring:api:reports": Case(
        "report.requested",
        "untouched",
        "researcher",
        None,
        lambda scenario: {
            "dataset": scenario.measured.version.dataset.name,
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
    "annotator:logout": "ends the person's own session, which is stored nowhere else",
    "annotator:overall": "computes and stores nothing",
    "annotator:draft": "what is typed is nobody's act until it is submitted",
    "annotator:discard_draft": "as a draft",
    "annotator:ping": "measures time; the rating carries it",
    "annotator:reading": "how one likes to read",
    "annotator:compare_reading": "how one likes to read",
    "annotator:tags": "as a draft; the rating carries them",
    "annotator:keys": "how one likes to press keys",
}
