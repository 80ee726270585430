"""A schedule goes round: freezes, trains, reports, compares, and requests promotion or not."""

import pytest

from annotator.models import AuditEvent
from scoring.access.scopes import read_rows
from scoring.models import (
    Chain,
    Freeze,
    ModelVersion,
    Outcome,
    Promotion,
    PromotionAct,
)
from tests.scoring.schedules.conftest import Loop, go_round, sweep_at_once

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
    model = step.run.model
    version = model.run.dataset_version
    assert version == chain.freeze.version != loop.first
    assert references_tested(version) == references_tested(loop.first)
    assert model.run.settings == loop.promoted.run.settings
    (ask,) = asked(model)
    assert ask == step.promotion and ask.actor == loop.rita
    assert step.sentence in ask.reason
    assert step.report.dataset_version == loop.first
    assert step.report.scorers == [f"model:{model.pk}", f"model:{loop.promoted.pk}"]
    by = {job.asked_by for job in Freeze.objects.all()}
    by |= {job.requested_by for job in (step.run, step.report)}
    assert by == {loop.rita}
    acts = AuditEvent.objects.filter(object_type="chain").values_list("action", flat=True)
    assert sorted(acts) == ["chain.begun", "chain.compared", "chain.finished"]
