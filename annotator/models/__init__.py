"""The tables of the annotator package."""

from annotator.models.accounts import (
    ApiToken,
    BrowserSession,
    Invitation,
    Passkey,
    RecoveryCode,
    SecondFactor,
    TokenScope,
    UsedPace,
    User,
)
from annotator.models.adjudication import (
    UNSETTLED,
    Adjudication,
    Conflict,
    ConflictKind,
    ConflictStatus,
    Decision,
    PreparedRuling,
    Round,
    RoundKind,
    Ruling,
    RulingReason,
    SecondLook,
    Turn,
)
from annotator.models.assignments import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Departure,
    DepartureKind,
    DepartureReason,
    Draft,
    Flag,
    FlagReason,
    ReferenceNote,
    TypedDraft,
    WorkDay,
    WorkTime,
)
from annotator.models.audit import AuditEvent, AuditSeal
from annotator.models.calibration import CalibrationAnswer, CalibrationItem
from annotator.models.campaigns import (
    Campaign,
    CampaignStatus,
    Membership,
    PendingRole,
    Role,
    RulesVersion,
    Shown,
    Unblinding,
)
from annotator.models.claim_sets import (
    GENUINE,
    Candidate,
    ClaimImport,
    DraftClaimsEdit,
    ImportStage,
    Purpose,
    ReadClaimSet,
    Reference,
)
from annotator.models.comparisons import (
    Comparison,
    ComparisonDraft,
    ImportedAnnotation,
    Preference,
    PreferenceRevision,
)
from annotator.models.context import Drawing, ReferenceContext
from annotator.models.identities import GroupGrant, GroupRole, Identity
from annotator.models.operations import SWEEPER, Backup, Presence
from annotator.models.outgoing import (
    AnnouncedCandidate,
    Delivery,
    MailAddress,
    MailKind,
    PasswordReset,
    Way,
    Webhook,
)
from annotator.models.ratings import IdempotencyKey, Rating, RatingRevision, ReadingPreference
from annotator.models.reliability import ReliabilityReport
