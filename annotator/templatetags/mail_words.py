"""Whether this site sends mail, for pages that offer it."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def sends_mail() -> bool:
    """Return whether a server for mail is set."""
    return bool(settings.EMAIL_HOST)
