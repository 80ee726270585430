"""The texts of sentinels: a reference damaged on one criterion, and ids that tell nothing."""

import random
import string
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from patclaimeval.claims.damage import (
    Damaged,
    NothingToDamage,
    break_dependency,
    delete_antecedent,
    drop_feature,
    muddle_clause,
    rename_term,
)
from patclaimeval.claims.languages import is_read_as_english, language_of
from patclaimeval.claims.terms import find_mentions
from patclaimeval.claims.words import WordPairs

# Enough that who reads with care sees it, few enough that the rest stays as it was.
PLACES: Final = 3
# Of so many drawn characters nobody guesses one: 8 of them are 41 bits at least.
FEWEST_DRAWN: Final = 8
# Each term is looked for in the whole text. Published claim sets have fewer than 50.
MOST_TERMS: Final = 200
Damages = Callable[[str, int, int], Damaged]


def _rename(text: str, severity: int, seed: int) -> Damaged:
    """Rename known terms; where the text has none of them, its own terms get a second name."""
    try:
        return rename_term(text, severity, seed)
    except NothingToDamage:
        return rename_term(text, severity, seed, _own_pairs(text))


KINDS: Final[Mapping[str, tuple[Damages, ...]]] = {
    "feature_completeness": (drop_feature,),
    "conceptual_clarity": (delete_antecedent, muddle_clause),
    "terminology_consistency": (_rename,),
    "logical_linkage": (break_dependency,),
}


# Those that read or write English words.
ENGLISH: Final = frozenset((delete_antecedent, muddle_clause, _rename))


@dataclass(frozen=True, slots=True)
class SentinelText:
    """A damaged text with what was done to it, in how many places."""

    text: str
    criterion: str
    kind: str
    places: int


def sentinel_text(text: str, criterion: str, seed: int, language: str = "") -> SentinelText:
    """Return a claim set damaged in up to three places, so that one criterion suffers.

    Inputs: claim text; one of the four criteria that are rated; any whole number; the language that
    the record names. Output: the damaged text, which differs from the input, and what was done; the
    same for the same inputs.
    Raises NothingToDamage when the text offers no place for damage of this criterion, as no text in
    another language than English does for clarity and terminology: words of English would stand in
    it.
    Source: the damage functions of patclaimeval/claims/damage.py; own choice of severity.
    """
    is_english = is_read_as_english(language_of(text, language))
    kinds = [kind for kind in KINDS[criterion] if is_english or kind not in ENGLISH]
    random.Random(seed).shuffle(kinds)
    for kind in kinds:
        try:
            damaged = kind(text, PLACES, seed)
        except NothingToDamage:
            continue
        (done,) = damaged.applied
        if damaged.text != text:
            return SentinelText(damaged.text, criterion, done.kind, done.severity)
    raise NothingToDamage(f"This text has no place for damage to {criterion}.")


def unguessable_id(like: str, taken: Collection[str], chance: random.Random) -> str:
    """Return a new id of the same shape as another, which shows no eye that it is different.

    Inputs: an id; ids that exist; a source of chance, random.SystemRandom() where it matters.
    Output: letters for letters of the same case, digits for digits, all else as it was; at least
    eight drawn characters, more hexadecimal digits behind where the shape has fewer.
    """
    kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    # Of each mark what may stand for it.
    shape = [next((kind for kind in kinds if mark in kind), mark) for mark in like]
    more = FEWEST_DRAWN - sum(kind in kinds for kind in shape)
    shape += [string.hexdigits[:16]] * more
    while (name := "".join(map(chance.choice, shape))) in taken:
        pass
    return name


def _own_pairs(text: str) -> WordPairs:
    """Return the text's own terms, the most frequent MOST_TERMS, each with a second name."""
    counts = Counter(row.term for row in find_mentions(text) if row.is_definite)
    terms: Sequence[str] = [term for term, _ in counts.most_common() if "member" not in term]
    return tuple((term, f"{term} member") for term in terms[:MOST_TERMS])
