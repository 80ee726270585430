"""People as providers of single sign-on know them, and the roles that groups there give."""

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign, Membership, Role
from annotator.models.keyed import Keyed


class Identity(Keyed):
    """A person at a provider; without a user one that waits for a site admin, or was refused."""

    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="identities"
    )
    # What the provider calls them: shown to who approves, and offered as a user name.
    name = models.CharField(max_length=150, blank=True, default="")
    address = models.CharField(max_length=254, blank=True, default="")
    groups = models.JSONField(default=list)
    made_at = models.DateTimeField(auto_now_add=True)
    signed_in_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="one_identity_once")
        ]


class GroupRole(Keyed):
    """A role in a campaign for everybody of a group at a provider.

    Without `agreed_at` it is given to nobody else: an admin of the campaign has yet to agree.
    """

    issuer = models.CharField(max_length=255)
    group = models.CharField(max_length=255)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=11, choices=Role)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    agreed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["issuer", "group", "campaign", "role"], name="one_group_role_once"
            )
        ]


class GroupGrant(Keyed):
    """That a group's role was given to a person, once, and the membership that came of it.

    Without a membership the role was theirs by hand, or was taken by hand since: then it is not
    given again as long as they stay in the group.
    """

    rule = models.ForeignKey(GroupRole, on_delete=models.CASCADE, related_name="grants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    membership = models.OneToOneField(
        Membership, on_delete=models.SET_NULL, null=True, related_name="by_group"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rule", "user"], name="one_group_grant_once")
        ]
