"""Who may read model scores: nobody who rates or adjudicates in a campaign that is open."""

from django.db.models import Q

from annotator.models import Campaign, CampaignStatus, Role, User


def rates_meanwhile(user: User) -> bool:
    """Say whether scores are withheld from the person.

    What a model says of a claim set must not reach who judges claim sets, in whatever campaign.
    """
    judges = Q(
        memberships__user=user, memberships__role__in=(Role.ANNOTATOR, Role.ADJUDICATOR)
    ) | Q(assignments__annotator=user)
    return Campaign.objects.filter(judges, status=CampaignStatus.OPEN).exists()
