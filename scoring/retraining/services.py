"""Retrain what is promoted in a campaign: freeze, train, report, request promotion.

Each step calls the service that the pages call, and finds what an earlier run of it made: equal
ratings are one version, equal data and settings one model, an equal question one report, and a
model is requested once. A run that was killed is therefore simply started again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from annotator.access.scopes import roles_of
from annotator.access.visibility import withheld_campaigns
from annotator.models import Campaign, Role, User
from core.errors import Forbidden, Refused
from core.jobs.rows import JobRow, JobStatus
from core.shapes import LONGEST_REASON
from scoring import files as scoring_files
from scoring.datasets.freezing.services import freeze_dataset
from scoring.datasets.versions.queries import prepare_pages
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    ModelVersion,
    Promotion,
    PromotionAct,
    TrainingRun,
)
from scoring.reports.services import ask_for_report
from scoring.reports.work import carry_out_report
from scoring.retraining.rules import compare_models
from scoring.training.model_versions.promotions import ask_promotion, promoted_in
from scoring.training.model_versions.queries import MODEL_PREFIX
from scoring.training.runs.services import options_of, request_training
from scoring.training.runs.work import carry_out_training, unchanged_model

STEPS: Final = ("freeze", "train", "report", "promotion")
LOOK_AGAIN_SECONDS: Final = 0.5
Log = Callable[[str], None]
Made = tuple[str, dict[str, str]]

NOTHING_PROMOTED: Final = (
    "No model of this campaign is promoted, so there is none to train again. Freeze, train, and "
    "have a first model promoted."
)
NOTHING_NEW: Final = "There is nothing new to freeze: the promoted model was trained on {version}."
NOT_FROZEN: Final = (
    "The promoted model was trained on {version}, which was not frozen from locked ratings, so it "
    "has no fixed test references. Have a model promoted that was trained on a frozen version."
)
FIRST_ERASED: Final = (
    "A reference of {version} was erased, and its file with it, so its test references are gone. "
    "Freeze and train again by hand, and have that model promoted."
)
REPLACED: Final = (
    "Another model was promoted while this one was trained. Run this again to compare with it."
)
REQUESTED: Final = "The promotion was requested before and waits for an admin."


@dataclass(frozen=True, slots=True)
class Step:
    """A step for one criterion, done or stopped; `made` names what it made or found, by kind."""

    criterion: str
    name: str
    is_done: bool
    reason: str
    made: dict[str, str] = field(default_factory=dict)


def retrain(
    campaign: Campaign, user: User | None = None, log: Log = lambda text: None
) -> tuple[User, list[Step]]:
    """Train what is promoted in a campaign again, and request promotion where it is not worse.

    All is done in the name of `user`, by default of the one who last requested the promotion of a
    promoted model. Returns them and the steps of each criterion, up to the first that stopped.
    Raises Refused where nothing is promoted, Forbidden where the user may not do the same by hand.
    """
    promoted = promoted_in(campaign)
    if not promoted:
        raise Refused(NOTHING_PROMOTED)
    if user is None:
        asks = Promotion.objects.filter(act=PromotionAct.ASKED, model__in=promoted.values())
        user = asks.select_related("actor").latest("id").actor
    _refuse_without_right(user, campaign)
    frozen: dict[UUID, DatasetVersion] = {}
    steps: list[Step] = []
    for criterion, model in promoted.items():
        work = _Retraining(campaign, criterion, model, user, frozen, log)
        for name in STEPS:
            log(f"{criterion}: {name}")
            try:
                reason, made = getattr(work, name)()
            except Refused as refusal:
                steps.append(Step(criterion, name, False, refusal.sentence))
                break
            steps.append(Step(criterion, name, True, reason, made))
    return user, steps


def _refuse_without_right(user: User, campaign: Campaign) -> None:
    if not user.is_active:
        raise Forbidden(f"The account of {user} is deactivated; name a researcher with --user.")
    if Role.RESEARCHER not in roles_of(user, campaign):
        raise Forbidden(f"{user} is no researcher of {campaign}; name one with --user.")
    if campaign.pk in withheld_campaigns(user):
        raise Forbidden(
            f"{user} rates in this open campaign, and what is found would tell them what others "
            "gave. With --user, name a researcher who does not rate."
        )


class _Retraining:
    """The steps for one criterion; each returns a reason and what it made, or raises Refused."""

    def __init__(
        self,
        campaign: Campaign,
        criterion: str,
        promoted: ModelVersion,
        user: User,
        frozen: dict[UUID, DatasetVersion],
        log: Log,
    ) -> None:
        self.campaign = campaign
        self.criterion = criterion
        self.promoted = promoted
        self.user = user
        self.frozen = frozen
        self.log = log

    def freeze(self) -> Made:
        """Freeze as the promoted model's version was, with its test references."""
        self.tested = first = fixed_version(self.promoted)
        if first.pk not in self.frozen:
            found = freeze_dataset(
                campaign=self.campaign, created_by=self.user, **freeze_settings(first)
            )
            prepare_pages(found.version)
            self.frozen[first.pk] = found.version
        self.version = self.frozen[first.pk]
        if self.version.sha256 == self.promoted.dataset_sha256:
            raise Refused(NOTHING_NEW.format(version=self.version))
        return "", {"dataset": self.version.full_name}

    def train(self) -> Made:
        """Train with the settings of the promoted model, unless that was done before."""
        wanted = TrainingRun(
            dataset_version=self.version,
            criterion=self.criterion,
            settings=self.promoted.run.settings,
        )
        known = unchanged_model(wanted)
        if known is not None:
            self.model = known
            return "An earlier run trained it.", {"model": str(known.pk)}
        run = request_training(
            version=self.version,
            criterion=self.criterion,
            options=options_of(self.promoted.run),
            requested_by=self.user,
        )
        _finish(run, carry_out_training, self.log, "training")
        assert run.model is not None
        self.model = run.model
        return run.message, {"run": str(run.pk), "model": str(run.model.pk)}

    def report(self) -> Made:
        """Report on the fixed test references, with both models side by side."""
        self.found: AgreementReport = ask_for_report(
            version=self.tested,
            criterion=self.criterion,
            scorers=[_scorer(self.model), _scorer(self.promoted)],
            requested_by=self.user,
        ).report
        _finish(self.found, carry_out_report, self.log, "report")
        return "", {"report": str(self.found.pk), "dataset": self.tested.full_name}

    def promotion(self) -> Made:
        """Request the promotion of a model that is not worse, once; an admin answers."""
        assert self.found.result is not None
        compared = compare_models(self.found.result, _scorer(self.model), _scorer(self.promoted))
        if compared.is_worse is not False:
            raise Refused(compared.sentence)
        last = Promotion.objects.filter(model=self.model).order_by("id").last()
        if last is not None and last.act == PromotionAct.ASKED:
            return REQUESTED, {}
        if last is not None:
            raise Refused(f"This model was {last.act} before, so it is not requested again.")
        if promoted_in(self.campaign).get(self.criterion) != self.promoted:
            raise Refused(REPLACED)
        asked = ask_promotion(
            model=self.model,
            asked_by=self.user,
            reason=f"By manage.py retrain. {compared.sentence}"[:LONGEST_REASON],
            # The admin reads the concerns in the request.
            is_aware=True,
        )
        return " ".join([compared.sentence, *asked.cautions]), {}


def fixed_version(promoted: ModelVersion) -> DatasetVersion:
    """Return the version whose test references a promoted model and its successors are tested on.

    It is the version that the model was trained on, or the one that gave that its test references.
    Raises Refused where there is none, or its file was erased.
    """
    version = promoted.run.dataset_version
    if version.card.get("source") != "freeze" or version.card.get("include_unlocked"):
        raise Refused(NOT_FROZEN.format(version=version))
    if tested := version.card["split"].get("test_of"):
        name, _, number = tested.rpartition("@")
        version = DatasetVersion.objects.get(
            dataset__campaign=version.dataset.campaign, dataset__name=name, number=number
        )
    if scoring_files.is_erased(version.sha256):
        raise Refused(FIRST_ERASED.format(version=version))
    return version


def freeze_settings(first: DatasetVersion) -> dict[str, Any]:
    """Return the settings of a freeze like an earlier one's, with its test references."""
    card = first.card
    return {
        "name": first.dataset.name,
        **{name: card[name] for name in ("policy", "tie_band", "criteria")},
        "split_by": card["split"]["by"],
        **{name: card["split"][name] for name in ("test_share", "validation_share", "seed")},
        "test_of": str(first.pk),
    }


def _scorer(model: ModelVersion) -> str:
    return f"{MODEL_PREFIX}{model.pk}"


def _finish(job: JobRow, carry_out: Callable[[UUID, Log], None], log: Log, noun: str) -> None:
    """Carry a job out here, or wait for the worker that has it; Refused where it fails."""
    while not job.is_final:
        try:
            carry_out(job.pk, log)
        except Exception:
            # An error may quote claims. Where it ended the job, the row has a sentence without.
            job.refresh_from_db()
            if not job.is_final:
                raise
        job.refresh_from_db()
        if not job.is_final:
            time.sleep(LOOK_AGAIN_SECONDS)
    if job.status == JobStatus.CANCELLED:
        raise Refused(f"The {noun} was cancelled.")
    if job.status == JobStatus.FAILED:
        raise Refused(f"The {noun} failed: {job.message}")
