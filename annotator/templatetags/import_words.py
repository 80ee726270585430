"""Text of a file that is not stored yet, for templates: what nobody can see stands as its code."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from patclaimeval.claims.invisible import find_invisible

register = template.Library()


@register.filter
def with_signs(text: str) -> SafeString:
    """Return a text as HTML, each invisible character replaced by its marked code point."""
    pieces, place = [], 0
    for span in find_invisible(text):
        code = f"U+{ord(text[span.start]):04X}"
        pieces.append(format_html("{}", text[place : span.start]))
        pieces.append(format_html('<mark title="{}">{}</mark>', span.note, code))
        place = span.end
    pieces.append(format_html("{}", text[place:]))
    return mark_safe("".join(pieces))  # noqa: S308 - every piece is escaped above
