"""Claim text for templates: every character as it is stored, marks around what they concern."""

from collections.abc import Container
from dataclasses import replace
from string import digits

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from patclaimeval.claims.change_classes import CLASSES, Change
from patclaimeval.claims.invisible import KIND as INVISIBLE
from patclaimeval.claims.mark_kinds import KINDS, LESS_CERTAIN, PREAMBLE, MarkKind
from patclaimeval.claims.openings import opening_of
from patclaimeval.claims.reading import ClaimView, Finding, LimitationView, SideView
from patclaimeval.claims.segments import Segment

register = template.Library()
register.filter("opening", opening_of)
DEEPEST_INDENT = 4


@register.filter
def claim_words(claim: ClaimView) -> SafeString:
    """Return the marker and the limitations of a claim as HTML.

    The text of the result, tags taken off, is the claim byte for byte: the page's script counts
    places in it.
    """
    marker = f'<span class="claim-marker">{_exact(claim.marker)}</span>' if claim.marker else ""
    runs_on = (False, *map(_runs_on, claim.limitations[:-1]))
    html = map(_limitation, claim.limitations, runs_on)
    # Every piece is escaped on its own; the tags around them are ours.
    return mark_safe(marker + "".join(html))  # noqa: S308


@register.simple_tag
def tracked_choices(shown: Container[str]) -> list[tuple[str, str, bool]]:
    """Return the classes of differences that may be tracked: name, label, and whether one is."""
    return [
        (one.change.value, one.label, one.change.value in shown)
        for one in CLASSES
        if one.change is not Change.SUBSTANCE
    ]


@register.simple_tag
def mark_kinds(shown: Container[str]) -> list[MarkKind]:
    """Return the kinds of mark that a legend names, one for each look.

    What nobody can see shows its code. Another preamble looks like a term without antecedent.
    """
    return [
        kind
        for kind in KINDS
        if kind.name not in (INVISIBLE, PREAMBLE) and (kind.is_certain or LESS_CERTAIN in shown)
    ]


@register.filter
def findings_shown(view: SideView, shown: Container[str]) -> tuple[Finding, ...]:
    """Return the findings of a side that a person has shown; the less certain ones on request."""
    return view.findings if LESS_CERTAIN in shown else view.certain_findings


@register.filter
def indent(depth: int) -> int:
    """Return how far a claim is indented: deeper ones are not distinguished."""
    return min(depth, DEEPEST_INDENT)


def _runs_on(before: LimitationView) -> bool:
    """Return whether the limitation behind another may share its line: no list parts the two."""
    text = "".join(segment.text for segment in before.segments)
    return text.rstrip(" ").endswith((",", *digits))


def _limitation(entry: LimitationView, runs_on: bool) -> str:
    standing = f" is-{entry.standing}" if entry.standing else ""
    standing += " runs-on" if runs_on else ""
    segments = list(entry.segments)
    head = tail = ""
    # White space around a limitation is kept, and not shown where it has a line of its own.
    if segments:
        head, segments[0] = _without_space(segments[0], at_end=False)
        tail, segments[-1] = _without_space(segments[-1], at_end=True)
    html = _gap(head) + "".join(_segment(segment) for segment in segments) + _gap(tail)
    note = f' data-note="{escape(entry.note)}"' if entry.note else ""
    if entry.reason:
        note += f' title="{escape(entry.reason)}"'
    return f'<span class="limitation{standing}"{note}>{html}</span>'


def _without_space(segment: Segment, *, at_end: bool) -> tuple[str, Segment]:
    """Return the outer white space of a segment on one side, and the segment without it.

    Characters that nobody sees are shown by their code, white space or not.
    """
    if INVISIBLE in segment.kinds:
        return "", segment
    text = segment.text
    text_left = text.rstrip() if at_end else text.lstrip()
    space = text[len(text_left) :] if at_end else text[: len(text) - len(text_left)]
    return space, replace(segment, text=text_left)


def _gap(space: str) -> str:
    return f'<span class="gap">{_exact(space)}</span>' if space else ""


def _segment(segment: Segment) -> str:
    html = _exact(segment.text)
    if not segment.kinds or not html:
        return html
    classes = escape(" ".join(segment.kinds))
    title = f' title="{escape("; ".join(segment.notes))}"' if segment.notes else ""
    code = f' data-code="U+{ord(segment.text[0]):04X}"' if INVISIBLE in segment.kinds else ""
    return f'<mark class="{classes}"{title}{code}>{html}</mark>'


def _exact(text: str) -> str:
    """Escape text so that a browser preserves its line ends, which it would else unify."""
    return escape(text).replace("\r", "&#13;")
