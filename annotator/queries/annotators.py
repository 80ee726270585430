"""Who annotates a campaign and could be given work."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import QuerySet

from annotator.models import Campaign, Membership, Role, User


def annotators_of(campaign: Campaign) -> QuerySet[User]:
    """Return the annotators who could work, by name.

    Left out: deactivated accounts, and those without a password, which belong to nobody.
    """
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    return (
        User.objects.filter(pk__in=members.values("user_id"), is_active=True)
        .exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
        .order_by("username")
    )


def members_who_annotate(campaign: Campaign) -> QuerySet[User]:
    """Return everybody with the role of annotator, deactivated accounts too, by name."""
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    return User.objects.filter(pk__in=members.values("user_id")).order_by("username")
