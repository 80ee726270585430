"""Retraining freezes, trains, reports and requests promotion, and says where it stops and why."""

from typing import Any

import pytest

from annotator.models import AuditEvent, User
from core.clock import database_now
from core.errors import Forbidden, Refused
from scoring.access.scopes import read_rows
from scoring.files import erase_copy
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    ModelVersion,
    Promotion,
    PromotionAct,
    TrainingRun,
)
from scoring.retraining import services
from scoring.retraining.services import REPLACED, REQUESTED, STEPS, Step, retrain
from scoring.training.model_versions.promotions import answer_promotion, withdraw_promotion
from scoring.training.runs.services import cancel_training, request_training
from tests.conftest import grant
from tests.scoring.retraining.conftest import CRITERION, LATER, Trained

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def references_tested(version: DatasetVersion) -> set[str]:
    return {row.reference_id for row in read_rows(version) if row.split == "test"}


def newest() -> ModelVersion:
    return ModelVersion.objects.latest("created_at")


def asked(model: ModelVersion) -> list[Promotion]:
    return list(Promotion.objects.filter(model=model, act=PromotionAct.ASKED))


def stopped(steps: list[Step]) -> tuple[str, str]:
    """Return the name and reason of the last step, which did not end well."""
    assert [step.is_done for step in steps] == [True] * (len(steps) - 1) + [False], steps
    return steps[-1].name, steps[-1].reason


def test_a_model_that_is_not_worse_is_requested_in_the_name_of_the_last_requester(trained) -> None:
    trained.rated.rate_all(LATER)
    steps = trained.retrain()
    assert [step.name for step in steps if step.is_done] == list(STEPS)
    model = newest()
    version = model.run.dataset_version
    assert version.created_by == trained.rita and version != trained.first
    assert references_tested(version) == references_tested(trained.first)
    assert model.run.settings == trained.promoted.run.settings
    report = AgreementReport.objects.get()
    assert report.dataset_version == trained.first
    assert report.scorers == [f"model:{model.pk}", f"model:{trained.promoted.pk}"]
    assert (model.run.requested_by, report.requested_by) == (trained.rita, trained.rita)
    (ask,) = asked(model)
    assert ask.actor == trained.rita and ask.reason.startswith("By manage.py retrain. ")
    # The concerns are for the admin to read: in the request, and in the reason of the step.
    assert ask.cautions and ask.cautions[0] in steps[-1].reason
    assert not Promotion.objects.filter(model=model, act=PromotionAct.AGREED).exists()
    acts = {"dataset.freeze", "training.requested", "report.requested", "promotion.asked"}
    assert acts <= set(
        AuditEvent.objects.filter(actor=trained.rita).values_list("action", flat=True)
    )


def test_every_promoted_criterion_is_trained_again_on_one_version(trained: Trained) -> None:
    trained.promote("logical_linkage")
    trained.rated.rate_all(LATER)
    steps = trained.retrain()
    requested = [step.criterion for step in steps if step.name == "promotion"]
    assert requested == [CRITERION, "logical_linkage"]
    assert DatasetVersion.objects.count() == 2 and ModelVersion.objects.count() == 4


def test_the_successor_of_a_successor_is_tested_on_the_same_references(trained: Trained) -> None:
    trained.rated.rate_all(range(12, 16))
    trained.retrain()
    second = newest()
    answer_promotion(model=second, answered_by=trained.ada, reason="yes", agrees=True)
    trained.rated.rate_all(range(16, 20))
    steps = trained.retrain()
    assert steps[2].made["dataset"] == trained.first.full_name
    assert references_tested(newest().run.dataset_version) == references_tested(trained.first)


def test_where_nothing_was_settled_since_nothing_is_trained(trained: Trained) -> None:
    step, reason = stopped(trained.retrain())
    assert step == "freeze" and reason.startswith("There is nothing new to freeze")
    assert TrainingRun.objects.count() == 1


def test_a_model_that_the_test_finds_worse_is_not_requested(trained: Trained) -> None:
    # What is newly rated contradicts all that was rated before.
    for reference in trained.campaign.references.filter(position__gte=12):
        texts = dict(reference.candidates.values_list("candidate_id", "claims"))
        for one, other in (("c1", "c3"), ("c3", "c1")):
            reference.candidates.filter(candidate_id=one).update(claims=texts[other])
    trained.rated.rate_all(LATER)
    step, reason = stopped(trained.retrain())
    assert step == "promotion" and "agrees worse with annotators" in reason
    assert not asked(newest())


def test_a_freeze_that_is_refused_says_why(trained: Trained) -> None:
    trained.campaign.references.update(may_train=False)
    step, reason = stopped(trained.retrain())
    assert step == "freeze" and reason.startswith("Campaign trial gives no quadruplet")


def test_a_training_that_fails_or_is_cancelled_says_why_without_claims(
    trained: Trained, monkeypatch
) -> None:
    trained.rated.rate_all(LATER)

    def fail(*given: Any, **more: Any) -> None:
        raise RuntimeError("1. A secret claim.")

    with monkeypatch.context() as patch:
        patch.setattr("scoring.training.runs.work._train", fail)
        found = stopped(trained.retrain())
    sentence = "The training failed: Training stopped on an unexpected error (RuntimeError)."
    assert found == ("train", sentence)

    def cancelled(**asked: Any) -> TrainingRun:
        run = request_training(**asked)
        cancel_training(run=run)
        run.refresh_from_db()
        return run

    monkeypatch.setattr(services, "request_training", cancelled)
    assert stopped(trained.retrain())[1].startswith("The training was cancelled.")


def test_a_report_that_fails_says_why(trained: Trained, monkeypatch) -> None:
    trained.rated.rate_all(LATER)

    def refuse(*given: Any) -> None:
        raise Refused("The figures are gone.")

    monkeypatch.setattr("scoring.reports.work._Work._answer", refuse)
    assert stopped(trained.retrain()) == ("report", "The report failed: The figures are gone.")


def test_run_again_nothing_is_done_twice(trained: Trained) -> None:
    trained.rated.rate_all(LATER)
    trained.retrain()
    kinds = (DatasetVersion, TrainingRun, ModelVersion, AgreementReport, Promotion)
    before = [kind.objects.count() for kind in kinds]
    assert trained.retrain()[-1].reason == REQUESTED
    answer_promotion(model=newest(), answered_by=trained.ada, reason="no", agrees=False)
    assert stopped(trained.retrain())[1] == (
        "This model was declined before, so it is not requested again."
    )
    assert [kind.objects.count() for kind in kinds] == [*before[:-1], before[-1] + 1]


def test_a_model_promoted_meanwhile_is_not_replaced_by_one_compared_with_another(
    trained: Trained, monkeypatch
) -> None:
    trained.rated.rate_all(LATER)

    def replaced(*given: Any) -> Any:
        withdraw_promotion(model=trained.promoted, withdrawn_by=trained.ada, reason="why")
        return compare(*given)

    compare = services.compare_models  # type: ignore[attr-defined]
    monkeypatch.setattr(services, "compare_models", replaced)
    assert stopped(trained.retrain()) == ("promotion", REPLACED)
    with pytest.raises(Refused, match="No model of this campaign is promoted"):
        trained.retrain()


def test_without_fixed_test_references_nothing_is_trained(trained: Trained) -> None:
    trial = trained.rated.freeze(test_share=0.5, validation_share=0.0, seed=5)
    trained.promote("logical_linkage", trial)
    trial.card["include_unlocked"] = True
    trial.save()
    erase_copy(trained.first.sha256, database_now().date())
    erased, unlocked = trained.retrain()
    assert "was erased, and its file with it" in erased.reason
    assert "was not frozen from locked ratings" in unlocked.reason


def lose_role(trained: Trained) -> str:
    trained.rita.memberships.all().delete()
    return "no researcher"


def lose_account(trained: Trained) -> str:
    User.objects.filter(pk=trained.rita.pk).update(is_active=False)
    return "deactivated"


def rate(trained: Trained) -> str:
    grant(trained.rita, trained.campaign, "annotator")
    return "rates in this open campaign"


@pytest.mark.parametrize("lose", [lose_role, lose_account, rate])
def test_it_takes_the_rights_of_a_researcher_who_does_not_rate(trained: Trained, lose) -> None:
    why = lose(trained)
    with pytest.raises(Forbidden, match=why):
        trained.retrain()
    with pytest.raises(Forbidden, match="no researcher"):
        retrain(trained.campaign, trained.ada)
    assert DatasetVersion.objects.count() == 1
