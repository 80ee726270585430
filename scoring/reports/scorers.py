"""The scorers of a report: which can be asked for, how they are loaded, what they cost."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from annotator.models import User
from patclaimeval.metrics.base import MetricUnavailable, Missing, Pair, Places, Score
from patclaimeval.metrics.costs import estimate_cost
from patclaimeval.metrics.languages import version_in
from patclaimeval.metrics.registry import (
    BASELINE_NAMES,
    METRIC_LABELS,
    METRIC_NAMES,
    get_metric,
    needs_of,
    what_is_missing,
)
from patclaimeval.models.config import STRENGTH, code_version
from patclaimeval.models.pair_scores import SCORING_VERSION
from patclaimeval.models.prior import LABEL as PRIOR_LABEL
from patclaimeval.models.prior import NAME as PRIOR_NAME
from patclaimeval.models.prior import prior_sha256
from patclaimeval.rubric import NAMES
from scoring.access.scopes import labelled_rows
from scoring.models import DatasetVersion
from scoring.scores.scorers import (
    LEFT_OUT_NAME,
    OUR_NAMES,
    ScoringModel,
    cached_scorer,
    metric_places,
)
from scoring.training.model_versions.queries import MODEL_PREFIX, find_model, models_for

STANDING_NAMES: Final = (*BASELINE_NAMES, PRIOR_NAME)
"""What every report measures without being asked; PatClaimEval-0 shows what labels add."""
LABELS: Final = {
    **METRIC_LABELS,
    PRIOR_NAME: PRIOR_LABEL,
    LEFT_OUT_NAME: "PatClaimEval, reference left out",
    "majority": "Most frequent label",
}


def scorer_label(name: str) -> str:
    """Return how a scorer is called on screen; a model by the first digits of its id."""
    prefix, _, model = name.partition(":")
    if prefix == "model" and model:
        return f"PatClaimEval {model[:8]}"
    return LABELS.get(name, name)


LONGEST_KEY: Final = 200
A_FEW: Final = 16
MANY: Final = 256
Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class ReportScorer:
    """Anything that scores pairs.

    `key` names the version that stored scores in a language belong to; "" for one that stores its
    own, or whose answers are. `version_in` is the version with how it cut the texts of these
    languages.
    `is_repeatable`: the same pairs get the same scores whenever they are asked. `at_once`: how many
    pairs it is handed at most. `score` calls the check it is given from time to time.
    """

    name: str
    version_in: Callable[[Iterable[str]], str]
    key: Callable[[str], str]
    reads_drafts: bool
    is_repeatable: bool
    at_once: int
    score: Callable[[Sequence[Pair], Check], Sequence[Score]]


def is_neural(name: str) -> bool:
    """Return whether a scorer runs a network or asks an endpoint, and is able to."""
    if name.startswith(MODEL_PREFIX):
        return find_model(name.removeprefix(MODEL_PREFIX)).run.settings.get("method") != "probe"
    if name in OUR_NAMES:
        return False
    needs = needs_of(name)
    return (needs.model_directory or needs.endpoint) and not what_is_missing(name, metric_places())


def compares(name: str) -> bool:
    """Return whether a scorer compares two candidates instead of scoring each."""
    return name in METRIC_NAMES and needs_of(name).rival


def describe_version(name: str, seed: int, criterion: str) -> str:
    """Name what would score now, or what is missing to score, without loading weights."""
    if name.startswith(MODEL_PREFIX):
        return _model_version(find_model(name.removeprefix(MODEL_PREFIX)).manifest_sha256)
    if name == PRIOR_NAME:
        return _model_version(prior_sha256(criterion))
    if name == LEFT_OUT_NAME:
        return left_out_version()
    places = metric_places()
    try:
        return get_metric(name, places=places, seed=seed, criterion=criterion).version
    except MetricUnavailable as error:
        return f"missing: {error}"


def load_scorer(name: str, seed: int, criterion: str) -> ReportScorer:
    """Load a scorer by a name that was checked; weights load with the first pair.

    Raises MetricError or PatClaimEvalError where it cannot score.
    """
    if name == PRIOR_NAME:
        return _load_model(name, ScoringModel(criterion), prior_sha256(criterion))
    if name.startswith(MODEL_PREFIX):
        model = find_model(name.removeprefix(MODEL_PREFIX))
        return _load_model(name, ScoringModel(criterion, model), model.manifest_sha256)
    metric = get_metric(name, places=metric_places(), seed=seed, criterion=criterion)
    needs = needs_of(name)

    def key(language: str) -> str:
        if needs.rival:  # a stored score is of one candidate; the endpoint's answers are stored
            return ""
        version = version_in(metric, [language])
        found = f"{name} {version}"
        if len(found) > LONGEST_KEY:  # its column takes no more
            found = f"{name} {sha256(version.encode()).hexdigest()}"
        return found

    return ReportScorer(
        name=name,
        version_in=lambda languages: version_in(metric, languages),
        key=key,
        reads_drafts=needs.draft,
        is_repeatable=not needs.endpoint,
        # A cancelled report waits for the pairs that were handed over.
        at_once=1 if needs.endpoint else A_FEW if needs.model_directory else MANY,
        score=lambda pairs, check: metric.score(pairs),
    )


def _load_model(name: str, scoring: ScoringModel, digest: str) -> ReportScorer:
    scorer = cached_scorer(scoring)

    def score(pairs: Sequence[Pair], check: Check) -> list[Score]:
        texts = [(pair.reference, pair.candidate) for pair in pairs]
        found = scorer.score(texts, lambda count: check())
        return [Missing(one.reason) if one.value is None else one.value for one in found]

    return ReportScorer(
        name=name,
        version_in=lambda languages: _model_version(digest),
        key=lambda language: "",
        reads_drafts=False,
        is_repeatable=True,
        at_once=MANY,
        score=score,
    )


def left_out_version() -> str:
    """Return what decides the scores of LEFT_OUT_NAME besides the labels of the version."""
    return f"prior of weight {STRENGTH:g}, {code_version()}"


def _model_version(digest: str) -> str:
    return f"{digest[:16]}, scoring {SCORING_VERSION}"


WITH_DRAFT: Final = "Scores only candidates whose reference has a draft in its campaign."


@dataclass(frozen=True, slots=True)
class Choice:
    """A scorer: its name in commands, its label, and a sentence on what it lacks, or ""."""

    name: str
    label: str
    lacks: str = ""
    sends_texts: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Scorers of one kind."""

    title: str
    scorers: tuple[Choice, ...]

    @property
    def ready(self) -> tuple[Choice, ...]:
        return tuple(one for one in self.scorers if not one.lacks)

    @property
    def lacking(self) -> tuple[Choice, ...]:
        return tuple(one for one in self.scorers if one.lacks)


def scorer_groups(user: User) -> tuple[Group, ...]:
    """Return every scorer but the baselines, which stand in each report by themselves."""
    places = metric_places()
    names = [name for name in METRIC_NAMES if name not in BASELINE_NAMES]
    judged = [name for name in names if needs_of(name).endpoint]
    neural = [name for name in names if needs_of(name).model_directory]
    plain = [name for name in names if name not in {*judged, *neural}]
    return (
        Group("Words in common", _metrics(plain, places)),
        Group("Neural, on weights of this machine", _metrics(neural, places)),
        Group("By a language model", _metrics(judged, places)),
        Group("Ours", (*_recipes(), *_models(user))),
    )


def ready_names(groups: tuple[Group, ...]) -> list[str]:
    """Return what a form ticks by itself: what scores here without anything more."""
    return [
        one.name
        for group in groups
        for one in group.scorers
        if not one.lacks and not one.sends_texts and not one.name.startswith(MODEL_PREFIX)
    ]


def _metrics(names: list[str], places: Places) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            name,
            scorer_label(name),
            what_is_missing(name, places) or (WITH_DRAFT if needs_of(name).draft else ""),
            needs_of(name).endpoint,
        )
        for name in names
    )


def _recipes() -> tuple[Choice, ...]:
    return (
        Choice(PRIOR_NAME, f"{PRIOR_LABEL}, trained on no label"),
        Choice(LEFT_OUT_NAME, "PatClaimEval, trained on all references but the one it scores"),
    )


def _models(user: User) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            f"{MODEL_PREFIX}{model.pk}",
            f"{scorer_label(f'{MODEL_PREFIX}{model.pk}')}, {NAMES[model.criterion]}, "
            f"trained on {model.run.dataset_version}",
        )
        for model in models_for(user)
    )


def sending_cost(
    version: DatasetVersion, criterion: str, split: str, scorers: Sequence[str]
) -> str:
    """Return the sentence that a person must read before claims leave this machine.

    "" where nothing would be sent: no scorer asks a language model, there is no endpoint, or every
    answer is stored from before.
    """
    endpoint = metric_places().endpoint
    if endpoint is None or not scorers:
        return ""
    rows = [row for row in labelled_rows(version, criterion) if split in ("all", row.split)]
    texts = {(row.reference, text) for row in rows for text in (row.b, row.c)}
    pairs = [Pair(reference, text) for reference, text in sorted(texts)]
    if any(map(compares, scorers)):
        orders = {(row.reference, *two) for row in rows for two in ((row.b, row.c), (row.c, row.b))}
        pairs += [Pair(reference, one, rival=other) for reference, one, other in sorted(orders)]
    return estimate_cost(scorers, pairs, endpoint).sentence
