"""People: tokens, invitations, sessions, second factors, and what of a rate limit is used up."""

import uuid

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

from annotator.models.campaigns import Campaign, Role
from annotator.models.keyed import Keyed


class User(AbstractUser):
    """A person; what they may do is granted per campaign. `is_superuser` marks a site admin."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # What names that look alike share; none for accounts that were made past the service.
    name_skeleton = models.CharField(max_length=300, unique=True, null=True)  # noqa: DJ001
    # Pages show times in it; files and programs get UTC.
    time_zone = models.CharField(max_length=64, default="UTC")
    # When the inbox was looked at last, and when in the visit before this one.
    visit_at = models.DateTimeField(null=True, blank=True)
    earlier_visit_at = models.DateTimeField(null=True, blank=True)
    # No column: a token may admit its owner to one campaign only.
    only_campaign_id: uuid.UUID | None = None


class TokenScope(models.TextChoices):
    READ = "read"
    WRITE = "write"


class ApiToken(Keyed):
    """An API token, stored as its digest only; it is shown once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    token_sha256 = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=5, choices=TokenScope, default=TokenScope.WRITE)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    # The one campaign that it reaches; all of its owner's without.
    campaign = models.ForeignKey(
        "annotator.Campaign", on_delete=models.CASCADE, null=True, related_name="+"
    )
    last_used_on = models.DateField(null=True)


class Invitation(Keyed):
    """A link that one person may use once; it is stored as its digest only, and shown once."""

    token_sha256 = models.CharField(max_length=64, unique=True)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, null=True, related_name="+")
    role = models.CharField(max_length=20, choices=Role, default="", blank=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True)


class BrowserSession(AbstractBaseSession):
    """What Django stores of a session, and whose it is, since when, from what device.

    `session_key` is a digest of the key in the cookie: who reads the rows opens no session.
    """

    id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="sessions"
    )
    device = models.CharField(max_length=80, default="")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    # Of one that began at a provider: whose, which session there, and when it ends at the latest.
    identity = models.ForeignKey(
        "annotator.Identity", on_delete=models.CASCADE, null=True, related_name="sessions"
    )
    provider_session_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")


class SecondFactor(models.Model):
    """A confirmed secret of time-based codes (RFC 6238); `last_step` is the last code's, once.

    The secret is sealed (annotator.accounts.second_factor): who reads the database makes no codes.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="second_factor",
    )
    secret = models.CharField(max_length=255)
    last_step = models.BigIntegerField()
    confirmed_at = models.DateTimeField(auto_now_add=True)


class RecoveryCode(models.Model):
    """A code that counts once, stored as its digest only."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_sha256 = models.CharField(max_length=64, unique=True)


class Passkey(Keyed):
    """A public key of somebody's authenticator (WebAuthn), which browsers use at `rp_id` only.

    `credential` is what the authenticator gave of itself, in base64url: its model, the key's id and
    the key. A challenge counts once: `asked_at` is when the last one that was answered was made.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="passkeys"
    )
    name = models.CharField(max_length=60)
    rp_id = models.CharField(max_length=253)
    credential_sha256 = models.CharField(max_length=64, unique=True)
    credential = models.TextField()
    sign_count = models.BigIntegerField()
    # Whether it may be copied to other devices of its owner, and whether it was.
    is_backup_eligible = models.BooleanField()
    is_backed_up = models.BooleanField()
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField()


class UsedPace(models.Model):
    """`free_at` is when all that was let in would have come, had it come evenly.

    What it belongs to is a keyed digest: a name that somebody mistyped may be a password.
    """

    subject_sha256 = models.CharField(max_length=64, primary_key=True)
    free_at = models.DateTimeField(db_index=True)
