"""People and the tokens by which their programs sign in."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A person; what they may do is granted per campaign. `is_superuser` marks a site admin."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # What names that look alike share; none for accounts that were made past the service.
    name_skeleton = models.CharField(max_length=300, unique=True, null=True)  # noqa: DJ001
    # No column: a token may carry its owner into one campaign only.
    only_campaign_id: uuid.UUID | None = None


class TokenScope(models.TextChoices):
    READ = "read"
    WRITE = "write"


class ApiToken(models.Model):
    """An API token, kept as its digest only; it is shown once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
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

    def __str__(self) -> str:
        return f"{self.user.username} {self.scope} until {self.expires_at:%Y-%m-%d}"
