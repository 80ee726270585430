"""What a model's page shows of its promotion."""

from typing import Any

from django import template

from scoring.models import ModelVersion
from scoring.training.model_versions.promotions import promotion_state

register = template.Library()


@register.inclusion_tag("scoring/training/_promotion.html", takes_context=True)
def promotion_of(context: dict[str, Any], model: ModelVersion) -> dict[str, Any]:
    """Show whether a model is promoted, with the way to its promotion page."""
    return {"model": model, "state": promotion_state(model, context["request"].user)}
