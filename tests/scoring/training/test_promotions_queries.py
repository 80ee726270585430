import pytest

from annotator.models import User
from scoring.models import PromotionAct
from scoring.training.model_versions.promotions import promoted, promoted_ids, promotion_state
from tests.conftest import grant
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.model_builders import make_model, promote

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_the_latest_agreement_counts_and_a_withdrawal_leaves_nothing(cast, cups) -> None:
    old, new = make_model(cups), make_model(cups)
    assert promoted(cast.rita) == {}
    promote(old, cast.ada)
    promote(new, cast.ada)
    assert promoted(cast.rita)["feature_completeness"].model == new
    promote(new, cast.ada, PromotionAct.WITHDRAWN)
    assert promoted(cast.rita) == {}
    promote(old, cast.ada)
    assert promoted(cast.rita)["feature_completeness"].model == old


def test_what_is_promoted_is_known_of_each_campaign_in_ones_scope(cast, cups) -> None:
    foreign = imported("foreign", dataset_rows(2), campaign=cast.elsewhere)
    own, other, later = make_model(cups), make_model(foreign), make_model(cups)
    promote(own, cast.ada)
    promote(other, cast.mallory)
    promote(later, cast.rita, PromotionAct.ASKED)
    assert promoted_ids(cast.rita) == {own.pk}
    # Of the other campaign, and none who rates there: models are withheld from those meanwhile.
    emma = User.objects.create(username="emma")
    grant(emma, cast.elsewhere, "researcher")
    assert promoted_ids(emma) == {other.pk}
    grant(emma, cast.elsewhere, "annotator")
    assert promoted_ids(emma) == set()
    promote(later, cast.ada)
    assert promoted_ids(cast.rita) == {later.pk}


def test_criteria_come_in_the_order_of_the_rubric(cast, cups) -> None:
    for criterion in ("overall_quality", "logical_linkage", "feature_completeness"):
        promote(make_model(cups, criterion), cast.ada)
    order = ["feature_completeness", "logical_linkage", "overall_quality"]
    assert list(promoted(cast.rita)) == order


def test_another_campaigns_promotion_neither_counts_nor_ends_ones_own(cast, cups) -> None:
    foreign = imported("foreign", dataset_rows(2), campaign=cast.elsewhere)
    own, other = make_model(cups), make_model(foreign)
    promote(other, cast.mallory)
    assert promoted(cast.rita) == {}
    promote(own, cast.ada)
    promote(other, cast.mallory, PromotionAct.WITHDRAWN)
    assert promoted(cast.rita)["feature_completeness"].model == own
    assert promoted(None)["feature_completeness"].model == own


def test_the_state_is_what_a_person_may_do(cast, cups) -> None:
    model, other = make_model(cups), make_model(cups)
    state = promotion_state(model, cast.rita)
    assert (state.may_ask, state.may_answer, state.may_withdraw) == (True, False, False)
    promote(model, cast.rita, PromotionAct.ASKED)
    rita, ada = promotion_state(model, cast.rita), promotion_state(model, cast.ada)
    assert (rita.may_ask, rita.may_answer) == (False, False)
    assert (ada.may_ask, ada.may_answer) == (False, True)
    promote(other, cast.ada)
    assert promotion_state(model, cast.ada).promoted_instead == other
    assert promotion_state(other, cast.rita).may_withdraw
