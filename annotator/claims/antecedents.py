"""Owns antecedent basis: which "the X" has no earlier X in its chain of claims."""

from dataclasses import dataclass

from annotator.claims.basis import ORDINALS, WORD, Basis, Reading, chains_above
from annotator.claims.parsing import Claim, parse_claims
from annotator.claims.terms import Mention, find_mentions, singular


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
    each, with offsets into `text`. "The X" has basis when the noun of X (or the act it names) and
    the words before the noun stand earlier outside every "the ..." and "said ...", in the same
    claim or in a claim on which it depends, directly or not; order and company of these words are
    free. "The X of Y" defines itself and introduces X. A term found missing in a claim is not
    reported again in its dependents. A claim that cites no earlier claim, but ought to (it cites
    an unknown one, or opens with "The ..."), is read after all earlier ones: its fault is the
    dependency. The reading is by surface words: a finding is a question, not a verdict.
    """
    claims = parse_claims(text)
    basis = Basis()
    reported: dict[str, int] = {}
    findings: list[MissingAntecedent] = []
    for place, (claim, above) in enumerate(zip(claims, chains_above(claims), strict=True)):
        reading = Reading.of(claim.text)
        chain = above | 1 << place
        for mention in reading.definite:
            opens = _opens(claim, mention.start)
            orphan = opens and bool(place) and not claim.depends_on
            if not orphan and basis.holds(mention, reading, above, loosely=opens):
                continue
            keys = _report_keys(mention)
            if not any(reported.get(key, 0) & chain for key in keys):
                findings.append(_finding(claim, mention))
            for key in keys:
                reported[key] = reported.get(key, 0) | 1 << place
        basis.add(reading, place)
    return tuple(findings)


def unintroduced_phrases(text: str) -> frozenset[str]:
    """Return the definite noun phrases of a claim set that occur nowhere before as a whole.

    Input: the text of a claim set. Output: the phrases, in the singular. Stricter than
    `missing_antecedents` (all words must agree, not the noun alone: "the auxiliary coils" is not
    introduced by "a receiver coil"), and so with more false findings on a single text: it is
    meant for comparing a text before and after a change.
    """
    mentions = [item for item in find_mentions(text) if item.is_definite]
    found: set[str] = set()
    # Every run of up to four words outside definite phrases so far.
    runs: set[str] = set()
    latest: list[str] = []
    done = 0
    for mention in mentions:
        for match in WORD.finditer(text, done, mention.start):
            latest = [*latest[-3:], singular(match.group().lower())]
            runs.update(" ".join(latest[first:]) for first in range(len(latest)))
        if mention.start >= done:
            latest = []
        done = max(done, mention.end)
        if not runs.intersection(mention.phrases):
            found.add(mention.phrases[0])
    return frozenset(found)


def _report_keys(mention: Mention) -> tuple[str, ...]:
    """Return under which names a missing term is known as reported: its possible nouns."""
    first = mention.term.split(" ", 1)[0]
    if first in ORDINALS:
        return tuple(f"{first} {head}" for head in mention.heads)
    return mention.heads


def _opens(claim: Claim, place: int) -> bool:
    """Whether a place in a numbered claim is its first word."""
    return claim.number is not None and not claim.text[claim.body_offset : place].strip()


def _finding(claim: Claim, mention: Mention) -> MissingAntecedent:
    start, end = claim.start + mention.start, claim.start + mention.end
    return MissingAntecedent(claim.number, mention.term, start, end)
