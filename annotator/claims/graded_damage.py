"""Candidates with graded damage: of one reference a row of texts, each worse than the one before.

A text of grade g has all faults of grade g - 1 and some more, so that the expected order follows
from how it was made and from nobody's taste. The kinds are what language models do
(`annotator/claims/rewriting.py`) and damage to one criterion (`annotator/claims/damage.py`). All
but broken dependencies leave the citations of every claim as they were.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from annotator.claims import rewriting
from annotator.claims.damage import (
    Damage,
    Damaged,
    NothingToDamage,
    break_dependency,
    delete_antecedent,
    drop_feature,
    muddle_clause,
)
from annotator.claims.rewriting import NEW_NUMBER, Parts, numbered, parts_of
from annotator.claims.tree import build_tree
from core.claim_text import Claim, dependencies, parse_claims
from core.languages import is_read_as_english, language_of

MOST_GRADES: Final = 10
MOST_FAULTS: Final = 10
MOST_TIMES: Final = 3
TRIES: Final = 12
"""So often a fault is drawn again that would break the tree or change nothing."""
MOST_CHARACTERS: Final = 200_000
Damages = Callable[[str, str, int, int], Damaged]
"""Takes a text, that of another invention, in how many places, and a seed."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of damage: the criterion that it lowers, None where it is the overall alone.

    `is_once`: done again it could undo itself.
    """

    name: str
    criterion: str | None
    damage: Damages
    is_english: bool = True
    is_once: bool = False


@dataclass(frozen=True, slots=True)
class Graded:
    """One candidate: its grade from 1 on, and all damage done to the reference, in order."""

    grade: int
    text: str
    applied: tuple[Damage, ...]

    @property
    def places(self) -> dict[str, int]:
        """In how many places each criterion was damaged: of two candidates the fewer the better."""
        found: Counter[str] = Counter()
        for damage in self.applied:
            if damage.criterion is not None:
                found[damage.criterion] += damage.severity
        return dict(sorted(found.items()))


def _of_models(
    name: str,
    criterion: str | None,
    fault: rewriting.Fault,
    *,
    is_english: bool = True,
    is_once: bool = False,
) -> Kind:
    def damage(text: str, other: str, places: int, seed: int) -> Damaged:
        rng = random.Random(seed)
        foreign = parts_of(other)
        done = 0
        while done < places and (found := _once(fault, text, foreign, rng)) is not None:
            text, done = found, done + 1
        if not done:
            raise NothingToDamage(f"This text has no place for the damage {name!r}.")
        return Damaged(text, (Damage(name, criterion, done, f"times: {done}"),))

    return Kind(name, criterion, damage, is_english, is_once)


def _of_one_criterion(
    name: str, criterion: str, function: Callable[[str, int, int], Damaged], *, is_english: bool
) -> Kind:
    def damage(text: str, other: str, places: int, seed: int) -> Damaged:
        return function(text, places, seed)

    return Kind(name, criterion, damage, is_english)


def _near_copy(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    """Put a claim once more behind itself, with an adjective here and there."""
    place = rng.randrange(len(parts))
    ((_, words),) = rewriting.with_adjectives([parts[place]], foreign, rng)
    return [*parts[: place + 1], (0, words), *parts[place + 1 :]]


def _invented_feature(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    """Put a feature of another invention into the first claim."""
    number, words = parts[0]
    listed = rewriting.segments(words.rstrip(". "))
    features = [_bare(piece) for piece in rewriting.segments(foreign[0][1])[1:]]
    place, mark = rng.randrange(1, len(listed) + 1), ";" if ";" in words else ","
    if place == len(listed):
        listed[-1] += mark
        mark = "."
    listed.insert(place, f"{rng.choice(features or ['a further unit'])}{mark}")
    return [(number, f"{' '.join(listed).rstrip('. ')}."), *parts[1:]]


def _bare(piece: str) -> str:
    """Return what stands between two commas or semicolons without what joins it to the others."""
    return re.sub(r"^and\s+", "", piece.strip(" .,;"))


KINDS: Final[tuple[Kind, ...]] = (
    _of_models("generic_claim", None, rewriting.with_generic_claim),
    _of_models("invented_claim", None, rewriting.with_foreign_claim),
    _of_models("near_copy", "conceptual_clarity", _near_copy),
    _of_models("merged_claims", "logical_linkage", rewriting.merged),
    _of_models("missing_claim", "feature_completeness", rewriting.without_claim, is_english=False),
    _of_models("elaborated", None, rewriting.elaborated),
    _of_models("adjectives", "conceptual_clarity", rewriting.with_adjectives),
    _of_models("over_broad", "feature_completeness", rewriting.broadened, is_english=False),
    _of_models("over_narrow", "feature_completeness", rewriting.narrowed),
    _of_models("invented_feature", "feature_completeness", _invented_feature),
    _of_models("reordered", None, rewriting.reordered, is_english=False, is_once=True),
    _of_models("renamed_term", "terminology_consistency", rewriting.with_term_renamed),
    _of_one_criterion("drop_feature", "feature_completeness", drop_feature, is_english=False),
    _of_one_criterion(
        "delete_antecedent", "conceptual_clarity", delete_antecedent, is_english=True
    ),
    _of_one_criterion("muddle_clause", "conceptual_clarity", muddle_clause, is_english=True),
    _of_one_criterion("break_dependency", "logical_linkage", break_dependency, is_english=False),
)
REMOVING: Final = frozenset(("missing_claim", "over_broad", "drop_feature"))
"""What they take away must be the reference's own: a fault taken away would be damage undone."""
KIND_NAMES: Final = tuple(kind.name for kind in KINDS)


def graded_candidates(
    text: str,
    other: str,
    seed: int,
    *,
    grades: int = 4,
    faults: int = 2,
    kinds: Sequence[str] = KIND_NAMES,
    language: str = "",
) -> tuple[Graded, ...]:
    """Return candidates of grades 1 to `grades`, the same for the same input.

    Inputs: the reference; an English claim set of another invention, from which foreign words are
    taken; any whole number; how many kinds of damage a grade adds; names of KIND_NAMES to draw
    from; the language that the record names. Kinds that read or write English words are left out of
    a text in another language. Every kind comes once before one comes again.
    Raises NothingToDamage where the text has no numbered claims, more than MOST_CHARACTERS, or no
    place for any more of these kinds before the last grade.
    """
    if len(text) > MOST_CHARACTERS or not parts_of(text):
        raise NothingToDamage("This text is too long, or has no numbered claims.")
    rng = random.Random(seed)
    is_english = is_read_as_english(language_of(text, language))
    drawn = _in_turn(
        [k for k in KINDS if k.name in kinds and (is_english or not k.is_english)], rng
    )
    own = _pieces(text)
    made: list[Graded] = []
    applied: tuple[Damage, ...] = ()
    for grade in range(1, grades + 1):
        for _ in range(faults):
            text, done = _next_damage(text, other, drawn, own, rng)
            applied += done
        made.append(Graded(grade, text, applied))
    return tuple(made)


def _in_turn(kinds: Sequence[Kind], rng: random.Random) -> Iterator[Kind]:
    """Yield the kinds in a drawn order, and in another one as often as is asked."""
    while kinds:
        yield from rng.sample(kinds, len(kinds))
        kinds = [kind for kind in kinds if not kind.is_once]


def _next_damage(
    text: str, other: str, drawn: Iterator[Kind], own: Counter[str], rng: random.Random
) -> tuple[str, tuple[Damage, ...]]:
    """Return the text with one more kind of damage that undoes nothing of what was done before."""
    known = _fault_count(text)
    # As many kinds as there are, twice over: then none has a place left.
    for _ in range(2 * len(KINDS)):
        if (kind := next(drawn, None)) is None:
            break
        places, seed = rng.randint(1, MOST_TIMES), rng.randrange(2**32)
        try:
            damaged = kind.damage(text, other, places, seed)
        except NothingToDamage:
            continue
        lost = _pieces(text) - _pieces(damaged.text)
        undoes = _fault_count(damaged.text) < known or (kind.name in REMOVING and lost - own)
        if damaged.text != text and not undoes:
            return damaged.text, damaged.applied
    raise NothingToDamage("This text has no place for more damage of these kinds.")


def _fault_count(text: str) -> int:
    return len(build_tree(parse_claims(text)).faults)


def _pieces(text: str) -> Counter[str]:
    """Return what stands between commas and semicolons, whatever numbers it cites."""
    return Counter(
        re.sub(r"\d+", "", _bare(piece))
        for _, words in parts_of(text)
        for piece in rewriting.segments(words)
    )


def _once(fault: rewriting.Fault, text: str, foreign: Parts, rng: random.Random) -> str | None:
    """Return the text with one fault that leaves its citations as they were; None where none does.

    A fault may move, join or copy claims, and must take the citations with it.
    """
    before = parts_of(text)
    known = _fault_count(text)
    unknown = {n for _, words in before for n in dependencies(words)} - {n for n, _ in before}
    plain = numbered(before, unknown)
    for _ in range(TRIES):
        after = fault(list(before), foreign, rng)
        found = numbered(after, unknown)
        claims = parse_claims(found)
        if (
            found != plain
            and len(claims) == len(after)
            and _cites_what_it_cited(before, after, claims)
            and len(build_tree(claims).faults) == known
        ):
            return found
    return None


def _cites_what_it_cited(before: Parts, after: Parts, claims: Sequence[Claim]) -> bool:
    """Return whether every claim cites what it cited, and no claim that is gone.

    A new claim may come into a range, and cites one claim, or what the claim before it cites, of
    which it is a copy.
    """
    was = {number: set(dependencies(words)) for number, words in before}
    number_at = {place: number for place, (number, _) in enumerate(after, start=1)}
    cited: set[int] = set()
    for (number, words), claim in zip(after, claims, strict=True):
        # Of a number that is no claim's it is known that it must stay.
        copied, cited = cited, {number_at.get(n, n) for n in dependencies(claim.body)} - {0}
        is_added = any(n > NEW_NUMBER for n in dependencies(words))
        wanted = was[number] if number else copied
        if len(cited) > 1 if is_added else cited != wanted:
            return False
    return True
