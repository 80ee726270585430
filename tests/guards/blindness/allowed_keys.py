"""Every key in answers of the API, by method and route: a new column is hidden until listed here.

Roles do not change the keys of an answer: a route answers alike to everybody whom the permission
matrix lets in. States change those of `api:conflicts`, whose ratings are read in a turn.
"""

from typing import Final

from tests.guards.blindness.allowed import READABLE

_SCORES: Final = (
    "scores scores.feature_completeness scores.conceptual_clarity scores.terminology_consistency "
    "scores.logical_linkage"
)
_TAGS: Final = (
    "error_tags error_tags.tag error_tags.side error_tags.start error_tags.end error_tags.remark"
)
_OVERALL: Final = "overall_quality overall_quality.numerator overall_quality.value"
_RATING: Final = (
    f"id assignment {_SCORES} {_OVERALL} comment note active_seconds version rubric_version "
    "submitted_at revised_at error_tags"
)
_CAMPAIGN: Final = "slug name status rubric_version overlap roles"
_GROUP_ROLE: Final = "id provider group campaign role people is_agreed"
_PENDING_ROLE: Final = "id username group provider role given_by given_at"
_RULES: Final = (
    "name overlap shared_percent revision_hours lease_minutes criterion_gap overall_gap flip_gap "
    "has_ladder has_timesheet has_mark_files retain_until has_legal_hold"
)
_REFERENCE: Final = (
    "reference reference.reference_id reference.title reference.office reference.ipc "
    "reference.language reference.claims reference.has_context"
)
_CONTEXT: Final = (
    "paragraphs paragraphs.part paragraphs.label paragraphs.is_heading paragraphs.text drawings "
    "drawings.number drawings.name drawings.width drawings.height drawings.url"
)
_AGREEMENT: Final = (
    "status progress message input_sha256 result_sha256 since finished_at age_seconds is_current "
    "result"
)
_IMPORT: Final = (
    "id url status stage is_stored progress message file_name file_sha256 file_bytes format "
    "may_train counts counts.references counts.candidates counts.known_references "
    "counts.known_candidates notes bad_records near_duplicates near_duplicates.first "
    "near_duplicates.first.reference_id near_duplicates.first.candidate_id near_duplicates.second "
    "near_duplicates.second.reference_id near_duplicates.second.candidate_id "
    "near_duplicates.likeness near_duplicates.similarity near_duplicates.is_own_reference "
    "near_duplicates.words questions passed_over claim_sets created_at finished_at"
)
_ASKED: Final = "questions.number questions.question"
_READ_SET: Final = (
    "number reference_id candidate_id system file file_sha256 format read_sha256 stored_sha256 "
    "edited_by edited_at claims_read claims_read.number claims_read.place claims_read.status "
    "findings findings.severity findings.kind findings.sentence left_out"
)
_DOCUMENT: Final = " ".join(
    (
        *(key for key in _IMPORT.split() if not key.startswith("near_duplicates.")),
        *(f"claim_sets.{key}" for key in _READ_SET.split()),
        _ASKED,
    )
)
_VERSION: Final = "dataset full_name version sha256 items labels splits left_out created_at"
_RUN: Final = (
    "id dataset criterion status progress stage step steps epoch epochs loss validation_tau "
    "tokens_per_second seconds_left history history.epoch history.loss history.validation_tau log "
    "log.at log.words message model is_reused settings tags note created_at"
)
_MODEL: Final = (
    "id criterion is_promoted run dataset dataset_sha256 manifest_sha256 code_version validation "
    "tie_threshold warnings created_at"
)
_REPORT: Final = (
    "id dataset criterion asked_scorers split tie_threshold resamples seed systems_shown "
    "admins_counted status progress stage done total message"
)
_SCORE: Final = "id status progress message deleted_at candidates explanations"
# Of an encoder that was explained: positions and numbers.
_PIECE: Final = ("of", "claim", "limitation", "start", "end")
OCCLUSION: Final = tuple(
    f"explanations.{key}"
    for key in (
        *("score", "difference", "tried", "notes", "limitations"),
        *(f"limitations.{one}" for one in (*_PIECE, "change", "sentence", "matched")),
        *(f"limitations.matched.{one}" for one in (*_PIECE, "similarity")),
    )
)
_PROMOTED: Final = "model criterion is_promoted is_asked_for"
_CONFLICT: Final = (
    f"id campaign kind criterion gap words {_REFERENCE} candidates candidates.label "
    "candidates.claims candidates.scores_as candidates.ratings candidates.ratings.id "
    "candidates.ratings.scores"
)
_READ: Final = tuple(
    f"candidates.ratings.{key}" for key in f"{_SCORES} {_OVERALL} {_TAGS} comment note".split()
)
_WEBHOOK: Final = (
    "id url events made_at deliveries deliveries.id deliveries.event deliveries.status "
    "deliveries.attempt deliveries.answer deliveries.created_at deliveries.due_at "
    "deliveries.finished_at"
)
# Figures by name of scorer, criterion or split, and what a training was asked for with: nothing of
# a person or a claim set is among them.
FIGURES: Final = (
    *("labels", "splits", "left_out", "validation", "result", "settings"),
    *("scorers", "baselines", "published", "checks", "human_ceiling", "method", "question"),
    *("dropped", "comparisons", "power", "breakdowns", "scatter"),
)
# One answers with the schema of all, the others with a file of lines, a document or a picture.
NO_SERIALIZER: Final = {
    *("api:schema", "scoring:api:export", "scoring:api:data_card"),
    *("api:assignment_drawing", "api:conflict_drawing"),
    *("api:claims_docx", "api:rating_docx", "api:ruling_docx", "api:import_source"),
}
_DRAFT: Final = "draft_claims draft_sha256 is_frozen edits"
ALLOWED_KEYS: Final = {
    "GET api:campaigns": _CAMPAIGN,
    "GET api:campaign": _CAMPAIGN,
    "POST api:campaigns": _CAMPAIGN,
    "POST api:close_campaign": _CAMPAIGN,
    "POST api:reopen_campaign": _CAMPAIGN,
    "POST api:join": _CAMPAIGN,
    "GET api:campaign_rules": _RULES,
    "PATCH api:campaign_rules": _RULES,
    "GET api:members": "username is_active roles",
    "POST api:members": "username is_active roles",
    # Groups of single sign-on, for site admins.
    "GET api:group_roles": _GROUP_ROLE,
    "POST api:group_roles": _GROUP_ROLE,
    "DELETE api:group_role": "lost stayed",
    "GET api:pending_roles": _PENDING_ROLE,
    "POST api:pending_role": _PENDING_ROLE,
    "POST api:invitations": "role token link",
    "GET api:webhooks": _WEBHOOK,
    "GET api:webhook": _WEBHOOK,
    "POST api:webhooks": "id secret",
    "POST api:rotate_webhook_secret": "id secret",
    "POST api:try_webhook": "id event status attempt answer created_at due_at finished_at",
    "DELETE api:webhook": "",
    "POST api:plan": (
        "digest is_carried_out assignments annotators annotators.username annotators.references "
        "annotators.candidates left_out left_out.reason left_out.places"
    ),
    "GET api:campaign_progress": (
        "references candidates begun complete locked ratings comparisons preferences "
        "open_conflicts open_cases waiting_conflicts ruled_conflicts lapsed_conflicts "
        "unsettled annotators annotators.username annotators.assigned annotators.rated "
        "annotators.quota annotators.overdue annotators.last_rated_on"
    ),
    "GET api:agreement": _AGREEMENT,
    "POST api:agreement": _AGREEMENT,
    "POST api:import_claims": _IMPORT,
    "GET api:claim_import": (
        f"{_IMPORT} {_DOCUMENT} bad_records.line bad_records.item bad_records.field "
        "bad_records.reason bad_records.file"
    ),
    "POST api:confirm_import": _IMPORT,
    "POST api:cancel_import": _IMPORT,
    "POST api:answer_import": _DOCUMENT,
    "GET api:read_claim_set": f"{_READ_SET} claims draft_claims",
    # Something else stays in question there, so that nothing is counted.
    "PUT api:read_claim_set": " ".join(
        key for key in _DOCUMENT.split() if not key.startswith("counts.")
    ),
    "POST api:take_next": (
        f"id campaign {_REFERENCE} candidate candidate.label candidate.claims lease_expires_at "
        "rubric rubric.version rubric.criteria rubric.criteria.key rubric.criteria.name "
        "rubric.criteria.weight rubric.criteria.question rubric.criteria.bands "
        "rubric.criteria.bands.low rubric.criteria.bands.high rubric.criteria.bands.sentence"
    ),
    "GET api:assignment_context": _CONTEXT,
    "GET api:conflict_context": _CONTEXT,
    "POST api:ratings": _RATING,
    "GET api:rating": f"{_RATING} {_TAGS}",
    "PATCH api:rating": f"{_RATING} {_TAGS}",
    "GET api:conflicts": _CONFLICT,
    "POST api:take_turn": "until",
    "POST api:give_back": "",
    "POST api:call_back": "",
    "POST api:send_back": "kind number question made_at",
    "POST api:adjudications": (
        "id conflict decision reason_code reason has_guideline_gap made_at signed_as meaning "
        f"record_sha256 rulings rulings.rating {' '.join(f'rulings.{k}' for k in _SCORES.split())} "
        "rulings.scores.overall_quality"
    ),
    "GET scoring:api:datasets": _VERSION,
    "GET scoring:api:dataset_version": _VERSION,
    "POST scoring:api:datasets": _VERSION,
    "GET scoring:api:references": (
        "id reference_id title opening language candidates ratings erased_at erasure"
    ),
    "POST scoring:api:erasures": "id reference status asked_at",
    "GET scoring:api:draft_claims": _DRAFT,
    "PUT scoring:api:draft_claims": (
        f"{_DRAFT} edits.number edits.earlier edits.reason edits.edited_by edits.edited_at"
    ),
    "GET scoring:api:runs": _RUN,
    "GET scoring:api:run": _RUN,
    "PATCH scoring:api:run": _RUN,
    "POST scoring:api:runs": _RUN,
    "POST scoring:api:cancel_run": _RUN,
    "POST scoring:api:train_again": _RUN,
    "GET scoring:api:models": _MODEL,
    "GET scoring:api:model": _MODEL,
    "POST scoring:api:promote": _PROMOTED,
    "POST scoring:api:scores": _SCORE,
    "DELETE scoring:api:score": "",
    "GET scoring:api:score": (
        f"{_SCORE} candidates.candidate candidates.scores candidates.scores.criterion "
        "candidates.scores.model candidates.scores.tie_threshold candidates.scores.validation "
        "candidates.scores.score candidates.scores.error explanations.criterion explanations.model "
        "explanations.candidate explanations.against explanations.log_odds explanations.groups "
        "explanations.groups.group explanations.groups.contribution explanations.reasons "
        "explanations.reasons.feature explanations.reasons.group explanations.reasons.sentence "
        f"explanations.reasons.contribution {' '.join(OCCLUSION)}"
    ),
    "GET scoring:api:reports": _REPORT,
    "POST scoring:api:reports": _REPORT,
    "POST scoring:api:cancel_report": _REPORT,
    "GET scoring:api:report": f"{_REPORT} {' '.join(FIGURES[6:])} signature",
}


def allowed_keys(where: str, state: str) -> frozenset[str]:
    """Return the keys that "METHOD route" may answer with in a state."""
    keys = frozenset(ALLOWED_KEYS.get(where, "").split())
    return keys | set(_READ) if where == "GET api:conflicts" and state in READABLE else keys
