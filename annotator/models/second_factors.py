"""A person's second factor: the secret that their phone has too, and codes for when it is lost."""

from django.conf import settings
from django.db import models


class SecondFactor(models.Model):
    """A confirmed secret of time-based codes (RFC 6238); `last_step` is the last code's, once.

    The secret is sealed (annotator.sign_in.kept_secrets): who reads the database makes no codes.
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

    def __str__(self) -> str:
        return f"second factor since {self.confirmed_at:%Y-%m-%d}"


class RecoveryCode(models.Model):
    """A code that counts once, kept as its digest only."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_sha256 = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return f"recovery code {self.code_sha256[:8]}"
