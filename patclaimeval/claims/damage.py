"""Known damage to claim sets: seeded functions, each of which lowers one criterion.

A person who knows the rubric would lower the named criterion and, as far as the text allows, no
other. The functions are pure: the same text, severity, seed and word pairs give the same result.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from patclaimeval.claims.antecedents import count_antecedents, find_antecedent_gaps
from patclaimeval.claims.edits import (
    Edit,
    apply_edits,
    remove_claim,
    remove_element,
    without_overlaps,
    written_like,
)
from patclaimeval.claims.parsing import find_references, parse_claims
from patclaimeval.claims.splitting import listed_elements
from patclaimeval.claims.terms import find_mentions
from patclaimeval.claims.words import BLURRED_ENDINGS, MUDDLES, RENAMINGS, WordPairs

# Characters read in the trials for one damage: each trial reads its whole text anew. Published
# claim sets need fewer than 250,000 for a dozen places; a text in which every trial fails would
# otherwise cost its square, while somebody waits for the sentinel.
MOST_READ: Final = 1_000_000
Place = TypeVar("Place")


class NothingToDamage(ValueError):
    """The text offers no place for this kind of damage."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One kind of damage done: the criterion it lowers, and in how many places."""

    kind: str
    criterion: str
    severity: int
    note: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """A damaged text with all damage done to it, in the order of doing."""

    text: str
    applied: tuple[Damage, ...]


def drop_feature(text: str, severity: int, seed: int) -> Damaged:
    """Remove up to `severity` features: listed elements, or dependent claims none other cites.

    Lowers feature_completeness. A feature is removed only where no later term loses its
    antecedent; the first element of a list stays; later claims are renumbered. For each as many
    removals are tried as MOST_READ allows.
    Raises NothingToDamage when no feature can be removed.
    """
    rng = random.Random(seed)
    current, dropped = text, 0
    while dropped < severity and (shorter := _drop_one(current, rng)) is not None:
        current, dropped = shorter, dropped + 1
    return _damaged(current, "drop_feature", "feature_completeness", dropped, "features removed")


def rename_term(text: str, severity: int, seed: int, pairs: WordPairs = RENAMINGS) -> Damaged:
    """Give another name to a known term in up to `severity` places, not in all.

    Lowers terminology_consistency. Only terms after "the", "said" or "each" are renamed, so the
    words that introduce the term retain its first name and the two names stand side by side.
    """
    edits = [
        Edit(match.start(1), match.end(), name + match[2])
        for term, name in pairs
        for match in re.finditer(rf"\b(?:the|said|each) ({re.escape(term)})(s?)\b", text, re.I)
        if not _opens_claim(text, match.start())
    ]
    return _edited(
        text, edits, severity, seed, ("rename_term", "terminology_consistency", "places renamed")
    )


def delete_antecedent(text: str, severity: int, seed: int) -> Damaged:
    """Turn up to `severity` first mentions "a widget" into "the widget", known from nowhere.

    Lowers conceptual_clarity. Only mentions whose change leaves a term without basis count; as
    many are tried as MOST_READ allows.
    """
    current, deleted, known = text, 0, count_antecedents(text)[1]
    mentions = [item for item in find_mentions(text) if item.article in ("a", "an")]
    random.Random(seed).shuffle(mentions)
    edits: list[Edit] = []
    inside = [item for item in mentions if not _opens_claim(text, item.start)]
    for mention in _tried(inside, text):
        if deleted == severity:
            break
        article = Edit(mention.start, mention.start + len(mention.article), "the")
        trial = apply_edits(text, [*edits, article])
        missing = count_antecedents(trial)[1]
        if missing > known:
            edits.append(article)
            current, deleted, known = trial, deleted + 1, missing
    return _damaged(
        current, "delete_antecedent", "conceptual_clarity", deleted, "introductions deleted"
    )


def muddle_clause(text: str, severity: int, seed: int) -> Damaged:
    """Blur up to `severity` clauses with words that leave open what is meant.

    Lowers conceptual_clarity; every feature of the text stays named.
    """
    rng = random.Random(seed)
    edits = _replacements(MUDDLES, text)
    edits += [
        Edit(match.start(), match.start(), rng.choice(BLURRED_ENDINGS))
        for match in re.finditer(r"(?<=[\w)])(?=;|\.\s*$)", text, re.MULTILINE)
    ]
    return _edited(
        text, edits, severity, seed, ("muddle_clause", "conceptual_clarity", "clauses blurred")
    )


def break_dependency(text: str, severity: int, seed: int) -> Damaged:
    """Let up to `severity` dependent claims cite themselves, a later or an unknown claim.

    Lowers logical_linkage. One citation per claim is changed; "any preceding claim" is left.
    """
    rng = random.Random(seed)
    claims = parse_claims(text)
    numbers = [claim.number for claim in claims if claim.number is not None]
    edits = []
    for claim in claims:
        cited = find_references(claim.text[claim.body_offset :])
        if claim.number is not None and cited:
            offset = claim.start + claim.body_offset
            unknown = max(numbers) + rng.randint(4, 30)
            later = [number for number in numbers if number > claim.number]
            wrong = rng.choice([claim.number, unknown, rng.choice(later) if later else unknown])
            start, end = offset + cited[-1].start, offset + cited[-1].end
            edits.append(Edit(start, end, written_like(text[start:end], wrong)))
    return _edited(
        text, edits, severity, seed, ("break_dependency", "logical_linkage", "dependencies broken")
    )


def _drop_one(text: str, rng: random.Random) -> str | None:
    """Return the text without one feature, or None when every removal tried does other harm."""
    claims = parse_claims(text)
    sizes = [len(listed_elements(claim.text)) for claim in claims]
    places = [
        (claim, index)
        for claim, size in zip(claims, sizes, strict=True)
        if size > 2
        for index in range(1, size)
    ]
    cited = {
        item.number for claim in claims for item in find_references(claim.text[claim.body_offset :])
    }
    # A leaf depends on another claim, has no list, and is cited by its number nowhere.
    places += [
        (claim, 0)
        for claim, size in zip(claims, sizes, strict=True)
        if claim.depends_on and size == 1 and claim.number not in cited
    ]
    rng.shuffle(places)
    before = len(find_antecedent_gaps(text))
    for claim, index in _tried(places, text):
        shorter = remove_element(text, claim, index) if index else remove_claim(text, claim)
        if len(find_antecedent_gaps(shorter)) <= before:
            return shorter
    return None


def _tried(places: Sequence[Place], text: str) -> Sequence[Place]:
    """Return the places that are tried, in their order: one at least."""
    return places[: 1 + MOST_READ // (len(text) + 1)]


def _opens_claim(text: str, place: int) -> bool:
    """Whether a word is the first of a claim: a preamble, not a limitation."""
    return re.search(r"(?:^|\d[.):])\s*$", text[max(0, place - 12) : place]) is not None


def _replacements(pairs: WordPairs, text: str) -> list[Edit]:
    """Put the second for the first of each pair, wherever it stands."""
    return [
        Edit(match.start(), match.end(), new)
        for old, new in pairs
        for match in re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", text)
    ]


def _edited(
    text: str, edits: list[Edit], severity: int, seed: int, label: tuple[str, str, str]
) -> Damaged:
    """Make a seeded choice of at most `severity` edits that do not overlap."""
    random.Random(seed).shuffle(edits)
    chosen = without_overlaps(edits)[:severity]
    kind, criterion, note = label
    return _damaged(apply_edits(text, chosen), kind, criterion, len(chosen), note)


def _damaged(text: str, kind: str, criterion: str, severity: int, note: str) -> Damaged:
    if severity < 1:
        raise NothingToDamage(f"This text has no place for the damage {kind!r}.")
    return Damaged(text, (Damage(kind, criterion, severity, f"{note}: {severity}"),))
