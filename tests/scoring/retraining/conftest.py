"""A campaign whose promoted model was trained on the first twelve of twenty references."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from annotator.models import Campaign, Candidate, Reference, User
from scoring.models import DatasetVersion, ModelVersion
from scoring.retraining.services import Step, retrain
from scoring.training.model_versions.promotions import answer_promotion, ask_promotion
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.conftest import grant, make_user
from tests.scoring.conftest import PARTS, RatedCampaign, claim_set, make_campaign

CRITERION = "feature_completeness"
# With little weight on what it knows before, a training follows its labels.
OPTIONS = {"method": "probe", "weight_decay": 1.0}
FIRST, LATER = range(12), range(12, 20)


@dataclass
class Trained:
    """The campaign, its admin and researcher, and what its promoted model was trained on."""

    rated: RatedCampaign
    ada: User
    rita: User
    first: DatasetVersion
    promoted: ModelVersion

    @property
    def campaign(self) -> Campaign:
        return self.rated.campaign

    def promote(self, criterion: str, version: DatasetVersion | None = None) -> ModelVersion:
        return promoted_model(version or self.first, criterion, self.rita, self.ada)

    def retrain(self) -> list[Step]:
        user, steps = retrain(self.campaign)
        assert user == self.rita
        return steps


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


@pytest.fixture
def trained(data_directory: Path, db: None) -> Trained:
    rated = make_campaign(20)
    write_claims(rated)
    ada = grant(make_user("trial-ada"), rated.campaign, "admin")
    rita = grant(make_user("trial-rita"), rated.campaign, "researcher")
    first = rated.rate_all(FIRST).freeze(test_share=0.5, validation_share=0.0)
    return Trained(rated, ada, rita, first, promoted_model(first, CRITERION, rita, ada))
