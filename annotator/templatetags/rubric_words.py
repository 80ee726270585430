"""Texts of the rubric for templates."""

from django import template

from patclaimeval.rubric import NAMES

register = template.Library()


@register.filter
def criterion_name(key: str) -> str:
    """Return a criterion's name as people read it."""
    return NAMES.get(key, key)
