"""The audit trail: the one place that writes it, and what each act is called."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Model, QuerySet

from annotator.models import AuditEvent, Campaign, User

Details = Mapping[str, Any]
MOST_LISTED: Final = 200


def record(
    *,
    action: str,
    object_type: str,
    object_id: object,
    actor: User | UUID | None = None,
    campaign: Campaign | UUID | None = None,
    details: Details | None = None,
) -> None:
    """Write who did what to which row; no actor is the program itself.

    Details hold keys, numbers, digests and old and new values, never claim text.
    """
    AuditEvent.objects.create(
        **_who_and_where(actor, campaign),
        action=action,
        object_type=object_type,
        object_id=str(object_id),
        details=dict(details) if details else {},
    )


def record_on(
    row: Model,
    action: str,
    actor: User | UUID | None,
    campaign: Campaign | UUID | None = None,
    /,
    **details: Any,
) -> None:
    """Write who did what to a row, in the campaign that is given, or else in the row's own."""
    where = row if isinstance(row, Campaign) else getattr(row, "campaign_id", None)
    record(
        actor=actor,
        campaign=campaign or where,
        action=action,
        # "claim_import" for a ClaimImport.
        object_type=re.sub(r"\B(?=[A-Z])", "_", str(row._meta.object_name)).lower(),
        object_id=row.pk,
        details=details,
    )


def latest_acts(campaign: Campaign, action: str) -> QuerySet[AuditEvent]:
    """Return the latest acts of a kind on a campaign, the last first; no actor is a command."""
    rows = AuditEvent.objects.filter(
        object_type="campaign", object_id=str(campaign.pk), action=action
    )
    return rows.select_related("actor").order_by("-pk")[:MOST_LISTED]


def record_each(
    *,
    action: str,
    object_type: str,
    details_by_id: Iterable[tuple[object, Details]],
    actor: User | UUID | None = None,
    campaign: Campaign | UUID | None = None,
) -> None:
    """Write one row for each of many objects of the same act, in few statements."""
    shared = _who_and_where(actor, campaign)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            **shared,
            action=action,
            object_type=object_type,
            object_id=str(object_id),
            details=dict(details),
        )
        for object_id, details in details_by_id
    )


def _who_and_where(actor: User | UUID | None, campaign: Campaign | UUID | None) -> dict[str, Any]:
    return {
        "actor_id": actor.pk if isinstance(actor, User) else actor,
        "campaign_id": campaign.pk if isinstance(campaign, Campaign) else campaign,
    }


@dataclass(frozen=True, slots=True)
class Act:
    """One kind of act; its label follows the name of who did it.

    `details` names those that a page shows. `is_raters` acts reveal who rated what and when: their
    actor, their object if it is a person, and their details stay hidden until names are shown.
    `is_of_dispute` acts reveal that annotators disagree.
    """

    label: str
    details: tuple[str, ...] = ()
    is_raters: bool = False
    is_of_dispute: bool = False


_SCORES: Final = ("version", "scores")
_JUDGED: Final = ("version", "judgements")
_REFUSED: Final = ("route", "method", "status")
_ACTS: Final[dict[str, Act]] = {
    "access.refused": Act("was refused a page or call", _REFUSED),
    "access.refused_often": Act("was refused more often than is listed here", _REFUSED),
    "assignment.lapsed": Act("a candidate was returned: its lease expired", is_raters=True),
    "assignment.leased": Act("took a candidate to rate", is_raters=True),
    "assignment.recusal": Act("recused themselves", ("reason",), is_raters=True),
    "assignment.rerouted": Act("a candidate went to another annotator", is_raters=True),
    "assignment.returned": Act("took a candidate back", is_raters=True),
    "assignment.skip": Act("skipped a candidate", ("reason",), is_raters=True),
    "assignment.taken_back": Act("a candidate was returned: a recusal was undone", is_raters=True),
    "assignments.made": Act("candidates were assigned", ("count",), is_raters=True),
    "assignments.named": Act("assigned candidates by name", ("count", "beyond")),
    "assignments.withdrawn": Act("withdrew candidates", ("count", "reason")),
    # Its head stays in the row: it counts what everybody did.
    "audit.exported": Act("exported the audit trail"),
    "backup.made": Act("a backup was made"),
    "backup.restored": Act("a backup was restored"),
    "calibration.added": Act("added calibration items", ("count",)),
    "calibration.answered": Act("rated a calibration item", is_raters=True),
    "calibration.removed": Act("removed a calibration item", ("answers",)),
    "calibration.switched": Act("switched calibration", ("is_on",)),
    "campaign.closed": Act("closed the campaign", ("reason",)),
    "campaign.created": Act("created the campaign"),
    "campaign.reopened": Act("reopened the campaign", ("reason",)),
    "campaign.rules_changed": Act("changed the rules", ("changes",)),
    "candidate.flagged": Act("flagged a candidate", ("reason",), is_raters=True),
    "chart.taken": Act(
        "took a claim chart as a file", ("format",), is_raters=True, is_of_dispute=True
    ),
    "claims.imported": Act("stored claim sets", ("references", "candidates", "import")),
    "claims.taken": Act("took claims as a Word document", ("sha256",)),
    "claims.rewritten": Act("wrote rewritten claim sets to a file", ("seed", "grades")),
    "comparisons.asked": Act("requested comparisons", ("share", "seed", "pairs", "count")),
    "comparisons.made": Act("comparisons were assigned", ("count",), is_raters=True),
    "conflict.called_back": Act("called a question back", is_of_dispute=True),
    "conflict.opened": Act(
        "a conflict was found", ("kind", "criterion", "gap"), is_of_dispute=True
    ),
    "conflict.ruled": Act(
        "signed a ruling", ("conflict", "decision", "reason", "record_sha256"), is_of_dispute=True
    ),
    "conflict.sent_back": Act("sent a conflict back", ("kind",), is_of_dispute=True),
    "draft_claims.edited": Act("changed the draft of a reference", ("number",)),
    "delivery.given_up": Act("a delivery was given up", ("way", "about", "answer")),
    "flag.answered": Act("answered a flag"),
    "flag.closed": Act("closed a flag"),
    "group_role.added": Act("had a group give a role", ("group", "role")),
    "group_role.agreed": Act("agreed that a group gives a role", ("group", "role")),
    "group_role.removed": Act("had a group give a role no more", ("group", "role")),
    "identity.arrived": Act("somebody new signed in at a provider", ("provider",)),
    "identity.ended": Act("the provider closed a sign-in"),
    "identity.linked": Act("linked a sign-in at a provider"),
    "identity.unlinked": Act("unlinked a sign-in at a provider"),
    "identity.forgotten": Act("deleted a sign-in that nobody let in"),
    "identity.refused": Act("refused a sign-in at a provider"),
    "import.answered": Act("answered what an import asked", ("sha256",)),
    "import.cancelled": Act("cancelled an import", ("sha256",)),
    "import.confirmed": Act("confirmed an import", ("sha256",)),
    "import.corrected": Act("corrected claims that were read of a document", ("sha256", "number")),
    "import.expired": Act("an import expired: nobody confirmed it", ("sha256",)),
    "import.failed": Act("an import failed", ("sha256",)),
    "import.source_taken": Act("took the document of an import", ("sha256",)),
    "import.stored": Act("an import was stored", ("sha256",)),
    "import.requested": Act("requested an import", ("sha256",)),
    "invitation.accepted": Act("accepted an invitation"),
    "invitation.made": Act("invited somebody"),
    "invitation.withdrawn": Act("withdrew an invitation"),
    "marks.taken": Act("took own marks as a Word document", ("changes",), is_raters=True),
    "mail.address_confirmed": Act("confirmed a mail address"),
    "mail.address_removed": Act("removed a mail address"),
    "mail.address_set": Act("set a mail address"),
    "mail.kinds_chosen": Act("chose what to be mailed about", ("kinds",)),
    "passkey.added": Act("added a passkey"),
    "passkey.cloned": Act("a passkey counted backwards, and was refused: it may be a copy"),
    "passkey.removed": Act("removed a passkey"),
    "password.changed": Act("changed a password"),
    "password.reset_sent": Act("a link to choose a new password was mailed"),
    "plan.carried_out": Act("carried out a plan", ("count", "seed", "due_at", "annotators")),
    "preference.revised": Act("revised a comparison", _JUDGED, is_raters=True),
    "preference.submitted": Act("submitted a comparison", _JUDGED, is_raters=True),
    "preferences.imported": Act("imported stated preferences", ("preferences",)),
    "qualification.marked": Act("marked references for qualification", ("references",)),
    "qualification.unmarked": Act("unmarked references", ("references",)),
    "quota.set": Act("set a quota", ("from", "to")),
    "rating.refused": Act("a rating was refused, and kept as a draft", is_raters=True),
    "rating.revised": Act("revised a rating", _SCORES, is_raters=True),
    "rating.submitted": Act("submitted a rating", _SCORES, is_raters=True),
    "claims.exported": Act("exported the claim sets", ("has_context",)),
    "ratings.exported": Act("exported the ratings", ("format", "is_identified", "reason")),
    "reliability.cancelled": Act("cancelled reliability figures"),
    "reliability.failed": Act("reliability figures failed"),
    "reliability.finished": Act("reliability figures were calculated"),
    "reliability.requested": Act("requested reliability figures"),
    "repeats.set": Act("set hidden repeats", ("from", "to")),
    "role.granted": Act("granted a role", ("role", "group")),
    "role.refused": Act("refused a role that was given from outside", ("role",)),
    "role.revoked": Act("revoked a role", ("role", "count", "group")),
    "role.suspended": Act("a role from outside waits for an admin of the campaign", ("role",)),
    "ruling.taken": Act("took a ruling as a Word document", ("changes",), is_of_dispute=True),
    "second_factor.codes_renewed": Act("made new recovery codes"),
    "second_factor.refused": Act("entered a wrong second factor"),
    "second_factor.reset": Act("removed a second factor"),
    "second_factor.set_up": Act("set up a second factor"),
    "sentinels.added": Act("added sentinels", ("count", "seed")),
    "session.ended": Act("ended a session"),
    "sign_in.accepted": Act("signed in", ("provider", "passkey")),
    "sign_in.emergency": Act("signed in with the emergency account", ("passkey",)),
    "sign_in.refused": Act("could not sign in"),
    "signature.refused": Act("was refused a signature", is_of_dispute=True),
    "signature.voided": Act(
        "voided a signature", ("conflict", "record_sha256"), is_of_dispute=True
    ),
    "timesheet.exported": Act("took the timesheet", ("is_by_day", "reason")),
    "token.created": Act("made a token", ("scope", "days")),
    "token.revoked": Act("revoked a token"),
    "turn.given_back": Act("gave a conflict back", is_of_dispute=True),
    "turn.taken": Act("took a conflict", is_of_dispute=True),
    "unblinding.shown": Act("was unblinded", ("shown",)),
    "user.created": Act("an account was made"),
    "user.deactivated": Act("deactivated an account"),
    "user.reactivated": Act("reactivated an account"),
    "webhook.added": Act("added a webhook", ("host", "events")),
    "webhook.removed": Act("removed a webhook"),
    "webhook.secret_renewed": Act("made a new secret for a webhook"),
    "webhook.tested": Act("tried a webhook out"),
}


def register_acts(acts: Mapping[str, Act]) -> None:
    """Add the acts of another package."""
    _ACTS.update(acts)


def act_of(action: str) -> Act:
    """Return what is known of an action; of one that is not listed, nothing is shown early."""
    plain = action.replace(".", ": ").replace("_", " ")
    return _ACTS.get(action) or Act(plain, is_raters=True, is_of_dispute=True)


def listed_actions() -> list[tuple[str, str]]:
    """Return every known action with its label, in the order of the labels."""
    return sorted(((action, act.label) for action, act in _ACTS.items()), key=lambda one: one[1])


def actions_where(attribute: str) -> list[str]:
    """Return the listed actions of which an attribute is true."""
    return [action for action, act in _ACTS.items() if getattr(act, attribute)]


def visible_details(action: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of the details a page may show."""
    shown = act_of(action).details
    return {key: details[key] for key in shown if details.get(key) not in (None, "")}
