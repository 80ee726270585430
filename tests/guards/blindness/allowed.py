"""Who may meet which secret of their campaign in which state; what is not listed is for nobody.

Drawn up from the permission matrix and the rules B1-B12 of the trust document. A row says
principal, secrets, and from which states on: every state, a list, or the routes that show it.
"""

from dataclasses import dataclass
from typing import Final

from tests.guards.blindness.marks import PATTERNS
from tests.guards.blindness.people import ROLES
from tests.guards.blindness.states import STATES

EVER: Final = STATES
WITH_CONFLICT: Final = STATES[STATES.index("conflict open") :]
# An adjudicator reads ratings in a turn of their own, and once they are locked.
READABLE: Final = ("taken", "ruled", "closed", "reopened")
SINCE_RULED: Final = STATES[STATES.index("ruled") :]
SINCE_VOIDED: Final = STATES[STATES.index("voided") :]
SINCE_CLOSED: Final = STATES[STATES.index("closed") :]
TAKEN: Final = "annotator:adjudicate after annotator:take_turn"


@dataclass(frozen=True, slots=True)
class Row:
    """Secrets that principals may meet in these states; where routes are named, only there."""

    principals: tuple[str, ...]
    secrets: tuple[str, ...]
    states: tuple[str, ...] = EVER
    routes: tuple[str, ...] = ()


ONE: Final = ("one", "read token", "write token")
ANNOTATORS: Final = (*ONE, "peer")
ADJUDICATORS: Final = ("adjudicator", "adjudicator's token")
ADMINS: Final = ("admin", "admin's token")
MEMBERS: Final = (*ANNOTATORS, *ADJUDICATORS, *ADMINS, "researcher", "reader")

RESEARCHERS: Final = ("researcher", *ADMINS)
EVERYBODY: Final = (*MEMBERS, "outsider", "boss")
RATINGS: Final = tuple(f"{who}.{what}" for who in ("one", "peer") for what in ("texts", "overall"))
OVERALLS: Final = ("one.overall", "peer.overall")
IMPORTS: Final = (
    *("annotator:import_claims", "annotator:claim_import", "annotator:claim_import_progress"),
    *("annotator:confirm_import", "annotator:cancel_import"),
    *("annotator:answer_import", "annotator:correct_claims"),
    *("api:import_claims", "api:claim_import", "api:confirm_import", "api:cancel_import"),
    *("api:answer_import", "api:read_claim_set"),
    *("annotator:import_source", "api:import_source"),
    "annotator:claim_import after annotator:import_source",
    "annotator:claim_import after annotator:import_claims",
    "annotator:claim_import after annotator:confirm_import",
    "annotator:claim_import after annotator:cancel_import",
    "annotator:claim_import after annotator:answer_import",
    "annotator:claim_import after annotator:correct_claims",
)
# The preview of a file that waits to be confirmed is the one place where its texts are shown; of a
# document who corrects them reads them by a call, too.
PREVIEWS: Final = (
    *(route for route in IMPORTS if "annotator:claim_import" in route),
    *("annotator:answer_import", "annotator:correct_claims", "api:read_claim_set"),
)
SETTLED: Final = ("annotator:settled", "annotator:settled_candidate", "annotator:error_tags")
QUADRUPLETS: Final = ("scoring:quadruplets", "scoring:quadruplet")
ITEM: Final = (
    "scoring:report_item",
    "scoring:item_reading",
    "scoring:item_context",
    "scoring:item_chart",
    "scoring:item_why",
    "scoring:report_item after scoring:item_reading",
    "scoring:report_item after scoring:item_why",
)
ITEMS: Final = ("scoring:report_items", "scoring:export_items", *ITEM)
# The page of a reference, whatever led there.
OF_REFERENCE: Final = (
    *("scoring:reference_uses", "scoring:edit_draft", "scoring:ask_erasure"),
    "scoring:reference_uses after scoring:edit_draft",
    "scoring:reference_uses after scoring:ask_erasure",
)
USES: Final = ("scoring:rating_uses", *OF_REFERENCE)
# Texts that somebody pasted to be scored, and the scores: theirs alone.
SCORES: Final = (
    *("scoring:score", "scoring:scored", "scoring:score_progress", "scoring:api:score"),
    *("scoring:scored after scoring:score", "scoring:score after scoring:delete_scores"),
    *("scoring:scored_reading", "scoring:scored after scoring:scored_reading"),
)
REPORTS: Final = (
    *("scoring:reports", "scoring:report", "scoring:compare_reports", "scoring:download_report"),
    *("scoring:api:reports", "scoring:api:report"),
)
CONTEXTS: Final = (
    *("annotator:rate_context", "annotator:compare_context", "annotator:adjudicate_context"),
    *("api:assignment_context", "api:conflict_context"),
)
HOME: Final = ("annotator:home", "annotator:home after annotator:login")
FLAGS: Final = (
    *("annotator:flag_page", "annotator:campaign", "annotator:ask_comparisons"),
    *(
        f"annotator:campaign after annotator:{route}"
        for route in ("flag_page", "ask_comparisons", "campaign_rules", "close_campaign")
    ),
    "annotator:campaign after annotator:reopen_campaign",
)
SET_UP: Final = (
    *("annotator:switch_calibration", "annotator:remove_calibration_item"),
    *("annotator:add_calibration_candidate", "annotator:add_calibration_examples"),
)
CALIBRATION: Final = (
    *("annotator:calibration", *SET_UP),
    *(f"annotator:calibration after {route}" for route in SET_UP),
)
HOOKS: Final = (
    *("annotator:webhooks", "annotator:rotate_webhook_secret"),
    *("api:webhooks", "api:webhook", "api:try_webhook", "api:rotate_webhook_secret"),
    "annotator:webhooks after annotator:try_webhook",
    "annotator:webhooks after annotator:rotate_webhook_secret",
    "annotator:webhooks after annotator:remove_webhook",
)
EXPORT: Final = ("annotator:export_ratings",)
NAMES: Final = tuple(f"{who}.name" for who in ROLES)
SIGN_ON: Final = ("annotator:sign_on", "annotator:sign_on after annotator:sign_on")
USERS: Final = (
    *("annotator:users", "annotator:change_user"),
    *("annotator:users after annotator:users", "annotator:users after annotator:change_user"),
)
# The trail of a campaign names rows by their keys; who rated what it does not show (B11).
TRAIL: Final = ("annotator:audit", "annotator:export_audit")
ACTED_ON: Final = ("conflict.pk", "import", "one.assignment", "one.rating", "peer.rating")
ACCOUNTS: Final = (*NAMES, *(f"{who}.person" for who in ROLES), *("outsider.pk", "elsewhere"))


TABLE: Final = (
    # Every page shows who is signed in, and members know their campaign.
    *(Row((who,), (f"{who}.name",)) for who in ("one", "peer", "researcher", "reader", "admin")),
    # Names of routes and plain numbers, which reveal nothing of any campaign.
    Row(("boss",), tuple(PATTERNS), routes=("annotator:metrics",)),
    Row(ADJUDICATORS, ("adjudicator.name",)),
    Row(MEMBERS, ("campaign",)),
    # The schema of the API names things, and reveals none.
    Row(EVERYBODY, ("conflict.term",), routes=("api:schema",)),
    # Of the own campaign everything that one's roles there open, of the crawled one nothing.
    Row(("outsider",), ("elsewhere", "outsider.pk", *PATTERNS)),
    # A site admin looks after accounts, and reads no more of anybody than the name.
    Row(("boss",), ACCOUNTS, routes=(*USERS, "annotator:system_audit")),
    # One of each campaign is linked to a provider.
    Row(("boss",), ("one.name", "elsewhere"), routes=SIGN_ON),
    # A site admin makes campaigns, and reads the rules of the new one.
    Row(("boss",), ("boss",)),
    Row(
        ("boss",),
        ("conflict.term",),
        routes=("annotator:campaign_rules after annotator:new_campaign",),
    ),
    # Annotators: the claim sets that are theirs to rate, and what they did themselves (B1, B2).
    Row(ANNOTATORS, ("claims", "reference", "title")),
    Row(ONE, ("one.texts", "one.draft", "one.rating", "one.assignment", "one.overall")),
    Row(("peer",), ("peer.texts", "peer.draft", "peer.rating", "peer.assignment", "peer.overall")),
    # The reference's context, beside its claims and nowhere else.
    Row(ANNOTATORS, ("context",), routes=CONTEXTS),
    Row(ADJUDICATORS, ("context",), WITH_CONFLICT, routes=CONTEXTS),
    # A file that one takes says in its headers who took it.
    Row(ONE, ("one.name",), routes=("api:rating_docx",)),
    # Those who are asked to look again are shown at what, and not by whom.
    Row(ANNOTATORS, ("question",), ("waiting",)),
    # Agreed scores are shown to admins, and after one's own answer: the peer's.
    Row(("peer",), ("calibration",), routes=("annotator:calibrate",)),
    # They choose a candidate there by the id that settled ratings and exports show them as well.
    Row(ADMINS, ("calibration", "candidate_id"), routes=CALIBRATION),
    # Adjudicators: the conflicts that are theirs to rule on, without names (B6).
    Row(ADJUDICATORS, ("conflict.term",)),
    Row(ADJUDICATORS, ("conflict.pk", "claims", "reference", "title"), WITH_CONFLICT),
    Row(ADJUDICATORS, ("one.rating", "peer.rating"), WITH_CONFLICT),
    Row(ADJUDICATORS, RATINGS, READABLE),
    Row(ADJUDICATORS, RATINGS, WITH_CONFLICT, routes=(TAKEN,)),
    Row(ADJUDICATORS, ("ruling", "void reason"), SINCE_RULED),
    Row(ADJUDICATORS, ("ruling.pk",), SINCE_RULED, routes=("annotator:own_acts",)),
    # Adjudicators ask the question; who reads the history of a candidate finds it there.
    Row(ADJUDICATORS, ("question",), ("waiting",)),
    Row(ADMINS, ("question",), ("waiting",), routes=SETTLED),
    # A signature that was voided shows by whom.
    Row(ADJUDICATORS, ("admin.name",), ("voided",)),
    # The guides of a role name what its pages show.
    Row(("boss",), ("conflict.term", "purpose"), routes=("annotator:help",)),
    Row(("reader",), ("conflict.term",), routes=("annotator:help",)),
    # Researchers and admins: datasets, models and reports; the texts in them are for admins.
    Row(RESEARCHERS, ("dataset", "training", "report", "conflict.term")),
    # Readers: finished reports, which name their dataset.
    Row(("reader",), ("dataset", "report"), routes=REPORTS),
    Row(("researcher",), ("scored", "metric score"), routes=SCORES),
    # The question before one's own pasted texts are deleted names them by their opening.
    Row(("researcher",), ("scored",), routes=("scoring:delete_scores",)),
    Row(ADMINS, ("export", "export ids"), routes=("scoring:export", "scoring:api:export")),
    # The reference that the dataset is about is one of the campaign's.
    Row(ADMINS, ("export ids",)),
    Row(ADMINS, ("export",), routes=("scoring:quadruplet", *ITEM)),
    # Who lacks the texts of a campaign is told which admin to ask.
    Row(("researcher",), ("admin.name",), routes=ITEM),
    # Ids may reveal which system made a candidate; researchers meet them once it is closed.
    Row(("researcher",), ("export ids",), ("closed",), routes=(*QUADRUPLETS, *ITEMS, *SETTLED)),
    # Admins follow a rating to what used it, and a reference to what an erasure would touch.
    Row(ADMINS, ("candidate_id", "candidate.pk", "reference.pk"), routes=USES),
    Row(ADMINS, ("one.rating", "peer.rating"), routes=USES),
    Row(ADMINS, ("draft claims",), routes=OF_REFERENCE),
    # Settled ratings: the value of each candidate, and once closed which system made it.
    Row(ADMINS, ("reference", "candidate.pk"), routes=SETTLED),
    Row(("researcher",), ("reference", "candidate.pk"), ("closed",), routes=SETTLED),
    Row(RESEARCHERS, ("system", "candidate_id"), ("closed",), routes=SETTLED),
    # The ranking names the systems once they are revealed.
    Row(RESEARCHERS, ("system",), ("closed",), routes=("scoring:ranking",)),
    # The file of all ratings has what people wrote, and for admins the layout that holds texts.
    Row(ADMINS, (*RATINGS, "claims", "candidate_id"), routes=EXPORT),
    Row(("researcher",), (*RATINGS, "reference"), ("closed",), routes=EXPORT),
    Row(RESEARCHERS, ("system", "candidate_id", "purpose"), ("closed",), routes=EXPORT),
    # Once closed, ratings are read without names; figures show what was found by sentinels.
    Row(RESEARCHERS, OVERALLS, ("closed",)),
    Row(RESEARCHERS, ("purpose",), routes=("api:agreement", "annotator:reliability")),
    # An admin knows the candidates by the ids of the file that they were imported from.
    Row(ADMINS, (*OVERALLS, "candidate_id"), routes=SETTLED),
    # Admins import: they know the file, and look at what is in it before it is stored.
    Row(ADMINS, ("import",), routes=IMPORTS),
    Row(ADMINS, ("import text",), routes=PREVIEWS),
    Row(ADMINS, ("import",), routes=("annotator:own_acts",)),
    # What waits to be confirmed leads there from the inbox.
    Row(ADMINS, ("import",), routes=HOME),
    # The question before a signature is voided names the candidate by its opening.
    Row(ADMINS, ("claims", "candidate_id"), SINCE_RULED, routes=("annotator:void_ruling",)),
    # The claims that admins take, alone or with a ruling on them; of candidates by their ids.
    Row(ADMINS, ("claims", "candidate_id"), routes=("annotator:claims_docx",)),
    Row(ADMINS, ("claims", "candidate_id"), SINCE_RULED, routes=("annotator:signed_docx",)),
    # Where a campaign's webhooks lead, and what each was sent, is its admins' business.
    Row(ADMINS, ("webhook",), routes=(*HOOKS, *TRAIL, "annotator:own_acts")),
    # A flag is answered at the text that it is about; the campaign names the candidate.
    Row(ADMINS, ("claims", "candidate_id", "one.assignment"), routes=FLAGS),
    Row(ADMINS, ACTED_ON, routes=TRAIL),
    # What admins did themselves: the reason for closing, the conflict whose signature they voided.
    Row(ADMINS, ("conflict.pk",), SINCE_VOIDED, routes=("annotator:own_acts",)),
    Row(ADMINS, ("close reason",), SINCE_CLOSED, routes=(*TRAIL, "annotator:own_acts")),
    Row(ADMINS, ("reference.pk",), routes=("scoring:ask_erasure", "scoring:api:erasures")),
    # The list of a campaign's references names each by its title or opening, and leads to its page.
    Row(
        ADMINS,
        ("reference.pk", "claims", "export"),
        routes=("scoring:references", "scoring:api:references"),
    ),
    # Admins: who takes part, how far they are, and who signed what.
    Row(ADMINS, (*NAMES, "reference", "title", "purpose")),
    Row(ADMINS, ("ruling", "ruling.pk", "void reason"), SINCE_RULED),
)


def allowed(principal: str, state: str, route: str) -> frozenset[str]:
    """Return the secrets that a principal may meet in a state at a route."""
    return frozenset(
        secret
        for row in TABLE
        if principal in row.principals
        and state in row.states
        and (not row.routes or route in row.routes)
        for secret in row.secrets
    )
