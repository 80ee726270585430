"""Figures of a report that lead to the items that they count."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.http import urlencode

register = template.Library()


@register.simple_tag(takes_context=True)
def items_link(context: dict[str, Any], shown: Any, **wanted: Any) -> Any:
    """Show a figure as a link to the items of a filter; as it is where it leads to none."""
    address = context.get("items_address")
    if not address or not shown:
        return shown
    query = urlencode({name: value for name, value in wanted.items() if value not in ("", None)})
    return format_html('<a href="{}?{}">{}</a>', address, query, shown)
