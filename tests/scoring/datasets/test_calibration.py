import pytest

from annotator.models import CalibrationAnswer
from annotator.rating.calibration.services import add_candidate, answer_item, switch_calibration
from patclaimeval.rubric import CRITERIA
from scoring.datasets.freezing.services import freeze_dataset
from tests.conftest import grant, make_user
from tests.scoring.conftest import NO_SPLIT

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_no_quadruplet_follows_from_what_was_answered_for_calibration(rated) -> None:
    scene = rated(3).rate_all([0, 1])
    before = scene.freeze(**NO_SPLIT)
    ada = grant(make_user("ada"), scene.campaign, "admin")
    agreed = dict.fromkeys(CRITERIA, 5)
    for number in (1, 2):
        item = add_candidate(
            campaign=scene.campaign,
            candidate=scene.candidate(2, number),
            scores=agreed,
            reasons=dict.fromkeys(CRITERIA, "a reason"),
            by=ada,
        )
        switch_calibration(campaign=scene.campaign, is_on=True, by=ada)
        for person in scene.people.values():
            answer_item(item_id=item.pk, annotator=person, scores=dict.fromkeys(CRITERIA, number))
    assert CalibrationAnswer.objects.count() == 4
    after = freeze_dataset(campaign=scene.campaign, **NO_SPLIT)
    assert not after.is_new and after.version.sha256 == before.sha256
