"""Claim text for templates: every character as it is stored, marks around what they concern."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotator.claims.invisible import KIND as INVISIBLE
from annotator.claims.reading import ClaimView, LimitationView
from annotator.claims.segments import Segment

register = template.Library()
DEEPEST_INDENT = 4


@register.filter
def claim_words(claim: ClaimView) -> SafeString:
    """Return the marker and the limitations of a claim as HTML.

    The text of the result, tags taken off, is the claim byte for byte: the page's script counts
    places in it.
    """
    marker = f'<span class="claim-marker">{_exact(claim.marker)}</span>' if claim.marker else ""
    # Every piece is escaped on its own; the tags around them are ours.
    return mark_safe(marker + "".join(_limitation(entry) for entry in claim.limitations))  # noqa: S308


@register.filter
def indent(depth: int) -> int:
    """Return how far a claim is indented: deeper ones are not told apart."""
    return min(depth, DEEPEST_INDENT)


def _limitation(entry: LimitationView) -> str:
    standing = f" is-{entry.standing}" if entry.standing else ""
    words = [_segment(segment) for segment in entry.segments]
    if words:
        # Each limitation has a line of its own: white space around it is kept, not shown.
        first, last = entry.segments[0], entry.segments[-1]
        head, tail = _outer_space(first.text)[0], _outer_space(last.text)[1]
        if len(words) == 1:
            words = [_gap(head) + _segment(first, len(head), len(tail)) + _gap(tail)]
        else:
            words[0] = _gap(head) + _segment(first, len(head), 0)
            words[-1] = _segment(last, 0, len(tail)) + _gap(tail)
    return f'<span class="limitation{standing}">{"".join(words)}</span>'


def _outer_space(text: str) -> tuple[str, str]:
    """Return the white space before and behind the words; all of a blank text stands before."""
    head = text[: len(text) - len(text.lstrip())]
    tail = text[len(text.rstrip()) :] if text.strip() else ""
    return head, tail


def _gap(space: str) -> str:
    return f'<span class="gap">{_exact(space)}</span>' if space else ""


def _segment(segment: Segment, skip: int = 0, drop: int = 0) -> str:
    """Return a segment as HTML, without `skip` characters before and `drop` behind."""
    words = _exact(segment.text[skip : len(segment.text) - drop])
    if not segment.kinds:
        return words
    classes = escape(" ".join(segment.kinds))
    title = f' title="{escape("; ".join(segment.notes))}"' if segment.notes else ""
    code = f' data-code="{escape(segment.notes[0][:6])}"' if INVISIBLE in segment.kinds else ""
    return f'<mark class="{classes}"{title}{code}>{words}</mark>'


def _exact(text: str) -> str:
    """Escape text so that a browser keeps its line ends, which it would else unify."""
    return escape(text).replace("\r", "&#13;")
