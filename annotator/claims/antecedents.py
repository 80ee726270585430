"""Owns antecedent basis: which "the X" has no earlier X in its chain of claims."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.claims.parsing import Claim, parse_claims
from annotator.claims.terms import Mention, find_mentions, singular

_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
# Nouns that need no introduction: properties and parts that every thing of their kind has.
_INHERENT_WORDS = """
amount average beginning bottom bulk case claim direction end extent fact first following former
group inside interior last latter length like maximum mean minimum number order other outcome
outside plane presence rate remainder rest same step sum time top total value weight width
"""
_INHERENT = frozenset(_INHERENT_WORDS.split())


@dataclass(frozen=True, slots=True)
class MissingAntecedent:
    """One definite term without basis: the claim it stands in, and its span in the source."""

    claim_number: int | None
    term: str
    start: int
    end: int


def missing_antecedents(text: str) -> tuple[MissingAntecedent, ...]:
    """Return the definite terms of a claim set that nothing earlier introduces.

    Input: the text of a claim set. Output: one finding per term and claim, the first place of
    each, with offsets into `text`. "The X" has basis when the noun of X stands earlier outside
    every "the ..." and "said ...", in the same claim or in a claim on which it depends, directly
    or not. A term found missing in a claim is not reported again in its dependents. A claim that
    cites no earlier claim, but ought to, is read after all earlier ones: its fault is the
    dependency. The reading is by surface words: a finding is a question, not a verdict.
    """
    claims = parse_claims(text)
    findings: list[MissingAntecedent] = []
    # What is known, and what has been reported, at the end of each claim (by its start).
    known: dict[int, set[str]] = {}
    reported: dict[int, set[str]] = {}
    for place, claim in enumerate(claims):
        parents = _parents(claim, claims[:place])
        inherited = {word for parent in parents for word in known[parent.start]}
        heard = {word for parent in parents for word in reported[parent.start]}
        own = _introduced(claim.text)
        for mention in _without_basis(claim, inherited, own):
            if not heard.intersection(mention.heads):
                findings.append(_finding(claim, mention))
            heard.update(mention.heads)
        known[claim.start] = inherited.union(own)
        reported[claim.start] = heard
    return tuple(findings)


def unintroduced_phrases(text: str) -> frozenset[str]:
    """Return the definite noun phrases of a claim set that occur nowhere before as a whole.

    Input: the text of a claim set. Output: the phrases, in the singular. Stricter than
    `missing_antecedents` (all words must agree, not the noun alone: "the auxiliary coils" is not
    introduced by "a receiver coil"), and so with more false findings on a single text: it is
    meant for comparing a text before and after a change.
    """
    mentions = [item for item in find_mentions(text) if item.is_definite]
    inside = {place for item in mentions for place in range(item.start, item.end)}
    found: set[str] = set()
    # All words outside definite phrases so far, one space around each.
    before, done = " ", 0
    for mention in mentions:
        for match in _WORD.finditer(text, done, mention.start):
            before += "| " if match.start() in inside else f"{singular(match.group().lower())} "
        done = mention.start
        phrases = mention.phrases
        if not any(f" {phrase} " in before for phrase in phrases):
            found.add(phrases[0])
    return frozenset(found)


def _parents(claim: Claim, earlier: tuple[Claim, ...]) -> tuple[Claim, ...]:
    if not claim.depends_on:
        return ()
    cited = set(claim.depends_on)
    return tuple(item for item in earlier if item.number in cited) or earlier


def _without_basis(claim: Claim, inherited: set[str], own: dict[str, int]) -> Iterator[Mention]:
    """Yield the definite mentions of a claim none of whose possible nouns is known by then."""
    for mention in find_mentions(claim.text):
        if not mention.is_definite or _INHERENT.intersection(mention.heads):
            continue
        if not any(
            head in inherited or own.get(head, mention.start) < mention.start
            for head in mention.heads
        ):
            yield mention


def _finding(claim: Claim, mention: Mention) -> MissingAntecedent:
    start, end = claim.start + mention.start, claim.start + mention.end
    return MissingAntecedent(claim.number, mention.term, start, end)


def _introduced(text: str) -> dict[str, int]:
    """Map the singular of every word outside definite terms to its first place in `text`."""
    definite = [item for item in find_mentions(text) if item.is_definite]
    inside = {place for item in definite for place in range(item.start, item.end)}
    places: dict[str, int] = {}
    for match in _WORD.finditer(text):
        if match.start() not in inside:
            places.setdefault(singular(match.group().lower()), match.start())
    return places
