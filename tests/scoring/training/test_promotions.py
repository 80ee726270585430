import pytest

from annotator.models import AuditEvent, User
from core.errors import Forbidden, OutOfDate, Refused
from scoring import files as scoring_files
from scoring.models import ModelVersion, Promotion
from scoring.training.model_versions.promotions import (
    answer_promotion,
    ask_promotion,
    promoted,
    withdraw_promotion,
)
from tests.conftest import Cast, grant

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
REASON = "Better on the test split."


def ask(cast: Cast, model: ModelVersion) -> Promotion:
    return ask_promotion(model=model, asked_by=cast.rita, reason=REASON, is_aware=True)


def answer(by: User, model: ModelVersion, *, agrees: bool = True) -> Promotion:
    return answer_promotion(model=model, answered_by=by, reason=REASON, agrees=agrees)


def test_a_researcher_asks_an_admin_agrees_and_both_are_on_record(cast, model) -> None:
    asked = ask(cast, model)
    assert promoted(cast.rita) == {}
    agreed = answer(cast.ada, model)
    assert promoted(cast.rita)["feature_completeness"] == agreed
    assert (asked.actor, agreed.actor, agreed.answers) == (cast.rita, cast.ada, asked)
    assert agreed.cautions == asked.cautions != []
    events = AuditEvent.objects.filter(object_id=str(model.pk)).order_by("pk")
    assert [(event.action, event.actor) for event in events] == [
        *(("promotion.asked", cast.rita), ("promotion.agreed", cast.ada))
    ]


def test_what_speaks_against_a_model_must_be_known(cast, model) -> None:
    with pytest.raises(Refused) as refused:
        ask_promotion(model=model, asked_by=cast.rita, reason=REASON)
    assert any("No agreement report" in text for text in refused.value.fields["is_aware"])
    with pytest.raises(Refused, match="too long"):
        ask_promotion(model=model, asked_by=cast.rita, reason="x" * 2001, is_aware=True)
    assert not Promotion.objects.exists()


def test_who_asked_does_not_agree_even_as_an_admin(cast, model) -> None:
    grant(cast.rita, cast.campaign, "admin")
    ask(cast, model)
    with pytest.raises(Forbidden, match="two people"):
        answer(cast.rita, model)
    assert promoted(cast.rita) == {}


def test_only_researchers_ask_and_only_admins_answer(cast, model) -> None:
    for person in (cast.ada, cast.alice, cast.mallory):
        with pytest.raises(Forbidden):
            ask_promotion(model=model, asked_by=person, reason=REASON, is_aware=True)
    ask(cast, model)
    for person in (cast.rita, cast.carol, cast.mallory):
        with pytest.raises(Forbidden):
            answer(person, model)
        with pytest.raises((Forbidden, OutOfDate)):
            withdraw_promotion(model=model, withdrawn_by=person, reason=REASON)


def test_a_declined_model_may_be_asked_for_again(cast, model) -> None:
    ask(cast, model)
    answer(cast.ada, model, agrees=False)
    assert promoted(cast.rita) == {}
    with pytest.raises(OutOfDate, match="Nothing is asked"):
        answer(cast.ada, model)
    ask(cast, model)


def test_the_same_is_asked_once(cast, model) -> None:
    ask(cast, model)
    with pytest.raises(OutOfDate, match="already"):
        ask(cast, model)
    answer(cast.ada, model)
    with pytest.raises(OutOfDate, match="promoted already"):
        ask(cast, model)


def test_a_promotion_is_withdrawn_by_one_person_with_a_reason(cast, model) -> None:
    with pytest.raises(OutOfDate, match="not promoted"):
        withdraw_promotion(model=model, withdrawn_by=cast.rita, reason=REASON)
    ask(cast, model)
    answer(cast.ada, model)
    with pytest.raises(Refused, match="reason"):
        withdraw_promotion(model=model, withdrawn_by=cast.rita, reason="  ")
    withdraw_promotion(model=model, withdrawn_by=cast.rita, reason="It was trained on a mistake.")
    assert promoted(cast.rita) == {}
    assert Promotion.objects.count() == 3


def test_a_model_whose_files_were_changed_is_not_promoted(cast, model) -> None:
    ask(cast, model)
    manifest = scoring_files.models_directory() / model.directory / "MANIFEST.json"
    for harm in (lambda: manifest.write_bytes(b"another"), manifest.unlink):
        harm()
        with pytest.raises(Refused, match="missing or were changed"):
            answer(cast.ada, model)
    answer(cast.ada, model, agrees=False)
