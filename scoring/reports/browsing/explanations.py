"""Why the models of a report prefer B or C of an item, as far as that is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.models import User
from core.errors import Refused
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.models.explanation import Explanation, explain_difference
from patclaimeval.models.occlusion import Name
from patclaimeval.models.prior import NAME as PRIOR_NAME
from scoring.models import AgreementReport, ScoreRequest
from scoring.quadruplets import DatasetRow
from scoring.scores.occlusions import ShownOcclusion, known_occlusion
from scoring.scores.queries import newest_occlusion_request, occluded_scores_of
from scoring.scores.scorers import ScoringModel, cached_scorer, scoring_model
from scoring.training.model_versions.queries import MODEL_PREFIX

Scorers = Sequence[tuple[str, str]]
"""Name and label of each scorer of a report."""
SIDES = ("B", "C")


@dataclass(frozen=True, slots=True)
class ItemOcclusion:
    """An encoder of a report with what moved its scores of an item, once that was asked for.

    `request` is the person's newest one, None where the answer is there or nothing was asked.
    """

    scorer: str
    label: str
    shown: ShownOcclusion | None
    request: ScoreRequest | None

    @property
    def waits(self) -> bool:
        return self.request is not None and not self.request.is_final


def linear_explanations(
    report: AgreementReport, scorers: Scorers, row: DatasetRow
) -> Iterator[tuple[str, Explanation]]:
    """Yield why each linear model prefers what it prefers."""
    pairs = [(row.reference, row.b), (row.reference, row.c)]
    for _, label, model in _models(report, scorers):
        try:
            if model.is_linear:
                scores = cached_scorer(model).score(pairs, with_parts=True)
                b, c = (score.parts for score in scores)
                if b and c:
                    yield label, explain_difference(b, c, *SIDES)
        except PatClaimEvalError:
            continue


def item_occlusions(
    user: User,
    report: AgreementReport,
    scorers: Scorers,
    numbered: tuple[int, DatasetRow],
    *,
    reads_texts: bool,
) -> Iterator[ItemOcclusion]:
    """Yield each encoder with what moved its scores of a row; positions alone without the texts."""
    number, row = numbered
    texts: dict[Name, str] = {None: row.reference, "B": row.b, "C": row.c} if reads_texts else {}
    for name, label, model in _models(report, scorers):
        if model.is_linear:
            continue
        given = occluded_scores_of(report.dataset_version, number, model)
        known = known_occlusion((row.reference, [row.b, row.c]), (0, 1), given, SIDES)
        if known is not None:
            yield ItemOcclusion(name, label, ShownOcclusion(known, texts), None)
            continue
        request = newest_occlusion_request(user, report.dataset_version, number, model)
        yield ItemOcclusion(name, label, None, request)


def encoder_of(report: AgreementReport, scorers: Scorers, name: str) -> ScoringModel:
    """Return the encoder of a report by its scorer's name; raises Refused where it is none."""
    for known, _, model in _models(report, scorers):
        if known == name and not model.is_linear:
            return model
    raise Refused("Choose a fine-tuned model of this report.")


def _models(report: AgreementReport, scorers: Scorers) -> Iterator[tuple[str, str, ScoringModel]]:
    """Yield name and label of each model that is still here; metrics have no reasons."""
    for name, label in scorers:
        if name == PRIOR_NAME:
            yield name, label, ScoringModel(report.criterion)
        elif name.startswith(MODEL_PREFIX):
            try:
                model = scoring_model(name)
            except Refused:
                continue
            yield name, label, model
