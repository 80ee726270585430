"""What each route that may write does, by the act that it leaves in the audit trail: tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.models import Comparison
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.guards.blindness.hook_rows import HOST
from tests.guards.blindness.measured_rows import CRITERION
from tests.guards.blindness.people import RULING
from tests.guards.blindness.states import Scenario

SCORES: Final = dict.fromkeys(CRITERIA, "7")
WITH_REASON: Final = {"reason": "a reason"}
CONFIRMED: Final = {"confirmed": "1"}
WITHDRAWN: Final = {"act": "withdraw", **WITH_REASON}
Body = Mapping[str, Any] | Callable[[Scenario], Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A request that does something: who sends it, to which row, with what, in which state."""

    action: str
    who: str = "admin"
    row: Callable[[Scenario], Any] | None = None
    body: Body = field(default_factory=dict)
    state: str = "untouched"
    method: str = "POST"


def own(scenario: Scenario) -> Any:
    return scenario.other_open("one").pk


def conflict(scenario: Scenario) -> Any:
    return scenario.conflict.pk


def compared(scenario: Scenario) -> Any:
    rows = Comparison.objects.filter(annotator=scenario.people["one"], preference=None)
    return rows.order_by("position")[0].pk


def waiting_import(scenario: Scenario) -> Any:
    return scenario.imports.waiting.pk


def document(scenario: Scenario) -> Any:
    return scenario.imports.document.pk


def waiting_run(scenario: Scenario) -> Any:
    return scenario.measured.waiting.pk


def model(scenario: Scenario) -> Any:
    return scenario.measured.model.pk


def webhook(scenario: Scenario) -> Any:
    return scenario.webhook.pk


NEW_WEBHOOK: Final = {"url": f"https://{HOST}/a", "events": ["freeze"]}


def scores(scenario: Scenario) -> Any:
    return scenario.measured.scores.pk


def permission(scenario: Scenario) -> Any:
    return scenario.measured.permission.pk


def reading_texts(scenario: Scenario) -> dict[str, Any]:
    return {"person": scenario.people["researcher"].username, "reason": "a look"}


def rules(scenario: Scenario) -> dict[str, Any]:
    row = scenario.campaign
    unchanged = ("name", "overlap", "shared_percent", "lease_minutes", "criterion_gap")
    changed = {"revision_hours": 5, "overall_gap": "2", "flip_gap": "1"}
    return {name: getattr(row, name) for name in unchanged} | changed


def as_one(scenario: Scenario, role: str = "reader") -> dict[str, Any]:
    return {"username": scenario.people["one"].username, "role": role}


def report(scenario: Scenario) -> dict[str, Any]:
    name = scenario.measured.version.dataset.name
    return {"dataset": name, "criterion": CRITERION, "scorers": ["length"], "split": "test"}


CASES: Final[dict[str, Case]] = {
    "annotator:rate": Case("rating.submitted", "one", own, SCORES),
    "annotator:skip": Case("assignment.skip", "one", own, {"leave_code": "not-now", **CONFIRMED}),
    "annotator:recuse": Case(
        *("assignment.recusal", "one", own),
        {"leave_reason": "my client", **CONFIRMED},
    ),
    "annotator:flag": Case("candidate.flagged", "one", own, {"flag_code": "wrong-text"}),
    "annotator:compare": Case(
        "preference.submitted", "one", compared, dict.fromkeys(ALL_CRITERIA, "1")
    ),
    "annotator:take_turn": Case("turn.taken", "adjudicator", conflict, state="conflict open"),
    "annotator:adjudicate": Case("conflict.ruled", "adjudicator", conflict, RULING, "taken"),
    "annotator:give_back": Case("turn.given_back", "adjudicator", conflict, state="taken"),
    "annotator:send_back": Case(
        *("conflict.sent_back", "adjudicator", conflict),
        body={"back_kind": "again", "back_question": "a question", **CONFIRMED},
        state="taken",
    ),
    "annotator:call_back": Case("conflict.called_back", "adjudicator", conflict, state="waiting"),
    "annotator:new_campaign": Case("campaign.created", body={"slug": "newer", "name": "Newer"}),
    "annotator:campaign_rules": Case("campaign.rules_changed", body=rules),
    "annotator:close_campaign": Case("campaign.closed", body=WITH_REASON | CONFIRMED),
    "annotator:reopen_campaign": Case("campaign.reopened", body=WITH_REASON, state="closed"),
    "annotator:members": Case("role.granted", body=as_one),
    "annotator:revoke": Case(
        "role.revoked", body=lambda scenario: as_one(scenario, "annotator") | CONFIRMED
    ),
    "annotator:quota": Case(
        "quota.set",
        body=lambda scenario: {"annotator": scenario.people["peer"].username, "quota": "5"},
    ),
    "annotator:qualification": Case(
        "qualification.marked",
        body=lambda scenario: {"references": [scenario.item.reference.reference_id]},
    ),
    "annotator:sentinels": Case("sentinels.added", body={"count": "1", "seed": "1"}),
    "annotator:repeats": Case("repeats.set", body={"percent": "10", "lag": "5"}),
    "annotator:confirm_import": Case("import.confirmed", row=waiting_import),
    "annotator:cancel_import": Case("import.cancelled", row=waiting_import, body=CONFIRMED),
    "annotator:answer_import": Case(
        "import.answered", row=document, body={"reference_id": "another"}
    ),
    "annotator:correct_claims": Case(
        "import.corrected", row=document, body={"claims": "1. A corrected claim."}
    ),
    "annotator:claims_docx": Case(
        "claims.taken",
        body=lambda scenario: {"reference_id": scenario.item.reference.reference_id},
    ),
    "annotator:marks_docx": Case("marks.taken", "one", own),
    "annotator:rate_chart": Case("chart.taken", "one", own, {"format": "csv"}),
    "annotator:compare_chart": Case("chart.taken", "one", compared, {"format": "csv"}),
    "annotator:adjudicate_chart": Case(
        "chart.taken", "adjudicator", conflict, {"format": "csv"}, "conflict open"
    ),
    "annotator:ruling_docx": Case("ruling.taken", "adjudicator", conflict, state="ruled"),
    "annotator:signed_docx": Case(
        "ruling.taken", row=lambda scenario: scenario.conflict.adjudications.get().pk, state="ruled"
    ),
    "annotator:void_ruling": Case(
        "signature.voided",
        row=lambda scenario: scenario.conflict.adjudications.get().pk,
        body=WITH_REASON | CONFIRMED,
        state="ruled",
    ),
    "annotator:reliability": Case("reliability.requested", state="rated by one"),
    "annotator:show_names": Case("unblinding.shown", body=WITH_REASON, state="closed"),
    "annotator:export_ratings": Case(
        "ratings.exported", body={"format": "jsonl"}, state="rated by one"
    ),
    "annotator:export_audit": Case("audit.exported"),
    "annotator:feedback": Case("reliability.requested", "one", state="closed"),
    "annotator:ask_comparisons": Case("comparisons.asked", body={"share": "100", "seed": "1"}),
    "scoring:edit_draft": Case(
        "draft_claims.edited",
        row=lambda scenario: scenario.item.reference_id,
        body={"draft_claims": "1. An earlier claim.", **WITH_REASON},
    ),
    "scoring:permit_texts": Case("dataset.texts_permitted", body=reading_texts),
    "scoring:revoke_texts": Case("dataset.texts_revoked", row=permission, body=CONFIRMED),
    "scoring:set_licence": Case("dataset.licence_set", body={"licence": "CC0-1.0"}),
    "scoring:cancel_freeze": Case(
        "freeze.cancelled", row=lambda scenario: scenario.measured.freeze.pk, body=CONFIRMED
    ),
    "scoring:cancel_run": Case("training.cancelled", "researcher", waiting_run, CONFIRMED),
    "scoring:describe_run": Case(
        *("training.described", "researcher", waiting_run), {"tags": "baseline", "note": "a note"}
    ),
    "scoring:promotion": Case("promotion.withdrawn", row=model, body=WITHDRAWN),
    "scoring:delete_scores": Case("scores.deleted", "researcher", scores, CONFIRMED),
    "api:ratings": Case(
        *("rating.submitted", "one"),
        body=lambda scenario: {
            "assignment": str(own(scenario)),
            "scores": dict.fromkeys(CRITERIA, 7),
        },
    ),
    "api:rating": Case(
        *("rating.revised", "peer", lambda scenario: scenario.assignment("peer").rating.pk),
        body={"comment": "another comment"},
        state="rated by one",
        method="PATCH",
    ),
    "api:campaigns": Case("campaign.created", body={"slug": "newer", "name": "Newer"}),
    "api:campaign_rules": Case(
        "campaign.rules_changed", body={"revision_hours": 5}, method="PATCH"
    ),
    "api:close_campaign": Case("campaign.closed", body=WITH_REASON),
    "api:reopen_campaign": Case("campaign.reopened", body=WITH_REASON, state="closed"),
    "annotator:webhooks": Case("webhook.added", body=NEW_WEBHOOK),
    "annotator:try_webhook": Case("webhook.tested", row=webhook),
    "annotator:rotate_webhook_secret": Case("webhook.secret_renewed", row=webhook, body=CONFIRMED),
    "annotator:remove_webhook": Case("webhook.removed", row=webhook, body=CONFIRMED),
    "api:webhooks": Case("webhook.added", body=NEW_WEBHOOK),
    "api:webhook": Case("webhook.removed", row=webhook, method="DELETE"),
    "api:try_webhook": Case("webhook.tested", row=webhook),
    "api:rotate_webhook_secret": Case("webhook.secret_renewed", row=webhook),
    "api:members": Case("role.granted", body=as_one),
    "api:invitations": Case("invitation.made", body={"role": "annotator"}),
    "api:take_turn": Case("turn.taken", "adjudicator", conflict, state="conflict open"),
    "api:give_back": Case("turn.given_back", "adjudicator", conflict, state="taken"),
    "api:send_back": Case(
        *("conflict.sent_back", "adjudicator", conflict),
        body={"kind": "again", "question": "a question"},
        state="taken",
    ),
    "api:call_back": Case("conflict.called_back", "adjudicator", conflict, state="waiting"),
    "api:adjudications": Case(
        *("conflict.ruled", "adjudicator"),
        body=lambda scenario: {**RULING, "conflict": str(scenario.conflict.pk)},
        state="taken",
    ),
    "api:agreement": Case("reliability.requested", state="rated by one"),
    "api:confirm_import": Case("import.confirmed", row=waiting_import),
    "api:cancel_import": Case("import.cancelled", row=waiting_import),
    "api:answer_import": Case("import.answered", row=document, body={"reference_id": "another"}),
    "api:read_claim_set": Case(
        "import.corrected", row=document, body={"claims": "1. A corrected claim."}, method="PUT"
    ),
    "scoring:api:cancel_run": Case("training.cancelled", "researcher", waiting_run),
    "scoring:api:run": Case(
        *("training.described", "researcher", waiting_run), {"note": "a note"}, method="PATCH"
    ),
    "scoring:api:promote": Case("promotion.withdrawn", row=model, body=WITHDRAWN),
    "scoring:api:scores": Case(
        *("scores.requested", "researcher"),
        body={"reference": "1. A cup.", "candidates": ["1. A mug."]},
    ),
    "scoring:api:score": Case("scores.deleted", "researcher", scores, method="DELETE"),
    "scoring:api:reports": Case("report.requested", "researcher", body=report),
}
# The same service as the route beside it, or one with tests of its own that look for the act.
NAMED: Final = {
    "annotator:login": "sign_in.accepted",
    "annotator:login_code": "sign_in.accepted",
    "annotator:account_second_factor": "second_factor.set_up",
    "annotator:account_second_factor_codes": "second_factor.codes_renewed",
    "annotator:account_second_factor_remove": "second_factor.reset",
    "annotator:account_second_factor_passkeys": "passkey.added",
    "annotator:account_second_factor_remove_passkey": "passkey.removed",
    "annotator:account_password": "password.changed",
    "annotator:account_end_others": "session.ended",
    "annotator:account_end_session": "session.ended",
    "annotator:sign_rulings": "conflict.ruled",
    "annotator:flag_page": "flag.answered",
    "annotator:users": "invitation.made",
    "annotator:change_user": "user.deactivated",
    "annotator:invitation": "invitation.accepted",
    "annotator:invite_member": "invitation.made",
    "annotator:account_mail": "mail.address_set",
    "annotator:account_mail_kinds": "mail.kinds_chosen",
    "annotator:account_mail_remove": "mail.address_removed",
    "annotator:account_mail_confirm": "mail.address_confirmed",
    "annotator:reset_password": "password.changed",
    "annotator:provider_ended": "session.ended",
    "annotator:link_provider": "identity.linked",
    "annotator:unlink_provider": "identity.unlinked",
    "annotator:sign_on": "group_role.added",
    "annotator:answer_newcomer": "identity.linked",
    "annotator:remove_group": "group_role.removed",
    "annotator:answer_pending_role": "role.granted",
    "api:pending_role": "role.granted",
    "api:group_roles": "group_role.added",
    "api:group_role": "group_role.removed",
    "annotator:account_tokens": "token.created",
    "annotator:account_revoke_token": "token.revoked",
    "annotator:take_next": "assignment.leased",
    "api:take_next": "assignment.leased",
    "annotator:take_back": "assignment.returned",
    "annotator:all_chart": "chart.taken",
    "scoring:item_chart": "chart.taken",
    "annotator:timesheet": "timesheet.exported",
    "annotator:calibrate": "calibration.answered",
    "annotator:add_calibration_candidate": "calibration.added",
    "annotator:add_calibration_examples": "calibration.added",
    "annotator:remove_calibration_item": "calibration.removed",
    "annotator:switch_calibration": "calibration.switched",
    "annotator:carry_out_plan": "plan.carried_out",
    "annotator:assign_by_name": "assignments.named",
    "annotator:withdraw": "assignments.withdrawn",
    "annotator:import_claims": "import.requested",
    "annotator:import_source": "import.source_taken",
    "annotator:cancel_reliability": "reliability.cancelled",
    "api:import_claims": "import.requested",
    "api:plan": "plan.carried_out",
    "api:join": "invitation.accepted",
    "scoring:ask_erasure": "erasure.asked",
    "scoring:api:erasures": "erasure.asked",
    "scoring:agree_erasure": "erasure.agreed",
    "scoring:decline_erasure": "erasure.declined",
    "scoring:freeze": "freeze.requested",
    "scoring:runs": "training.requested",
    "scoring:train_again": "training.requested",
    "scoring:score": "scores.requested",
    "scoring:item_why": "scores.requested",
    "scoring:reports": "report.requested",
    "scoring:cancel_report": "report.cancelled",
    "scoring:api:datasets": "freeze.requested",
    "scoring:api:runs": "training.requested",
    "scoring:api:train_again": "training.requested",
    "scoring:api:cancel_report": "report.cancelled",
}
NO_ACT: Final = {
    "annotator:forgotten": "a worker looks for the account, and writes the act if there is one",
    "annotator:logout": "ends the person's own session, which is stored nowhere else",
    "annotator:overall": "computes and stores nothing",
    "annotator:draft": "what is typed is nobody's act until it is submitted",
    "annotator:discard_draft": "as a draft",
    "annotator:compare_draft": "as a draft",
    "annotator:discard_comparison_draft": "as a draft",
    "annotator:own_note": "one's own note, which nobody else is to know of",
    "annotator:ping": "measures time; the rating carries it",
    "annotator:reading": "how one likes to read",
    "annotator:compare_reading": "how one likes to read",
    "annotator:all_candidates_reading": "how one likes to read",
    "annotator:adjudicate_reading": "how one likes to read",
    "scoring:scored_reading": "how one likes to read",
    "scoring:item_reading": "how one likes to read",
    "annotator:rate_context": "looks for words, and stores nothing",
    "annotator:compare_context": "looks for words, and stores nothing",
    "annotator:adjudicate_context": "looks for words, and stores nothing",
    "scoring:item_context": "looks for words, and stores nothing",
    "annotator:tags": "as a draft; the rating carries them",
    "annotator:account": "how one likes to read times",
    "annotator:keys": "how one likes to press keys",
    "annotator:provider_sign_in": "leads to a provider; who comes back from it is on record",
    "annotator:test_provider": "asks a provider, and stores nothing",
}
