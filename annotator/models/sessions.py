"""Signed-in browsers, one row each, that their owner can see and end."""

import uuid

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models


class BrowserSession(AbstractBaseSession):
    """What Django keeps of a session, and whose it is, since when, from what device.

    `session_key` is a digest of the key in the cookie: who reads the rows opens no session.
    """

    id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="sessions"
    )
    device = models.CharField(max_length=80, default="")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.device} since {self.started_at:%Y-%m-%d %H:%M}"
