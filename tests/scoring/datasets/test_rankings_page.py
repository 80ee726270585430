"""The page of a ranking: hidden while the campaign is open, on record once systems are shown."""

import re

import pytest
from django.test import Client

from annotator.models import Campaign, CampaignStatus, Shown, Unblinding
from annotator.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.datasets.versions.rankings import NO_CAMPAIGN
from scoring.models import DatasetVersion
from tests.conftest import grant, make_user
from tests.scoring.conftest import FrozenScene, signed_in

pytestmark = [pytest.mark.django_db]
PAGE = "/datasets/room/1/ranking/"
VERSION = "/datasets/room/1/"


@pytest.fixture
def version(scene: FrozenScene) -> DatasetVersion:
    scene.scenario.name_systems()
    return scene.freeze()


def shown(client: Client, path: str = PAGE, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return answer.content.decode()


@pytest.mark.usefixtures("version")
def test_systems_stay_hidden_while_the_campaign_is_open(scene: FrozenScene) -> None:
    for user in (scene.ada, scene.rita):
        page = shown(signed_in(user))
        assert "stays hidden until the campaign" in page
        for word in ("ash", "birch", "Strength", "Mean rating"):
            assert word not in page
        assert PAGE not in shown(signed_in(user), VERSION)


@pytest.mark.usefixtures("version")
def test_who_rates_there_is_refused_while_it_is_open(scene: FrozenScene) -> None:
    both = grant(scene.people["alice"], scene.campaign, "researcher")
    assert "Not while you rate here" in shown(signed_in(both), status=403)
    scene.close()
    assert "birch" in shown(signed_in(both))


@pytest.mark.usefixtures("version")
def test_a_closed_campaign_shows_both_rankings(scene: FrozenScene) -> None:
    scene.close()
    page = shown(signed_in(scene.rita))
    for word in ("ash", "birch", "cedar", "Share won", "Mean rating", "overall quality"):
        assert word in page
    assert PAGE in shown(signed_in(scene.rita), VERSION)
    other = shown(signed_in(scene.rita), f"{PAGE}?criterion=logical_linkage")
    assert "By ratings, logical linkage" in other


@pytest.mark.usefixtures("version")
def test_a_reopened_campaign_hides_them_again(scene: FrozenScene) -> None:
    scene.close()
    shown(signed_in(scene.rita))
    campaign = scene.campaign
    campaign.status = CampaignStatus.OPEN
    campaign.save()
    assert "birch" not in shown(signed_in(scene.rita))


@pytest.mark.usefixtures("version")
def test_that_systems_were_shown_goes_on_record(scene: FrozenScene) -> None:
    client = signed_in(scene.rita)
    shown(client)
    assert not Unblinding.objects.exists()
    scene.close()
    shown(client)
    (row,) = Unblinding.objects.all()
    assert (row.user, row.shown) == (scene.rita, Shown.SYSTEMS)


def chosen(page: str, name: str) -> str:
    """The words of the option that a browser shows in a menu: the selected one, else the first."""
    menu = page.split(f'name="{name}"')[1].split("</select>", maxsplit=1)[0]
    options = re.findall(r"<option([^>]*)>([^<]*)", menu)
    return next((words for more, words in options if "selected" in more), options[0][1])


@pytest.mark.usefixtures("version")
def test_the_menu_names_the_criterion_of_the_table(scene: FrozenScene) -> None:
    scene.freeze(criteria=ALL_CRITERIA[1:3])
    scene.close()
    rita = signed_in(scene.rita)
    for path, shown_criterion in (
        (PAGE, "Overall quality"),
        (f"{PAGE}?criterion=", "Overall quality"),
        (f"{PAGE}?criterion=logical_linkage", "Logical linkage"),
        (f"{PAGE}?page=2", "Overall quality"),
        (PAGE.replace("/1/", "/2/"), "Conceptual clarity"),
    ):
        page = shown(rita, path)
        assert chosen(page, "criterion") == shown_criterion, path
        assert f"By ratings, {shown_criterion.lower()}</h2>" in page


@pytest.mark.usefixtures("version")
def test_a_criterion_that_is_none_is_refused_with_a_message(scene: FrozenScene) -> None:
    scene.close()
    page = shown(signed_in(scene.rita), f"{PAGE}?criterion=beauty", status=422)
    assert "birch" not in page
    assert "Select a valid choice" in page


def test_a_damaged_file_is_reported_and_nothing_shown(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    scene.close()
    scoring_files.dataset_path(version.sha256).write_bytes(b"")
    answer = signed_in(scene.rita).get(PAGE)
    assert answer.status_code >= 400
    assert "birch" not in answer.content.decode()


@pytest.mark.usefixtures("version")
def test_who_may_not_see_the_dataset_finds_no_ranking(scene: FrozenScene) -> None:
    scene.close()
    shown(signed_in(scene.people["bob"]), status=403)
    elsewhere = Campaign.objects.create(slug="elsewhere", name="elsewhere")
    stranger = grant(make_user("stranger"), elsewhere, "researcher")
    shown(signed_in(stranger), status=404)


def test_an_imported_dataset_says_that_no_system_is_known(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    version.dataset.campaign = None
    version.dataset.save()
    assert NO_CAMPAIGN in shown(signed_in(scene.rita))
