"""What is sent out: webhooks of a campaign, and each single delivery as a job."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate
from annotator.models.keyed import Keyed
from core.jobs.rows import JobRow


class Webhook(Keyed):
    """An address of an admin's that gets a campaign's events: ids, kinds and times only."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    # Names of annotator.outgoing.rules.EVENTS.
    events = models.JSONField()
    # Sealed (annotator.sealing): who reads the database signs nothing.
    secret = models.CharField(max_length=255)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["made_at", "pk"]


class AnnouncedCandidate(models.Model):
    """That a candidate was announced to a webhook as settled, so that this is done once."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="announced")
    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "candidate"], name="settled_announced_once")
        ]


class MailKind(models.TextChoices):
    """What a person may choose to be mailed about."""

    DUE = "due", "candidates of yours are due within a day"
    SECOND_LOOK = "second_look", "you are asked to look at a candidate again"
    FINISHED = "finished", "a job that you asked for has ended"
    DIGEST = "digest", "each morning: how much waits on your home page"


class MailAddress(models.Model):
    """Where a person is mailed, once they have shown that they read what comes there."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="mail_address",
    )
    address = models.EmailField()
    confirmed_at = models.DateTimeField(null=True)
    # Of the link that confirms it: its digest only.
    token_sha256 = models.CharField(max_length=64, blank=True, default="")
    token_expires_at = models.DateTimeField(null=True)
    # Of MailKind.
    kinds = models.JSONField(default=list)
    # When the receiver's server refused a mail for good, and by which code; nothing is sent then.
    refused_at = models.DateTimeField(null=True)
    refused_code = models.CharField(max_length=3, blank=True, default="")


class PasswordReset(Keyed):
    """A link by which a person chooses a new password, once; stored as its digest only."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="password_resets"
    )
    token_sha256 = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()


class Way(models.TextChoices):
    WEBHOOK = "webhook"
    MAIL = "mail"


class Delivery(JobRow):
    """One notice on its way out; its key is what a receiver knows it by, however often it comes."""

    # After so many tries it is given up; the waits are in annotator.outgoing.rules.
    most_attempts: ClassVar[int] = 6

    way = models.CharField(max_length=7, choices=Way)
    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, null=True, related_name="deliveries"
    )
    # Whose mail it is; none for an invitation of somebody without an account.
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    # What it is about: an event of a webhook, a kind of mail.
    about = models.CharField(max_length=20)
    content = models.JSONField(default=dict)
    # What only the receiver may read, until it is sent: an address without an account, a link.
    sealed = models.TextField(blank=True, default="")
    # The last answer as a code, or why there was none.
    answer = models.CharField(max_length=40, blank=True, default="")
    # What may be sent once only has a name, which a second row is refused.
    once = models.CharField(max_length=120, null=True, unique=True)  # noqa: DJ001

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["webhook", "status"], name="delivery_of_webhook")]
