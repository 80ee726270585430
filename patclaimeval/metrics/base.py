"""The interface that every metric has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from patclaimeval.metrics.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Pair:
    """One reference claim set and one candidate claim set, as plain texts.

    draft: the claims before revision, where they are known; read by 'sari' alone.
    rival: another candidate of the reference; read by metrics that compare the two.
    language: what the record names as the language of the claims, '' without one.
    """

    reference: str
    candidate: str
    draft: str | None = None
    language: str = ""
    rival: str | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """Stands in place of a score that cannot be given; `reason` is a sentence without claim text.

    Pairs that lack a score for the same cause bear the same sentence, so that they can be counted.
    """

    reason: str


Score = float | Missing


class MetricError(ValueError):
    """The whole metric cannot score; the message can be shown to a person."""


class MetricUnavailable(MetricError):
    """Weights or an endpoint are not there; the message is what to put where."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a metric reads beside the reference and the candidate.

    rival: it compares two candidates; its number says how far the first is the better one.
    """

    draft: bool = False
    model_directory: bool = False
    endpoint: bool = False
    rival: bool = False


NOTHING: Final = Needs()
DRAFT: Final = Needs(draft=True)
DIRECTORY: Final = Needs(model_directory=True)
ENDPOINT: Final = Needs(endpoint=True)
ENDPOINT_AND_RIVAL: Final = Needs(endpoint=True, rival=True)


@dataclass(frozen=True, slots=True)
class Places:
    """Where metrics find what they need: weights in model_directories/NAME, and an endpoint."""

    model_directories: Path | None = None
    endpoint: Endpoint | None = None


class Metric(Protocol):
    """Anything that turns pairs into numbers, where a higher number is a better candidate.

    name: the scorer's name in commands and reports.
    version: what computed it: the library with its version, and every choice that moves a number.
    low, high: the range of a score; None where it has no bound on that side.
    needs: what it reads beside the reference and the candidate.
    `version` is that of English; `reading` names what is different in another language.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def needs(self) -> Needs: ...

    def reading(self, language: str) -> str | None:
        """Return how texts of a language are cut, for the version of their scores.

        Input: a code of patclaimeval.claims.languages. Output: '' where they are cut
        as `version` says, None where the metric does not read the language, so that `score` gives
        Missing.
        """
        ...

    def score(self, pairs: Sequence[Pair]) -> Sequence[Score]:
        """Score n pairs. Output: n scores in the order of the pairs, numbers within [low, high].

        Raises MetricError when no pair can be scored.
        """
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a metric's class stands, what it is called on screen and what it is made with.

    takes_seed, takes_criterion, needs.model_directory and needs.endpoint each hand one more
    argument to the class: seed, criterion, directory, endpoint.
    """

    module: str
    maker: str
    label: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    needs: Needs = NOTHING
    takes_seed: bool = False
    takes_criterion: bool = False

    def make(self, **more: object) -> Metric:
        """Load the metric's module and make the metric; `more` are the arguments named above."""
        maker: Any = getattr(import_module(f"patclaimeval.metrics.{self.module}"), self.maker)
        metric: Metric = maker(**self.arguments, **more)
        return metric


def library_version(distribution: str) -> str:
    """Name an installed library with its version, as 'sacrebleu 2.6.0', without importing it."""
    return f"{distribution} {version(distribution)}"
