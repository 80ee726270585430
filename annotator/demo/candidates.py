"""Owns the making of five candidates from one reference by known damage."""

import random
from collections.abc import Callable

from annotator.claims.damage import (
    Damage,
    Damaged,
    NothingToDamage,
    break_dependency,
    delete_antecedent,
    drop_feature,
    muddle_clause,
    narrow_scope,
    rename_term,
    reword_harmlessly,
)
from annotator.claims.dependencies import find_references
from annotator.claims.features import count_elements
from annotator.claims.lexicon import REWORDINGS
from annotator.claims.parsing import parse_claims
from annotator.demo.records import DemoCandidate, ReferenceSource
from annotator.demo.truth import true_scores
from annotator.rubric import CRITERIA

LABELS = ("c1", "c2", "c3", "c4", "c5")
SYSTEMS = ("draft-a", "draft-b", "draft-c", "draft-d", "draft-e")
# Level 4 drops about 44 % of the features, or breaks about 88 % of the dependencies.
_FEATURE_SHARE_PER_LEVEL = 0.11
_DEPENDENCY_SHARE_PER_LEVEL = 0.22
# A draw in which two siblings come out equal on a criterion is drawn again, this often.
_ATTEMPTS = 12

Levels = dict[str, int]


def make_candidates(source: ReferenceSource, seed: int) -> tuple[DemoCandidate, ...]:
    """Return five candidates of one reference, the same for the same source and seed.

    Every criterion gets the damage levels 0 to 4, each once, in an order of its own, so that
    the candidates differ on every criterion and no criterion foretells another. Where a text has
    too few places for five levels, the draw with the fewest equal truths is kept.
    """
    rng = random.Random(f"{seed}:{source.reference_id}")
    best: tuple[DemoCandidate, ...] = ()
    for _ in range(_ATTEMPTS):
        drawn = _draw(source, rng)
        if _distinct_truths(drawn) > _distinct_truths(best):
            best = drawn
        if _distinct_truths(best) == len(CRITERIA) * len(LABELS):
            break
    return best


def _distinct_truths(candidates: tuple[DemoCandidate, ...]) -> int:
    return sum(len({item.truth[criterion] for item in candidates}) for criterion in CRITERIA)


def _draw(source: ReferenceSource, rng: random.Random) -> tuple[DemoCandidate, ...]:
    orders = {criterion: rng.sample(range(5), 5) for criterion in CRITERIA}
    systems = rng.sample(SYSTEMS, len(SYSTEMS))
    return tuple(
        _make(source, label, system, {key: orders[key][place] for key in CRITERIA}, rng)
        for place, (label, system) in enumerate(zip(LABELS, systems, strict=True))
    )


def _make(
    source: ReferenceSource, label: str, system: str, levels: Levels, rng: random.Random
) -> DemoCandidate:
    elements = count_elements(parse_claims(source.text))
    text, applied = _damage_words(source, levels, elements, rng)
    dependents = _breakable(text)
    broken = round(levels["logical_linkage"] * _DEPENDENCY_SHARE_PER_LEVEL * dependents)
    text, last = _try(lambda old, seed: break_dependency(old, broken, seed), text, rng)
    applied += last
    return DemoCandidate(label, system, text, applied, true_scores(applied, elements, dependents))


def _damage_words(
    source: ReferenceSource, levels: Levels, elements: int, rng: random.Random
) -> tuple[str, tuple[Damage, ...]]:
    """Do all damage but that to dependencies, which needs the number of claims that remain."""
    dropped = round(levels["feature_completeness"] * _FEATURE_SHARE_PER_LEVEL * elements)
    narrowed = rng.randint(0, 2) if levels["feature_completeness"] else 0
    unclear = _places(levels["conceptual_clarity"], rng)
    deleted = rng.randint(unclear // 3, unclear - unclear // 3)
    renamed = _places(levels["terminology_consistency"], rng)
    reworded = rng.randint(1, 6)
    pairs = REWORDINGS + source.rewordings
    steps: list[Callable[[str, int], Damaged]] = [
        lambda text, seed: drop_feature(text, dropped, seed),
        lambda text, seed: narrow_scope(text, narrowed, seed, source.narrowings),
        lambda text, seed: reword_harmlessly(text, reworded, seed, pairs),
        lambda text, seed: rename_term(text, renamed, seed, source.renamings),
        lambda text, seed: delete_antecedent(text, deleted, seed),
        lambda text, seed: muddle_clause(text, unclear - deleted, seed),
    ]
    text = source.text
    applied: tuple[Damage, ...] = ()
    for step in steps:
        text, done = _try(step, text, rng)
        applied += done
    return text, applied


def _places(level: int, rng: random.Random) -> int:
    """Return 0, 1-2, 3-4, 5-6 or 7-8 places for the levels 0 to 4."""
    return 2 * level - rng.randint(0, 1) if level else 0


def _try(
    damage: Callable[[str, int], Damaged], text: str, rng: random.Random
) -> tuple[str, tuple[Damage, ...]]:
    """Do one damage; a severity of nought, or a text without a place for it, changes nothing."""
    try:
        damaged = damage(text, rng.randrange(2**32))
    except NothingToDamage:
        return text, ()
    return damaged.text, damaged.applied


def _breakable(text: str) -> int:
    return sum(
        1
        for claim in parse_claims(text)
        if claim.number is not None and find_references(claim.text[claim.body_offset :])
    )
