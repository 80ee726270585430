"""The plan of the demo campaign: what `load_demo` stores, made from fixtures/demo and a seed."""

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from patclaimeval.claims.damage import (
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
from patclaimeval.claims.parsing import find_references, parse_claims
from patclaimeval.claims.splitting import count_elements
from patclaimeval.claims.words import REWORDINGS, WordPairs
from patclaimeval.rubric import CRITERIA


@dataclass(frozen=True, slots=True)
class ReferenceSource:
    """One reference as the fixture files give it, with the word pairs that damage it."""

    reference_id: str
    title: str
    office: str
    ipc: str
    language: str
    text: str
    renamings: WordPairs
    narrowings: WordPairs
    rewordings: WordPairs


@dataclass(frozen=True, slots=True)
class DemoCandidate:
    """One candidate: its text, the damage done to it, and the scores that follow from it.

    `truth` maps the four criteria to floats from 0 to 10.
    """

    label: str
    system: str
    text: str
    applied: tuple[Damage, ...]
    truth: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class DemoReference:
    """One reference with its five candidates, c1 to c5."""

    source: ReferenceSource
    candidates: tuple[DemoCandidate, ...]


@dataclass(frozen=True, slots=True)
class DemoRating:
    """One annotator's four whole scores, and how long before now they were given."""

    reference_id: str
    label: str
    annotator: str
    scores: Mapping[str, int]
    before_now: timedelta


@dataclass(frozen=True, slots=True)
class DemoAssignment:
    """One named, unrated assignment."""

    reference_id: str
    label: str
    annotator: str


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One criterion of one candidate on which the two annotators were made to differ by 3 or 4."""

    reference_id: str
    label: str
    criterion: str


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """All that the demo campaign holds, before anything is stored."""

    title: str
    references: tuple[DemoReference, ...]
    ratings: tuple[DemoRating, ...]
    assignments: tuple[DemoAssignment, ...]
    discrepancies: tuple[Discrepancy, ...]


# Losing 5/9 of the features, or every dependency, brings a criterion to 0 or next to it.
POINTS_PER_FEATURE_SHARE = 18.0
POINTS_PER_DEPENDENCY_SHARE = 9.0
POINTS_PER_NARROWING = 0.3
POINTS_PER_PLACE = 0.9


def true_scores(
    applied: Iterable[Damage], element_count: int, dependent_count: int
) -> dict[str, float]:
    """Return the four true scores, floats from 0 to 10, that follow from known damage.

    Inputs: the damage done; the number of listed elements of the reference; the number of
    dependent claims that could be broken. Formulas, each cut to 0..10:
    feature_completeness = 10 - 18 dropped / elements - 0.3 narrowed;
    conceptual_clarity = 10 - 0.9 (antecedents deleted + clauses muddled);
    terminology_consistency = 10 - 0.9 places renamed;
    logical_linkage = 10 - 9 broken / dependents.
    Source: a rule of this project, chosen so that full damage spans the bands of the rubric.
    """
    places: Counter[str] = Counter()
    for damage in applied:
        places[damage.kind] += damage.severity
    losses = {
        "feature_completeness": POINTS_PER_FEATURE_SHARE
        * places["drop_feature"]
        / max(1, element_count)
        + POINTS_PER_NARROWING * places["narrow_scope"],
        "conceptual_clarity": POINTS_PER_PLACE
        * (places["delete_antecedent"] + places["muddle_clause"]),
        "terminology_consistency": POINTS_PER_PLACE * places["rename_term"],
        "logical_linkage": POINTS_PER_DEPENDENCY_SHARE
        * places["break_dependency"]
        / max(1, dependent_count),
    }
    return {criterion: round(max(0.0, 10.0 - loss), 4) for criterion, loss in losses.items()}


@dataclass(frozen=True, slots=True)
class DemoSource:
    """The demo campaign as the fixture files give it."""

    slug: str
    title: str
    references: tuple[ReferenceSource, ...]


def read_sources(directory: Path) -> DemoSource:
    """Read `directory`/campaign.toml and the reference texts that it names, in its order."""
    with (directory / "campaign.toml").open("rb") as stream:
        campaign = tomllib.load(stream)
    references = tuple(
        _read_reference(directory, entry, campaign["language"]) for entry in campaign["references"]
    )
    return DemoSource(campaign["slug"], campaign["title"], references)


def _read_reference(directory: Path, entry: dict[str, Any], language: str) -> ReferenceSource:
    text = (directory / "references" / entry["file"]).read_text(encoding="utf-8")
    return ReferenceSource(
        reference_id=entry["reference_id"],
        title=entry["title"],
        office=entry["office"],
        ipc=entry["ipc"],
        language=language,
        text=text.rstrip("\n"),
        renamings=_as_pairs(entry["renamings"]),
        narrowings=_as_pairs(entry["narrowings"]),
        rewordings=_as_pairs(entry["rewordings"]),
    )


def _as_pairs(rows: list[list[str]]) -> WordPairs:
    return tuple((old, new) for old, new in rows)


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
    too few places for five levels, the draw with the fewest equal truths is taken.
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
    text, applied = _damage_text(source, levels, elements, rng)
    dependents = _breakable(text)
    broken = round(levels["logical_linkage"] * _DEPENDENCY_SHARE_PER_LEVEL * dependents)
    text, last = _try(lambda old, seed: break_dependency(old, broken, seed), text, rng)
    applied += last
    return DemoCandidate(label, system, text, applied, true_scores(applied, elements, dependents))


def _damage_text(
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


NOISE_SD = 0.7
# demo-2 is a little stricter than demo-1 on everything.
OFFSETS = {"demo-1": 0.0, "demo-2": -0.4}
DISCREPANCIES = 5
# Beyond the planned discrepancies the two annotators differ by less than the conflict gap of 3.
_LARGEST_QUIET_GAP = 2
_OLDEST = timedelta(days=24)
_BETWEEN_REFERENCES = timedelta(days=1, hours=13)
_BETWEEN_CANDIDATES = timedelta(minutes=9)
_SECOND_ANNOTATOR_LATER = timedelta(hours=3)

Rated = Sequence[tuple[DemoReference, Sequence[DemoCandidate]]]


def make_ratings(rated: Rated, seed: int) -> tuple[tuple[DemoRating, ...], tuple[Discrepancy, ...]]:
    """Return both annotators' ratings of the given candidates, and the planned discrepancies.

    A score is the true score plus the annotator's offset plus normal noise (sd NOISE_SD),
    rounded to a whole number from 0 to 10. DISCREPANCIES candidates, each on one criterion,
    get a gap of 3 or 4. At most 15 references leave every rating at least two days old.
    """
    rng = random.Random(f"{seed}:ratings")
    places = [(reference, item) for reference, candidates in rated for item in candidates]
    planned = {
        place: Discrepancy(
            places[place][0].source.reference_id, places[place][1].label, rng.choice(CRITERIA)
        )
        for place in sorted(rng.sample(range(len(places)), min(DISCREPANCIES, len(places))))
    }
    ratings: list[DemoRating] = []
    place = 0
    for row, (reference, candidates) in enumerate(rated):
        for column, item in enumerate(candidates):
            apart = planned[place].criterion if place in planned else None
            both = _rate_twice(item.truth, apart, rng)
            age = _OLDEST - row * _BETWEEN_REFERENCES - column * _BETWEEN_CANDIDATES
            for annotator, scores in zip(OFFSETS, both, strict=True):
                ratings.append(
                    DemoRating(reference.source.reference_id, item.label, annotator, scores, age)
                )
                age -= _SECOND_ANNOTATOR_LATER
            place += 1
    return tuple(ratings), tuple(planned.values())


def _rate_twice(
    truth: Mapping[str, float], apart: str | None, rng: random.Random
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the scores of both annotators for one candidate; they differ much on `apart` only."""
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    for criterion in CRITERIA:
        if criterion == apart:
            first[criterion] = _score(truth[criterion], OFFSETS["demo-1"], rng)
            gap = rng.choice((3, 4))
            second[criterion] = first[criterion] + (-gap if first[criterion] >= 5 else gap)
        else:
            first[criterion], second[criterion] = _quiet_pair(truth[criterion], rng)
    return first, second


def _quiet_pair(true_score: float, rng: random.Random) -> tuple[int, int]:
    while True:
        first, second = (_score(true_score, offset, rng) for offset in OFFSETS.values())
        if abs(first - second) <= _LARGEST_QUIET_GAP:
            return first, second


def _score(true_score: float, offset: float, rng: random.Random) -> int:
    value = true_score + offset + rng.gauss(0.0, NOISE_SD)
    return min(10, max(0, int(value + 0.5)))


# The first references are rated by both demo annotators, the others wait for the named ones.
RATED_REFERENCES = 14
NAMED_ANNOTATORS = ("alice", "bob")


def build_demo_plan(directory: Path, seed: int = 0) -> DemoPlan:
    """Return the whole demo campaign, the same for the same files and seed.

    Input: the folder that holds campaign.toml and references/. Output: every reference with
    five candidates; ratings by demo-1 and demo-2 of the first 14 references, but for candidate
    c5 of the 14th; and unrated assignments of alice and bob: that c5 and all candidates of the
    further references. Nothing is stored and no clock is read.
    """
    source = read_sources(directory)
    references = tuple(
        DemoReference(item, make_candidates(item, seed)) for item in source.references
    )
    rated = [(reference, reference.candidates) for reference in references[:RATED_REFERENCES]]
    last, candidates = rated[-1]
    rated[-1] = (last, candidates[:-1])
    ratings, discrepancies = make_ratings(rated, seed)
    open_places = [(last.source.reference_id, LABELS[-1])] + [
        (reference.source.reference_id, candidate.label)
        for reference in references[RATED_REFERENCES:]
        for candidate in reference.candidates
    ]
    assignments = tuple(
        DemoAssignment(reference_id, label, annotator)
        for annotator in NAMED_ANNOTATORS
        for reference_id, label in open_places
    )
    return DemoPlan(source.title, references, ratings, assignments, discrepancies)
