"""The nouns of the rating house."""

from annotator.models.adjudication import Conflict, ConflictKind, ConflictStatus
from annotator.models.assignments import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Departure,
    DepartureKind,
    DepartureReason,
    Flag,
    FlagReason,
)
from annotator.models.audit import AuditEvent
from annotator.models.campaigns import Campaign, CampaignStatus, Membership, Role
from annotator.models.claim_sets import Candidate, Reference
from annotator.models.comparisons import Comparison, Preference, PreferenceRevision
from annotator.models.drafts import Draft, WorkTime
from annotator.models.people import ApiToken, TokenScope, User
from annotator.models.ratings import IdempotencyKey, Rating, RatingRevision
from annotator.models.reading import ReadingPreference
from annotator.models.rulings import Adjudication, Decision, Ruling, RulingReason, Turn

__all__ = [
    "HOLDING",
    "Adjudication",
    "ApiToken",
    "Assignment",
    "AssignmentStatus",
    "AuditEvent",
    "Campaign",
    "CampaignStatus",
    "Candidate",
    "Comparison",
    "Conflict",
    "ConflictKind",
    "ConflictStatus",
    "Decision",
    "Departure",
    "DepartureKind",
    "DepartureReason",
    "Draft",
    "Flag",
    "FlagReason",
    "IdempotencyKey",
    "Membership",
    "Preference",
    "PreferenceRevision",
    "Rating",
    "RatingRevision",
    "ReadingPreference",
    "Reference",
    "Role",
    "Ruling",
    "RulingReason",
    "TokenScope",
    "Turn",
    "User",
    "WorkTime",
]
