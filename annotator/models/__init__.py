"""The nouns of the rating house."""

from annotator.models.adjudication import Conflict, ConflictKind, ConflictStatus
from annotator.models.audit import AuditEvent
from annotator.models.campaigns import Campaign, CampaignStatus, Membership, Role
from annotator.models.claim_sets import Candidate, Reference
from annotator.models.people import ApiToken, TokenScope, User
from annotator.models.ratings import (
    Assignment,
    AssignmentStatus,
    IdempotencyKey,
    Rating,
    RatingRevision,
)

__all__ = [
    "ApiToken",
    "Assignment",
    "AssignmentStatus",
    "AuditEvent",
    "Campaign",
    "CampaignStatus",
    "Candidate",
    "Conflict",
    "ConflictKind",
    "ConflictStatus",
    "IdempotencyKey",
    "Membership",
    "Rating",
    "RatingRevision",
    "Reference",
    "Role",
    "TokenScope",
    "User",
]
