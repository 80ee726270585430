"""The living API tokens of one person, as they see them."""

from django.db.models import QuerySet
from django.db.models.functions import Now

from annotator.models import ApiToken, User


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the tokens that have not expired, the newest first; what they are is not stored."""
    rows = ApiToken.objects.filter(user=user, expires_at__gt=Now())
    return rows.select_related("campaign").order_by("-created_at")
