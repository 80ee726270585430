"""How a person likes to read and to press keys; it follows them to every browser."""

from django.conf import settings
from django.db import models


class ReadingPreference(models.Model):
    """What the rate screen shows one person, and their own keys."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reading_preference"
    )
    shows_aligned = models.BooleanField(default=True)
    shows_diff = models.BooleanField(default=True)
    shows_marks = models.BooleanField(default=True)
    # Action to key, only where it is not the default.
    keys = models.JSONField(default=dict, blank=True)
    single_keys = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"reading preference of {self.user_id}"
