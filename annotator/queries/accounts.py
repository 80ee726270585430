"""All accounts as a site admin sees them: who, whether open, how kept; nothing of their work."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.models import SecondFactor, User


def accounts() -> QuerySet[User]:
    """Return every account by name, with its living sessions and tokens, and its second factor."""
    living = Q(sessions__expire_date__gt=Now())
    alive = Q(api_tokens__expires_at__gt=Now())
    return User.objects.annotate(
        session_count=Count("sessions", filter=living, distinct=True),
        token_count=Count("api_tokens", filter=alive, distinct=True),
        has_factor=Exists(SecondFactor.objects.filter(user=OuterRef("pk"))),
    ).order_by("username")
