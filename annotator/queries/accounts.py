"""All accounts as a site admin sees them: who, whether open, how kept; nothing of their work."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.models import SecondFactor, User


def accounts() -> QuerySet[User]:
    """Return every account by name, with its living sessions counted and its second factor."""
    living = Q(sessions__expire_date__gt=Now())
    return User.objects.annotate(
        session_count=Count("sessions", filter=living),
        has_factor=Exists(SecondFactor.objects.filter(user=OuterRef("pk"))),
    ).order_by("username")
