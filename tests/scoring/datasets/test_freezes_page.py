from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from annotator.models import Campaign, Membership
from core.jobs.rows import JobStatus
from patclaimeval.rubric import ALL_CRITERIA
from scoring.datasets.freezing import queries as freezing_queries
from scoring.datasets.freezing import views
from scoring.datasets.freezing.services import carry_out_freeze, request_freeze
from scoring.datasets.markdown import OLD_MAJORITY
from scoring.models import DatasetVersion, Freeze
from tests.scoring.conftest import SETTINGS, FrozenScene, shown, signed_in

pytestmark = [pytest.mark.django_db]

FORM = "/datasets/freeze/"


@pytest.fixture
def rita(unrated: FrozenScene) -> Client:
    return signed_in(unrated.rita)


def sent(**changes: Any) -> dict[str, Any]:
    """What a browser sends for the settings of these tests."""
    return {"campaign": "trial", "name": "", **SETTINGS, **changes}


def asked(scene: FrozenScene) -> Freeze:
    settings = SETTINGS | {"name": None, "include_unlocked": False}
    return request_freeze(campaign=scene.campaign, settings=settings, asked_by=scene.rita)


def test_the_form_asks_for_a_freeze_and_leads_to_its_page(unrated, rita) -> None:
    chosen = {"name": "cups", "split_by": "family", "policy": "majority"}
    answer = rita.post(FORM, sent(**chosen, tie_band="0.5"))
    row = Freeze.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/datasets/freezes/{row.pk}/")
    assert row.asked_by == unrated.rita
    assert row.settings == {**SETTINGS, **chosen, "tie_band": 0.5, "include_unlocked": False}
    assert not DatasetVersion.objects.exists()


def test_criteria_are_asked_for_in_the_order_of_the_rubric(unrated, rita) -> None:
    # The same request is known by its settings, however a program orders them.
    for criteria in (ALL_CRITERIA, ALL_CRITERIA[::-1]):
        rita.post(FORM, sent(criteria=list(criteria)))
    assert Freeze.objects.get().settings["criteria"] == list(ALL_CRITERIA)


def test_the_only_campaign_is_chosen_already_or_that_of_the_address(unrated, rita) -> None:
    chosen = '<option value="trial" selected>'
    assert chosen in shown(rita, FORM)
    other = Campaign.objects.create(slug="other", name="Other")
    Membership.objects.create(user=unrated.rita, campaign=other, role="researcher")
    assert chosen not in shown(rita, FORM)
    assert chosen in shown(rita, FORM, campaign="trial")


MISTAKES: list[tuple[str, Any, str]] = [
    ("campaign", "elsewhere", "Select a valid choice"),
    ("name", "no name", "letters, numbers"),
    ("policy", "best", "Select a valid choice"),
    ("tie_band", "-1", "greater than or equal to 0"),
    ("tie_band", "nan", "Enter a number"),
    ("criteria", [], "Choose at least one criterion."),
    ("criteria", ["beauty"], "Select a valid choice"),
    ("split_by", "item", "Select a valid choice"),
    ("test_share", "0.95", "less than or equal to 0.9"),
    ("validation_share", "x", "Enter a number"),
    ("seed", "-1", "greater than or equal to 0"),
]


def test_a_mistake_stands_at_its_field_and_the_form_stays(rita) -> None:
    for number, (field, value, reason) in enumerate(MISTAKES):
        # The other button of the form asks the same.
        pressed = {"preview": "1"} if number % 2 else {}
        answer = rita.post(FORM, sent(**{"seed": "41", field: value}, **pressed))
        assert answer.status_code == 422, (field, value)
        assert list(answer.context["form"].errors) == [field]
        page = answer.content.decode()
        assert reason in page and f'id="id_{field}_error"' in page
        assert 'value="41"' in page or field == "seed"
    assert not Freeze.objects.exists()


def test_a_preview_shows_what_the_version_then_says_and_stores_nothing(
    scene, rita, data_directory
) -> None:
    answer = rita.post(FORM, sent(preview="1", tie_band="3.5"))
    page = answer.content.decode()
    assert answer.status_code == 200
    for words in ("Preview: 9 quadruplets", "no claim text in two splits", "Published: Jiang"):
        assert words in page
    assert "Krippendorff's alpha" in page
    assert not Freeze.objects.exists() and not DatasetVersion.objects.exists()
    assert not list(data_directory.glob("datasets/*"))
    scene.freeze(tie_band=3.5)
    card = rita.get("/datasets/trial/1/").context["page"]
    assert answer.context["preview"] == card
    assert {line["ties"] for line in card["labels"]} == {"66.7 %"}


def test_a_preview_of_nothing_says_why(rita) -> None:
    answer = rita.post(FORM, sent(preview="1"))
    assert answer.status_code == 422
    assert "gives no quadruplet" in answer.content.decode()


def test_a_preview_of_too_many_comparisons_is_not_worked_out(scene, rita, monkeypatch) -> None:
    assert freezing_queries.comparisons_of(scene.campaign) == 9
    monkeypatch.setattr(views, "MOST_PREVIEWED", 8)
    monkeypatch.setattr(views, "preview_freeze", lambda **_: pytest.fail("worked out"))
    page = rita.post(FORM, sent(preview="1")).content.decode()
    assert "makes up to 9 comparisons" in page
    assert "Preview:" not in page


def test_who_rates_in_an_open_campaign_previews_nothing(scene) -> None:
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role="researcher")
    answer = signed_in(alice).post(FORM, sent(preview="1"))
    assert answer.status_code == 422
    assert "You rate in this campaign" in answer.content.decode()
    scene.close()
    assert signed_in(alice).post(FORM, sent(preview="1")).status_code == 200


def test_the_page_of_a_freeze_polls_until_it_leads_to_the_version(scene, rita) -> None:
    row = asked(scene)
    path = f"/datasets/freezes/{row.pk}/"
    waiting = shown(rita, f"{path}progress/")
    assert 'hx-trigger="every 2s"' in waiting and "Waiting for a worker." in waiting
    assert path in shown(rita, "/datasets/")
    page = shown(rita, path)
    assert "by reference, 0.3 test, 0 validation, seed 7" in page and "all five" in page
    carry_out_freeze(row.pk)
    for address in (path, f"{path}progress/"):
        page = shown(rita, address)
        assert "hx-trigger" not in page and "Cancel freeze" not in page
        assert 'href="/datasets/trial/1/"' in page
    assert path not in shown(rita, "/datasets/")


def test_a_waiting_freeze_is_cancelled_once(unrated, rita) -> None:
    row = asked(unrated)
    path = f"/datasets/freezes/{row.pk}/cancel/"
    assert "of the freeze is done" in rita.post(path).content.decode()
    row.refresh_from_db()
    assert row.status == JobStatus.QUEUED
    for sentence in ("will stop within seconds", "has ended already"):
        assert sentence in rita.post(path, {"confirmed": "1"}, follow=True).content.decode()
    row.refresh_from_db()
    assert row.status == JobStatus.CANCELLED


def test_a_freeze_of_another_campaign_is_not_listed(unrated, cast) -> None:
    assert str(asked(unrated).pk) not in shown(signed_in(cast.rita), "/datasets/")


def test_the_api_takes_every_field_of_the_form_and_freezes_at_once(scene, rita) -> None:
    chosen = {"policy": "majority", "tie_band": 1, "split_by": "time", "test_share": 0.3}
    body = {"campaign": "trial", "criteria": [ALL_CRITERIA[4], ALL_CRITERIA[0]], **chosen}
    body["validation_share"] = 0
    for status in (201, 200):
        answer = rita.post("/api/v1/datasets/", body, content_type="application/json")
        assert answer.status_code == status, answer.content
    card = DatasetVersion.objects.get().card
    assert (card["policy"], card["tie_band"], card["split"]["by"]) == ("majority", 1.0, "time")
    assert card["policy_version"] == 2
    assert escape(OLD_MAJORITY) not in shown(rita, "/datasets/trial/1/")
    # As a version of before the rule's second version is stored.
    del card["policy_version"]
    DatasetVersion.objects.update(card=card)
    assert escape(OLD_MAJORITY) in shown(rita, "/datasets/trial/1/")
    assert set(answer.json()["labels"]) == {ALL_CRITERIA[0], ALL_CRITERIA[4]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("criteria", []), ("criteria", "all"), ("policy", 1), ("tie_band", "x")),
        *(("split_by", "item"), ("test_share", 2), ("test_share", "0.1")),
        *(("include_unlocked", value) for value in ("maybe", "true", 1, None)),
    ],
)
def test_the_api_names_the_field_of_a_mistake(rita, field, value) -> None:
    body = {"campaign": "trial", field: value}
    answer = rita.post("/api/v1/datasets/", body, content_type="application/json")
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not DatasetVersion.objects.exists()
