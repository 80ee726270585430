"""A campaign with a promoted model, and a schedule of it, whose jobs are carried out here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotator.models import Candidate, Reference, User
from scoring.datasets.freezing.services import carry_out_freeze
from scoring.models import (
    AgreementReport,
    Chain,
    ChainStep,
    DatasetVersion,
    Freeze,
    ModelVersion,
    Schedule,
    TrainingRun,
)
from scoring.reports.work import carry_out_report
from scoring.schedules.services import switch_on
from scoring.schedules.work import sweep_schedules
from scoring.training.model_versions.promotions import answer_promotion, ask_promotion
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.conftest import grant, make_user
from tests.scoring.conftest import PARTS, RatedCampaign, claim_set, make_campaign

CRITERION = "feature_completeness"
# With little weight on what it knows before, a training follows its labels.
OPTIONS = {"method": "probe", "weight_decay": 1.0}
FIRST = range(12)
CARRIED_OUT: dict[Any, Callable[[Any], None]] = {
    Freeze: carry_out_freeze,
    TrainingRun: carry_out_training,
    AgreementReport: carry_out_report,
}


@dataclass
class Loop:
    """The campaign, who works in it, and what its first model was trained on."""

    rated: RatedCampaign
    ada: User
    rita: User
    first: DatasetVersion
    promoted: ModelVersion

    @property
    def campaign(self) -> Any:
        return self.rated.campaign

    def switch_on(self, **more: Any) -> Schedule:
        given = {"after_settled": 3, "asks_with_concerns": True, "version": self.first} | more
        if given.get("at_hour") is not None:
            given["after_settled"] = None
        return switch_on(campaign=self.campaign, switched_on_by=self.rita, **given)

    def promote(self, criterion: str) -> ModelVersion:
        return promoted_model(self.first, criterion, self.rita, self.ada)


def promoted_model(
    version: DatasetVersion, criterion: str, asks: User, agrees: User
) -> ModelVersion:
    run = request_training(version=version, criterion=criterion, options=OPTIONS)
    carry_out_training(run.pk)
    model = ModelVersion.objects.get(run=run)
    ask_promotion(model=model, asked_by=asks, reason="the first", is_aware=True)
    answer_promotion(model=model, answered_by=agrees, reason="yes", agrees=True)
    return model


def write_claims(rated: RatedCampaign) -> None:
    """Have the better candidates of each reference lack fewer of its parts."""
    for reference in Reference.objects.filter(campaign=rated.campaign):
        subject = f"machine{reference.reference_id}"
        reference.claims = claim_set(subject, PARTS[:4])
        reference.save(update_fields=["claims"])
        for name, count in (("c1", 3), ("c2", 2), ("c3", 1)):
            claims = claim_set(f"{subject}x{name}", PARTS[:count])
            Candidate.objects.filter(reference=reference, candidate_id=name).update(claims=claims)


def make_loop(references: int = 20, slug: str = "trial") -> Loop:
    rated = make_campaign(references, slug)
    write_claims(rated)
    ada = grant(make_user(f"{slug}-ada"), rated.campaign, "admin")
    rita = grant(make_user(f"{slug}-rita"), rated.campaign, "researcher")
    first = rated.rate_all(FIRST).freeze(test_share=0.5, validation_share=0.0)
    return Loop(rated, ada, rita, first, promoted_model(first, CRITERION, rita, ada))


@pytest.fixture
def loop(data_directory: Path, db: None) -> Loop:
    return make_loop()


def carry_out_jobs() -> int:
    """Do what workers would with all that waits; return how many jobs that were."""
    count = 0
    for model, carry_out in CARRIED_OUT.items():
        for pk in list(model.objects.filter(status="queued").values_list("pk", flat=True)):
            carry_out(pk)
            count += 1
    return count


def made(step: ChainStep) -> ModelVersion:
    """Return the model that a criterion's training gave."""
    assert step.run is not None and step.run.model is not None
    return step.run.model


def frozen(chain: Chain) -> DatasetVersion:
    """Return the version that a chain froze."""
    assert chain.freeze is not None and chain.freeze.version is not None
    return chain.freeze.version


def sweep_at_once() -> None:
    """Sweep as if the last look at each schedule lay long enough ago."""
    Schedule.objects.update(looked_at=None)
    sweep_schedules()


def go_round() -> Chain:
    """Sweep and work until the chain has ended; return it."""
    for _ in range(12):
        sweep_at_once()
        carry_out_jobs()
        chain = Chain.objects.order_by("-created_at").first()
        if chain is not None and chain.finished_at is not None:
            return chain
    raise AssertionError([chain.status for chain in Chain.objects.all()])
