"""The nouns of the rating house."""

from annotator.models.adjudication import UNSETTLED, Conflict, ConflictKind, ConflictStatus
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
from annotator.models.audit import AuditEvent, AuditSeal
from annotator.models.backups import Backup
from annotator.models.campaigns import Campaign, CampaignStatus, Membership, Role, RulesVersion
from annotator.models.claim_sets import GENUINE, Candidate, Purpose, Reference
from annotator.models.comparisons import Comparison, Preference, PreferenceRevision
from annotator.models.drafts import Draft, WorkTime
from annotator.models.imported_annotations import ImportedAnnotation
from annotator.models.imports import ClaimImport, ImportStage
from annotator.models.invitations import Invitation
from annotator.models.paces import UsedPace
from annotator.models.people import ApiToken, TokenScope, User
from annotator.models.presences import SWEEPER, Presence
from annotator.models.ratings import IdempotencyKey, Rating, RatingRevision
from annotator.models.reading import ReadingPreference
from annotator.models.reliability import ReliabilityReport
from annotator.models.rounds import Round, RoundKind, SecondLook
from annotator.models.rulings import Adjudication, Decision, Ruling, RulingReason, Turn
from annotator.models.second_factors import RecoveryCode, SecondFactor
from annotator.models.sessions import BrowserSession
from annotator.models.unblinding import Shown, Unblinding

__all__ = [
    "GENUINE",
    "HOLDING",
    "SWEEPER",
    "UNSETTLED",
    "Adjudication",
    "ApiToken",
    "Assignment",
    "AssignmentStatus",
    "AuditEvent",
    "AuditSeal",
    "Backup",
    "BrowserSession",
    "Campaign",
    "CampaignStatus",
    "Candidate",
    "ClaimImport",
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
    "ImportStage",
    "ImportedAnnotation",
    "Invitation",
    "Membership",
    "Preference",
    "PreferenceRevision",
    "Presence",
    "Purpose",
    "Rating",
    "RatingRevision",
    "ReadingPreference",
    "RecoveryCode",
    "Reference",
    "ReliabilityReport",
    "Role",
    "Round",
    "RoundKind",
    "RulesVersion",
    "Ruling",
    "RulingReason",
    "SecondFactor",
    "SecondLook",
    "Shown",
    "TokenScope",
    "Turn",
    "Unblinding",
    "UsedPace",
    "User",
    "WorkTime",
]
