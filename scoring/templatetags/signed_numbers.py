"""Numbers of which the sign is read first."""

from django import template

register = template.Library()


@register.filter
def signed(number: float) -> str:
    """Write a number with its sign and three places: +0.210, -0.040, and no minus before 0."""
    return f"{number:+z.3f}"
