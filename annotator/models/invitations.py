"""Invitations: links by which people make their own accounts, or join with those they have."""

import uuid

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign, Role


class Invitation(models.Model):
    """A link that one person may use once; it is kept as its digest only, and shown once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
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

    def __str__(self) -> str:
        return f"{self.role or 'account'} until {self.expires_at:%Y-%m-%d}"
