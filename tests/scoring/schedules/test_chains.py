"""A schedule goes round: freezes, trains, reports, compares, and requests promotion or not."""

from typing import Any

import pytest

from annotator.models import AuditEvent, User
from core.clock import database_now
from core.errors import Refused
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.services import cancel_freeze
from scoring.files import erase_copy
from scoring.models import (
    AgreementReport,
    Chain,
    ChainStep,
    DatasetVersion,
    Erasure,
    Freeze,
    ModelVersion,
    Outcome,
    Promotion,
    PromotionAct,
    TrainingRun,
)
from scoring.reports.services import cancel_report
from scoring.schedules import work
from scoring.schedules.queries import ERASED, FIRST_GONE, NOT_ACTIVE, NOT_RESEARCHER, RATES
from scoring.training.model_versions.promotions import ask_promotion
from scoring.training.runs.services import cancel_training
from tests.conftest import grant
from tests.scoring.schedules.conftest import (
    CRITERION,
    Loop,
    carry_out_jobs,
    frozen,
    go_round,
    made,
    promoted_model,
    sweep_at_once,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def asked(model: ModelVersion) -> list[Promotion]:
    return list(Promotion.objects.filter(model=model, act=PromotionAct.ASKED))


def references_tested(version) -> set[str]:
    return {row.reference_id for row in read_rows(version) if row.split == "test"}


def test_a_chain_ends_with_a_request_for_the_new_model_in_the_name_of_who_switched_it_on(
    loop: Loop,
) -> None:
    loop.switch_on()
    sweep_at_once()
    assert not Chain.objects.exists()
    loop.rated.rate_all(range(12, 20))
    chain = go_round()
    assert chain.status == "done", chain.message
    (step,) = chain.steps.all()
    assert step.outcome == Outcome.REQUESTED, step.sentence
    model = made(step)
    version = model.run.dataset_version
    assert version == frozen(chain) != loop.first
    assert references_tested(version) == references_tested(loop.first)
    assert model.run.settings == loop.promoted.run.settings
    (ask,) = asked(model)
    assert ask == step.promotion and ask.actor == loop.rita
    assert step.sentence in ask.reason
    assert step.run is not None and step.report is not None
    assert step.report.dataset_version == loop.first
    assert step.report.scorers == [f"model:{model.pk}", f"model:{loop.promoted.pk}"]
    by = {job.asked_by for job in Freeze.objects.all()}
    by |= {job.requested_by for job in (step.run, step.report)}
    assert by == {loop.rita}
    acts = AuditEvent.objects.filter(object_type="chain").values_list("action", flat=True)
    assert sorted(acts) == ["chain.begun", "chain.compared", "chain.finished"]


def swept_to(status: str) -> Chain:
    """Sweep and work until the chain is there; return it."""
    for _ in range(6):
        sweep_at_once()
        chain = Chain.objects.get()
        if chain.status == status:
            return chain
        carry_out_jobs()
    raise AssertionError(Chain.objects.get().status)


def grown(loop: Loop, **more: Any) -> Loop:
    """Switch a schedule on, and have more candidates settled than it waits for."""
    loop.switch_on(**more)
    loop.rated.rate_all(range(12, 20))
    return loop


def only_step() -> ChainStep:
    return ChainStep.objects.get()


def test_every_promoted_criterion_is_trained_again_and_no_other(loop: Loop) -> None:
    other = loop.promote("logical_linkage")
    grown(loop)
    chain = go_round()
    steps = {step.criterion: step for step in chain.steps.all()}
    assert set(steps) == {CRITERION, "logical_linkage"}
    assert steps["logical_linkage"].promoted == other
    assert {step.outcome for step in steps.values()} == {Outcome.REQUESTED}
    assert {made(step).criterion for step in steps.values()} == set(steps)


def test_a_model_that_the_test_finds_worse_is_not_requested(loop: Loop) -> None:
    # What is newly rated contradicts all that was rated before.
    for reference in loop.campaign.references.filter(position__gte=12):
        texts = dict(reference.candidates.values_list("candidate_id", "claims"))
        for one, other in (("c1", "c3"), ("c3", "c1")):
            reference.candidates.filter(candidate_id=one).update(claims=texts[other])
    grown(loop)
    chain = go_round()
    step = only_step()
    assert step.outcome == Outcome.WORSE, step.sentence
    assert "agrees worse with annotators" in step.sentence
    assert chain.status == "done"
    assert not asked(made(step))


def test_the_same_content_gives_the_same_model_and_no_report(loop: Loop) -> None:
    loop.switch_on(after_settled=1)
    # One candidate of a reference alone makes no quadruplet.
    for name in ("alice", "bob"):
        loop.rated.rate(name, 12, 1, 9, 9, 9, 9)
    chain = go_round()
    assert frozen(chain) == loop.first
    step = only_step()
    assert (step.outcome, step.report) == (Outcome.SAME, None)
    assert made(step) == loop.promoted


def test_concerns_keep_the_schedule_from_asking_unless_it_was_told_to(loop: Loop) -> None:
    grown(loop, asks_with_concerns=False)
    go_round()
    step = only_step()
    assert step.outcome == Outcome.CONCERNS
    assert "worse with annotators than the baseline length" in step.sentence
    assert not asked(made(step))


def other_model(loop: Loop) -> ModelVersion:
    """Promote a model that was trained on the same references drawn anew."""
    version = loop.rated.freeze(test_share=0.5, validation_share=0.0, seed=5)
    return promoted_model(version, CRITERION, loop.rita, loop.ada)


def test_a_promoted_model_that_learned_from_tested_references_is_not_compared(loop) -> None:
    grown(loop)
    other_model(loop)
    chain = go_round()
    step = only_step()
    assert step.outcome == Outcome.UNCOMPARED
    assert "was trained with texts of" in step.sentence
    assert step.run is None
    assert chain.status == "done"


def test_a_model_promoted_meanwhile_is_not_replaced_by_one_compared_with_another(loop) -> None:
    grown(loop)
    swept_to("reporting")
    other_model(loop)
    go_round()
    step = only_step()
    assert step.outcome == Outcome.UNCOMPARED
    assert "not the promoted one any more" in step.sentence
    assert not asked(made(step))


def test_a_model_that_somebody_requested_meanwhile_is_not_requested_twice(loop: Loop) -> None:
    grown(loop)
    swept_to("reporting")
    model = made(only_step())
    ask_promotion(model=model, asked_by=loop.rita, reason="by hand", is_aware=True)
    go_round()
    (ask,) = asked(model)
    step = only_step()
    assert (step.outcome, step.promotion) == (Outcome.REQUESTED, ask)
    assert "already been requested" in step.sentence


def test_a_freeze_that_fails_ends_the_chain_with_its_reason_and_begins_no_other(loop) -> None:
    schedule = grown(loop).campaign.schedules.get()
    sweep_at_once()
    loop.campaign.references.update(may_train=False)
    chain = go_round()
    assert chain.status == "failed"
    assert chain.message.startswith("The freeze failed: Campaign trial gives no quadruplet")
    loop.campaign.references.update(may_train=True)
    sweep_at_once()
    assert Chain.objects.count() == 1
    schedule.refresh_from_db()
    assert schedule.ended_at is None


def test_a_cancelled_freeze_ends_the_chain(loop: Loop) -> None:
    grown(loop)
    sweep_at_once()
    cancel_freeze(freeze=Freeze.objects.get())
    chain = go_round()
    assert (chain.status, chain.message) == ("failed", "The freeze was cancelled.")


def test_a_training_or_report_that_ends_otherwise_is_said_for_its_criterion_alone(loop) -> None:
    loop.promote("logical_linkage")
    loop.promote("conceptual_clarity")
    grown(loop)
    swept_to("training")
    steps = ChainStep.objects
    cancel_training(run=steps.get(criterion="logical_linkage").run)
    swept_to("reporting")
    cancel_report(report=steps.get(criterion="conceptual_clarity").report)
    chain = go_round()
    assert chain.status == "done"
    found = {step.criterion: (step.outcome, step.sentence) for step in chain.steps.all()}
    assert found["logical_linkage"] == (Outcome.FAILED, "The training was cancelled.")
    assert found["conceptual_clarity"] == (Outcome.FAILED, "The report was cancelled.")
    assert found[CRITERION][0] == Outcome.REQUESTED


def test_a_chain_of_which_nothing_came_has_failed(loop: Loop) -> None:
    grown(loop)
    swept_to("training")
    cancel_training(run=only_step().run)
    assert go_round().status == "failed"


def test_a_training_that_is_refused_is_said_for_its_criterion(loop, monkeypatch) -> None:
    grown(loop)

    def refuse(**asked: Any) -> None:
        raise Refused("Too little data.")

    monkeypatch.setattr(work, "request_trainings", refuse)
    go_round()
    step = only_step()
    assert (step.outcome, step.sentence) == (Outcome.FAILED, "Too little data.")


def test_what_was_asked_too_often_is_asked_again_by_the_next_sweep(loop, monkeypatch) -> None:
    grown(loop)
    sweep_at_once()
    carry_out_jobs()
    with monkeypatch.context() as patch:
        patch.setattr("scoring.training.runs.services.MOST_UNFINISHED", 0)
        sweep_at_once()
        assert only_step().run is None
    assert go_round().status == "done"


def test_an_error_that_nobody_expected_ends_one_chain_and_tells_its_kind_only(
    loop, monkeypatch
) -> None:
    grown(loop)
    sweep_at_once()
    carry_out_jobs()

    def fail(*given: Any) -> None:
        raise RuntimeError("1. A secret claim.")

    monkeypatch.setattr(work, "learned_from", fail)
    sweep_at_once()
    chain = Chain.objects.get()
    assert chain.status == "failed"
    assert chain.message == "The chain stopped on an unexpected error (RuntimeError)."


def lose_role(loop: Loop) -> str:
    loop.rita.memberships.all().delete()
    return NOT_RESEARCHER


def lose_account(loop: Loop) -> str:
    User.objects.filter(pk=loop.rita.pk).update(is_active=False)
    return NOT_ACTIVE


def rate(loop: Loop) -> str:
    grant(loop.rita, loop.campaign, "annotator")
    return RATES


@pytest.mark.parametrize("lose", [lose_role, lose_account, rate])
@pytest.mark.parametrize("status", ["none", "freezing", "training", "reporting"])
def test_a_schedule_ends_with_the_right_of_who_switched_it_on(loop, lose, status) -> None:
    schedule = loop.switch_on()
    if status != "none":
        loop.rated.rate_all(range(12, 20))
        swept_to(status)
    because = lose(loop)
    sweep_at_once()
    schedule.refresh_from_db()
    assert (schedule.ended_by, schedule.ended_because) == (None, because)
    assert schedule.ended_at is not None
    for chain in Chain.objects.all():
        assert (chain.status, chain.message) == ("stopped", because)
    for kind in (Freeze, TrainingRun, AgreementReport):
        assert not kind._default_manager.filter(status__in=("queued", "running")).exists()
    assert AuditEvent.objects.filter(action="schedule.ended", actor=None).count() == 1
    sweep_at_once()
    assert Chain.objects.count() == (status != "none")


def erase(loop: Loop, *versions: DatasetVersion) -> None:
    """Leave what an erasure of one of the campaign's references leaves."""
    now = database_now()
    people = {"asked_by": loop.ada, "answered_by": loop.rita, "status": "done"}
    Erasure.objects.create(
        campaign=loop.campaign,
        reference=loop.campaign.references.first(),
        **(people | {"asked_at": now, "erased_at": now}),
        result={"versions": [str(version.pk) for version in versions]},
    )
    for version in versions:
        erase_copy(version.sha256, now.date())


@pytest.mark.parametrize("status", ["freezing", "training", "reporting"])
def test_an_erasure_in_between_ends_the_chain_with_a_sentence(loop: Loop, status: str) -> None:
    grown(loop)
    chain = swept_to(status)
    erase(loop)
    sweep_at_once()
    chain.refresh_from_db()
    assert (chain.status, chain.message) == ("failed", ERASED)
    assert carry_out_jobs() == 0
    assert not Promotion.objects.filter(reason__startswith="By the schedule").exists()


def test_without_its_first_version_a_schedule_ends(loop: Loop) -> None:
    schedule = loop.switch_on()
    erase(loop, loop.first)
    sweep_at_once()
    schedule.refresh_from_db()
    assert schedule.ended_because == FIRST_GONE


def test_an_erasure_before_the_chain_does_not_end_it(loop: Loop) -> None:
    erase(loop)
    grown(loop)
    assert go_round().status == "done"
