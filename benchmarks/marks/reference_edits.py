"""Edits of what refers to something: terms, antecedents and citations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.marks.claim_sets import ClaimSet, Span, body_of, exchange
from benchmarks.marks.planting import Expected, Proposal
from benchmarks.marks.vocabulary import OTHER_NOUNS, PARTS_OF_ALL
from patclaimeval.claims.parsing import Claim
from patclaimeval.claims.terms import singular


def _renamable(claims: ClaimSet) -> Iterator[tuple[str, str, list[Span]]]:
    """Yield a term, its other name, and the places of its noun in the set."""
    seen: dict[str, None] = {}
    for mention, _, _ in claims.mentions:
        if mention.is_definite:
            seen.setdefault(mention.phrases[-1] if len(mention.phrases) > 1 else mention.phrases[0])
    for term in seen:
        head = term.rsplit(" ", 1)[-1]
        new = OTHER_NOUNS.get(head, "")
        if not new or re.search(rf"\b{new}", claims.text, re.IGNORECASE):
            continue
        found = list(
            re.finditer(rf"(?<![\w-]){re.escape(term)}(?=s?(?![\w-]))", claims.text, re.IGNORECASE)
        )
        if " " not in term:
            named = sum(
                bool(
                    re.search(
                        r"\b(?:the|said|an?|each|every)\s$",
                        claims.text[max(0, m.start() - 6) : m.start()],
                        re.IGNORECASE,
                    )
                )
                for m in found
            )
            if named < 0.75 * len(found):
                continue
        if len(found) >= 4:
            yield term, new, [(m.end() - len(head), m.end()) for m in found]


def rename(claims: ClaimSet) -> Iterator[Proposal]:
    """Call a term by another name everywhere."""
    for term, new, places in _renamable(claims):
        changes = [one for place in places for one in exchange(claims.text, place, new)]
        yield changes, Expected("term", places[0], ("renamed",), terms=(term, new))


def rename_in_places(claims: ClaimSet) -> Iterator[Proposal]:
    """Call a term by another name in some claims, or in every second place of one claim."""
    for term, new, places in _renamable(claims):
        owners = [claims.claim_at(place[0]) for place in places]
        order = list(dict.fromkeys(id(owner) for owner in owners))
        if len(order) >= 3:
            chosen = [p for p, o in zip(places, owners, strict=True) if order.index(id(o)) % 2]
        else:
            chosen = places[1::2]
        if 2 <= len(chosen) <= len(places) - 2:
            changes = [one for place in chosen for one in exchange(claims.text, place, new)]
            yield changes, Expected("term", chosen[0], ("drifts",), terms=(term, new))


_EXPLAINED = re.compile(
    r"(?:\s\([\w, ]+\))?"
    r"\s(?:of|for|that|which|in which|between|to be|associated|corresponding|where)\b"
)


def _needs_introduction(term: str) -> bool:
    """Whether a noun is no property or part that things of its kind have anyhow."""
    words = term.split()
    is_known = words[-1] in PARTS_OF_ALL or "same" in words
    return not is_known and not any(word.endswith("est") for word in words)


def drop_introduction(claims: ClaimSet) -> Iterator[Proposal]:
    """Make the first "a lid" "the lid"."""
    for mention, start, end in claims.mentions:
        claim = claims.claim_at(start)
        if mention.article not in ("a", "an") or claim is None or start - body_of(claim)[0] < 2:
            continue
        head = mention.heads[0]
        if (
            len(mention.heads) > 1
            or not _needs_introduction(mention.term)
            or claims.introductions(head, start)
            or _EXPLAINED.match(claims.text, end)
        ):
            continue
        if any(m.is_definite and s > end and head in m.heads for m, s, _ in claims.mentions):
            change = (start, start + len(mention.article), "the")
            yield [change], Expected("gap", (start, end), claim=claim.number)


def drop_introducing_limitation(claims: ClaimSet) -> Iterator[Proposal]:
    """Remove the limitation that introduces a thing to which the claim refers later."""
    for claim in claims.claims:
        for item in claims.movable(claim):
            for start, end in claims.names_used_elsewhere(item)[:1]:
                head = singular(claims.text[start:end].split()[-1].lower())
                between = claims.introductions(head, start) - claims.introductions(head, item.end)
                is_known = between or claims.introductions(head, item.start)
                if not _needs_introduction(claims.text[start:end].lower()):
                    continue
                if start > item.end and not is_known and not _EXPLAINED.match(claims.text, end):
                    owner = claims.claim_at(start)
                    number = owner.number if owner else None
                    yield list(item.cut), Expected("gap", (start, end), claim=number)


def _grandchildren(claims: ClaimSet) -> Iterator[tuple[Claim, re.Match[str], int, int, Span]]:
    """Yield claims that refer to what only the claim that they cite introduces."""
    for claim in claims.claims:
        opening = claims.opening(claim)
        parent = claims.by_number.get(claim.depends_on[0]) if opening else None
        if (
            opening is None
            or parent is None
            or len(parent.depends_on) != 1
            or not claims.opening(parent)
        ):
            continue
        for mention, start, end in claims.mentions:
            if not (mention.is_definite and opening.end() <= start < claim.end):
                continue
            head, known = mention.heads[-1], claims.introductions
            is_new = known(head, parent.end) - known(head, parent.start) and not known(
                head, parent.start
            )
            if (
                is_new
                and known(head, start) == known(head, parent.end)
                and not _EXPLAINED.match(claims.text, end)
            ):
                yield claim, opening, claim.depends_on[0], parent.depends_on[0], (start, end)
                break


def cite_grandparent(claims: ClaimSet) -> Iterator[Proposal]:
    """Make a claim cite one claim higher, which lacks what the claim refers to."""
    for claim, opening, _, above, span in _grandchildren(claims):
        yield [(*opening.span("number"), str(above))], Expected("gap", span, claim=claim.number)


def cite_grandparent_too(claims: ClaimSet) -> Iterator[Proposal]:
    """Make a claim cite one claim higher as well: the antecedent is lacking on one path."""
    for claim, opening, parent, above, span in _grandchildren(claims):
        if not opening["more"].strip():
            change = (*opening.span("number"), f"{above} or {parent}")
            yield [change], Expected("gap", span, claim=claim.number)


def break_citation(claims: ClaimSet) -> Iterator[Proposal]:
    """Make a claim cite a claim that does not exist, a later one, or itself."""
    last = len(claims.claims)
    for claim in claims.claims:
        if (opening := claims.opening(claim)) and claim.number:
            wrong = [last + 7, claim.number, *([last] if claim.number < last else [])]
            number = wrong[claim.number % len(wrong)]
            yield (
                [(*opening.span("number"), str(number))],
                Expected("citation", opening.span("number"), claim=claim.number),
            )
