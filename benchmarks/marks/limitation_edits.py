"""Edits that move or remove whole limitations and claims."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.marks.claim_sets import (
    Change,
    ClaimSet,
    MovableLimitation,
    body_of,
    marker_of,
    renumber,
)
from benchmarks.marks.planting import Proposal, row
from patclaimeval.claims.parsing import Claim

# Limitations that change their claim.


def demote_to_new_claim(claims: ClaimSet) -> Iterator[Proposal]:
    """Move a limitation of an independent claim into a claim added at the end."""
    number = len(claims.claims) + 1
    for claim, item, dependents in _demotable(claims):
        opening = claims.opening(dependents[0])
        assert opening is not None
        lead = "" if item.is_clause else "further comprising "
        words = f"{opening['subject']} {opening['form']} claim {claim.number}, {lead}{item.words}."
        end = len(claims.text.rstrip())
        added = f" {re.sub('[0-9]+', str(number), marker_of(claims.claims[-1]))} {words}"
        changes = [*item.cut, (end, end, added)]
        yield changes, row((item.start, item.end), "demoted", claim=number)


def demote_to_known_claim(claims: ClaimSet) -> Iterator[Proposal]:
    """Move a limitation of an independent claim into a claim that depends on it."""
    for _, item, dependents in _demotable(claims):
        target = dependents[-1]
        body = body_of(target)[1].rstrip()
        if not body.endswith(".") or ";" in body:
            continue
        lead = "" if item.is_clause else "further comprising "
        joint = ", and " if " wherein " in body or not item.is_clause else ", "
        end = target.start + len(target.text.rstrip()) - 1
        changes = [*item.cut, (end, end, f"{joint}{lead}{item.words}")]
        yield changes, row((item.start, item.end), "demoted", claim=target.number)


def _demotable(claims: ClaimSet) -> Iterator[tuple[Claim, MovableLimitation, list[Claim]]]:
    for claim in claims.claims:
        if claim.depends_on:
            continue
        dependents = [
            other
            for other in claims.claims
            if other.depends_on == (claim.number,) and claims.opening(other)
        ]
        for item in claims.movable(claim) if dependents else ():
            is_inner = " where" in claims.text[claim.start : item.start] and not item.is_clause
            if not is_inner and claims.stands_alone(item):
                yield claim, item, dependents


def _sole_limitations(claims: ClaimSet) -> Iterator[tuple[Claim, MovableLimitation]]:
    """Yield claims that no other names and that add one limitation, which stands alone."""
    for claim in claims.claims:
        opening = claims.opening(claim)
        if opening is None or claim.number in claims.cited:
            continue
        end = claim.start + len(claim.text.rstrip())
        words = claims.text[opening.end() : end].removesuffix(".")
        is_one = re.match(r"(?:wherein|where|further comprising)\s", words) and not re.search(
            r"[;:]|,\s*(?:and\s+)?where", words
        )
        is_clause = words.startswith("where")
        item = MovableLimitation(
            claim, opening.end(), opening.end() + len(words), (), is_clause, words
        )
        if is_one and claims.stands_alone(item):
            yield claim, item


def _without(claims: ClaimSet, claim: Claim) -> list[Change]:
    """Return the changes that remove a claim and number the others consecutively."""
    assert claim.number is not None
    numbers = {number: number - 1 for number in claims.by_number if number > claim.number}
    rest = [other for other in claims.claims if other is not claim]
    return [(claim.start, claim.end, ""), *renumber(rest, numbers)]


def promote(claims: ClaimSet) -> Iterator[Proposal]:
    """Move the limitation of a dependent claim into its independent claim."""
    for claim, item in _sole_limitations(claims):
        parent = claims.by_number[claim.depends_on[0]]
        text = parent.text.rstrip()
        if parent.depends_on or not text.endswith("."):
            continue
        end = parent.start + len(text) - 1
        joint = ", " if item.is_clause else ", and "
        changes = [(end, end, joint + item.words), *_without(claims, claim)]
        yield changes, row((item.start, item.end), "promoted", claim=parent.number)


def drop_limitation(claims: ClaimSet) -> Iterator[Proposal]:
    """Remove a limitation from its claim, or a claim with its one limitation."""
    for claim in claims.claims:
        for item in claims.movable(claim):
            if claims.stands_alone(item):
                yield list(item.cut), row((item.start, item.end), "nowhere")
    for claim, item in _sole_limitations(claims):
        yield _without(claims, claim), row((item.start, item.end), "nowhere")


def drop_back_reference(claims: ClaimSet) -> Iterator[Proposal]:
    """Make a claim independent: "The pump of claim 1, wherein" becomes "A pump, wherein"."""
    for claim in claims.claims:
        opening = claims.opening(claim)
        if opening and not opening["more"].strip():
            noun = re.sub(r"^(?:The|An?)\s+", "", opening["subject"])
            new = f"{'An' if noun[0].lower() in 'aeiou' else 'A'} {noun}"
            end = opening.end("more")
            expected = row((opening.start(), end), "in", "promoted", scopes=("broader",))
            whole = replace(expected, also=(claim.start, claim.end))
            yield [(opening.start(), end, new)], whole
