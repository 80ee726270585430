"""Score requests of a person, the promoted models, and what the page of a request shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotator.access.visibility import judges_meanwhile
from annotator.models import User
from core.errors import Refused
from core.jobs.rows import JobStatus
from patclaimeval.claims.languages import language_note
from patclaimeval.models.data import Pair
from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.explanation import Explanation, explain_scores
from patclaimeval.models.occlusion import Name
from patclaimeval.models.pair_scores import PairScore
from patclaimeval.models.prior import NAME as PRIOR_NAME
from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring.datasets.versions.queries import rows_at
from scoring.models import DatasetVersion, ModelVersion, ScoreRequest, TrainingRun
from scoring.scores.occlusions import Given, ShownOcclusion, Texts, compared, known_occlusion
from scoring.scores.scorers import ScoringModel, cached_scorer, promoted_or_prior
from scoring.training.model_versions.card import Headline, headline
from scoring.training.model_versions.promotions import weaknesses

# Splits by which a validation reference was never seen in training.
UNSEEN: Final = frozenset({"reference", "family", "ipc", "time"})


def score_requests_for(user: User) -> QuerySet[ScoreRequest]:
    """Return the person's own requests about texts: nobody else ever sees one, whatever their role.

    Who has begun to rate or adjudicate since sees none, until the sweeper deletes them.
    """
    rows = ScoreRequest.objects.filter(asked_by=user, dataset_version=None)
    return rows.none() if judges_meanwhile(user) else rows


def newest_occlusion_request(
    user: User, version: DatasetVersion, row_number: int, model: ScoringModel
) -> ScoreRequest | None:
    """Return the person's newest request to explain a model's scores of a row."""
    rows = ScoreRequest.objects.filter(
        asked_by=user, dataset_version=version, row_number=row_number
    )
    return rows.filter(models_by_criterion={model.criterion: model.id}).first()


def occluded_scores_of(
    version: DatasetVersion, row_number: int, model: ScoringModel
) -> Given | None:
    """Return the scores that explain a model's scores of a row, whoever asked; None without any."""
    rows = ScoreRequest.objects.filter(dataset_version=version, row_number=row_number)
    explained = rows.filter(
        models_by_criterion={model.criterion: model.id}, occluded_scores__isnull=False
    )
    scores = explained.values_list("occluded_scores", flat=True).first()
    return None if scores is None else scores[model.criterion]


def needs_encoder(pk: UUID) -> bool:
    """Return whether a request names a model that runs a network; linear models run none.

    A request that is gone, or whose models are gone, needs none: there is nothing to wait for.
    """
    rows = ScoreRequest.objects.filter(pk=pk).values_list("models_by_criterion", flat=True)
    try:
        return any(
            not model.is_linear for chosen in rows for model in _named_models(chosen).values()
        )
    except ValidationError:
        # What names a model is no id: the worker that takes the request says so and closes it.
        return False


def _named_models(chosen: Mapping[str, str]) -> dict[str, ScoringModel]:
    """Return by criterion the models that a request names, in the order of the rubric."""
    rows = ModelVersion.objects.select_related("run__dataset_version__dataset").in_bulk(
        [name for name in chosen.values() if name != PRIOR_NAME]
    )
    by_id: dict[str, ModelVersion | None] = {str(pk): row for pk, row in rows.items()}
    by_id[PRIOR_NAME] = None
    return {
        criterion: ScoringModel(criterion, by_id[chosen[criterion]])
        for criterion in ALL_CRITERIA
        if chosen.get(criterion) in by_id
    }


def texts_of(request: ScoreRequest) -> Texts:
    """Return the texts of a request; raises Refused where the row that holds them is gone."""
    if request.dataset_version is None:
        return request.reference_text, request.candidate_texts
    number = request.row_number
    assert number is not None, "a constraint of the table"
    row = rows_at(request.dataset_version, [number]).get(number)
    if row is None:
        raise Refused("The dataset does not hold this item any more.")
    return row.reference, [row.b, row.c]


def pairs_of(texts: Texts) -> list[Pair]:
    return [(texts[0], candidate) for candidate in texts[1]]


def known_scores(
    models: Mapping[str, ScoringModel], pairs: Sequence[Pair]
) -> dict[str, list[dict[str, Any]]] | None:
    """Return the entries of a request by criterion if the cache has all; no model is loaded."""
    found = {}
    for criterion, model in models.items():
        try:
            scores = cached_scorer(model).known(pairs, with_parts=model.is_linear)
        except CheckpointInvalid:
            return None  # the worker reports why, in place of this model's scores
        if scores is None:
            return None
        found[criterion] = entries_of(scores)
    return found


def entries_of(scores: Sequence[PairScore]) -> list[dict[str, Any]]:
    """Return scores as their request stores them: {"score"} or {"error"}, and {"parts"}."""
    return [
        ({"error": score.reason} if score.value is None else {"score": score.value})
        | ({} if score.parts is None else {"parts": score.parts})
        for score in scores
    ]


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """What scores one criterion, with what is known of its error.

    `headline` is how it was measured, None of PatClaimEval-0; `is_unseen` is whether the references
    of that figure had been left out of training. `weaknesses` say where it is no
    better than chance or than a baseline: then it names no best candidate.
    """

    scoring: ScoringModel
    headline: Headline | None = None
    is_unseen: bool = False
    weaknesses: tuple[str, ...] = ()

    @property
    def criterion(self) -> str:
        return self.scoring.criterion

    @property
    def model(self) -> ModelVersion | None:
        return self.scoring.version

    @property
    def tie_threshold(self) -> float:
        return self.scoring.tie_threshold

    @property
    def name(self) -> str:
        return NAMES[self.criterion]

    @property
    def worth(self) -> str:
        """How far its scores agree with people, in words."""
        if self.headline is None:
            return "trained on no label; a report says how far it agrees with yours"
        if self.headline.not_measurable:
            return self.headline.not_measurable
        references = "unseen references" if self.is_unseen else "references it may have seen"
        if self.headline.is_left_out:
            references = "each training reference left out in turn"
        return f"{references}: {self.headline.words}, n = {self.headline.n}"


def measured_model(scoring: ScoringModel) -> MeasuredModel:
    """Return a model with the figures that stand beside its scores."""
    model = scoring.version
    if model is None:
        return MeasuredModel(scoring)
    measured = headline(model.card)
    card = model.run.dataset_version.card
    is_apart = card.get("split", {}).get("by") in UNSEEN
    return MeasuredModel(
        scoring,
        headline=measured,
        is_unseen=measured.is_left_out
        or (is_apart and not card["counts"].get("texts_in_several_splits")),
        weaknesses=tuple(weaknesses(model)),
    )


def models_of(request: ScoreRequest) -> dict[str, MeasuredModel]:
    """Return the models of a request by criterion, in the order of the rubric."""
    named = _named_models(request.models_by_criterion)
    return {criterion: measured_model(scoring) for criterion, scoring in named.items()}


def models_for_scoring(user: User) -> list[MeasuredModel]:
    """Return what scores for the person, in the order of the rubric."""
    return [measured_model(scoring) for scoring in promoted_or_prior(user).values()]


def explanations_of(request: ScoreRequest) -> list[tuple[MeasuredModel, Explanation]]:
    """Return why each linear model scores the best candidate above the next, or one as it does.

    Requests that were scored before parts were stored, and models that are not linear, have none.
    """
    found = []
    for criterion, model in models_of(request).items():
        entries = (request.scores or {}).get(criterion, [])
        if entries and all("parts" in entry and "score" in entry for entry in entries):
            scores, parts = ([entry[key] for entry in entries] for key in ("score", "parts"))
            found.append((model, explain_scores(scores, parts)))
    return found


def occlusions_of(request: ScoreRequest) -> list[tuple[MeasuredModel, ShownOcclusion | None]]:
    """Return each encoder that has scored, with what moved its scores as far as that is known."""
    found: list[tuple[MeasuredModel, ShownOcclusion | None]] = []
    for criterion, model in models_of(request).items():
        places = compared((request.scores or {}).get(criterion, []))
        if model.scoring.is_linear or not places:
            continue
        texts = texts_of(request)
        given = (request.occluded_scores or {}).get(criterion)
        known = known_occlusion(texts, places, given)
        quoted: dict[Name, str] = {None: texts[0], **dict(enumerate(texts[1], start=1))}
        found.append((model, None if known is None else ShownOcclusion(known, quoted)))
    return found


BEST, TIED = "best", "tied for best"


def score_page(request: ScoreRequest) -> dict[str, Any]:
    """Return what the page of a request shows; it holds no text.

    `models`, and the `weak` of them; `rows`: the number of each candidate and its cells, empty
    until it has succeeded. A cell has its `score` or `error`, and its `place`: best, tied for best,
    or nothing.
    `explanations`: linear models with why they score so; `occlusions`: encoders with what moved
    their scores, None where that was not asked for, or is not known any more: then it
    `may_leave_out` limitations.
    `language_notes`: how the language of a text was found, where a reader should know.
    """
    found, occlusions = models_of(request), occlusions_of(request)
    scores = request.scores or {}
    models = [model for key, model in found.items() if not scores or key in scores]
    columns = [_column(scores[model.criterion], model) for model in models if scores]
    return {
        "models": models,
        "weak": [model for model in models if model.weaknesses],
        "rows": list(enumerate(zip(*columns, strict=True), start=1)),
        "explanations": explanations_of(request),
        "occlusions": occlusions,
        "may_leave_out": any(shown is None for _, shown in occlusions),
        "language_notes": _language_notes(request),
        "deleted_at": request.created_at + timedelta(minutes=settings.SCORE_KEEP_MINUTES),
        "waits_for_training": request.status == JobStatus.QUEUED
        and not all(model.scoring.is_linear for model in models)
        and TrainingRun.objects.filter(status=JobStatus.RUNNING).exists(),
    }


def _language_notes(request: ScoreRequest) -> list[str]:
    """Return what is said of the language of the reference and of candidates, naming them."""
    if request.dataset_version is not None:
        return []
    names = ["The reference", *(f"Candidate {n + 1}" for n in range(len(request.candidate_texts)))]
    texts = [request.reference_text, *request.candidate_texts]
    notes: dict[str, list[str]] = {}
    for name, text in zip(names, texts, strict=True):
        if note := language_note(text):
            notes.setdefault(note, []).append(name)
    return [f"{', '.join(some)}: {note}" for note, some in notes.items()]


def _column(entries: list[dict[str, Any]], model: MeasuredModel) -> list[dict[str, Any]]:
    """Return one model's cells; scores within its threshold of the highest are tied with it.

    A model that is no better than chance or a baseline calls none the best.
    """
    known = [entry["score"] for entry in entries if "score" in entry and not model.weaknesses]
    near = [score for score in known if score >= max(known) - model.tie_threshold]
    best = BEST if len(near) == 1 else TIED
    return [
        entry | {"place": best if len(known) > 1 and entry.get("score") in near else ""}
        for entry in entries
    ]
