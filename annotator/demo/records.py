"""Owns the shapes of the demo plan: references, candidates, ratings, assignments."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from annotator.claims.damage import Damage
from annotator.claims.lexicon import WordPairs


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

    slug: str
    title: str
    references: tuple[DemoReference, ...]
    ratings: tuple[DemoRating, ...]
    assignments: tuple[DemoAssignment, ...]
    discrepancies: tuple[Discrepancy, ...]
