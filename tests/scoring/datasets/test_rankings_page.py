import re

import pytest
from django.test import Client

from annotator.models import Campaign, CampaignStatus, Shown, Unblinding
from patclaimeval.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.datasets.versions.rankings import NO_CAMPAIGN
from scoring.models import DatasetVersion
from tests.conftest import grant
from tests.plot_files import saved_plots
from tests.scoring.conftest import FrozenScene, shown, signed_in

pytestmark = [pytest.mark.django_db]
PAGE = "/datasets/trial/1/ranking/"
VERSION = "/datasets/trial/1/"


@pytest.fixture(autouse=True)
def version(scene: FrozenScene) -> DatasetVersion:
    scene.scenario.name_systems()
    return scene.freeze()


@pytest.fixture
def rita(scene: FrozenScene) -> Client:
    return signed_in(scene.rita)


def test_systems_stay_hidden_while_the_campaign_is_open(scene, rita) -> None:
    for client in (signed_in(scene.ada), rita):
        page = shown(client, PAGE)
        assert "stays hidden until the campaign" in page
        for word in ("ash", "birch", "Strength", "Mean rating"):
            assert word not in page
        assert PAGE not in shown(client, VERSION)
    assert not Unblinding.objects.exists()


def test_who_rates_there_is_refused_while_it_is_open(scene) -> None:
    both = signed_in(grant(scene.people["alice"], scene.campaign, "researcher"))
    assert "Hidden while you rate here" in shown(both, PAGE, 403)
    scene.close()
    assert "birch" in shown(both, PAGE)


def test_a_closed_campaign_shows_both_rankings_on_record_until_it_is_reopened(scene, rita) -> None:
    scene.close()
    page = shown(rita, PAGE)
    for word in ("ash", "birch", "cedar", "Share won", "Mean rating", "overall quality"):
        assert word in page
    assert PAGE in shown(rita, VERSION)
    row = Unblinding.objects.get()
    assert (row.user, row.shown) == (scene.rita, Shown.SYSTEMS)
    Campaign.objects.update(status=CampaignStatus.OPEN)
    assert "birch" not in shown(rita, PAGE)


def test_rankings_are_drawn_and_their_plots_saved(scene, rita) -> None:
    assert "stays hidden" in shown(rita, f"{PAGE}?plot=mean-rating-of-systems")
    scene.close()
    page = shown(rita, PAGE)
    assert 'aria-label="Mean rating of systems. mean rating with 95 % intervals: ' in page
    files = saved_plots(rita, PAGE)
    assert {"share-won-of-systems.svg", "mean-rating-of-systems.svg"} == files.keys()
    assert "birch" in [
        text.text for text in files["mean-rating-of-systems.svg"].iter() if text.text
    ]


def chosen(page: str, name: str) -> str:
    """The words of the option that a browser shows in a menu: the selected one, else the first."""
    menu = page.split(f'name="{name}"')[1].split("</select>", maxsplit=1)[0]
    options = re.findall(r"<option([^>]*)>([^<]*)", menu)
    return next((words for more, words in options if "selected" in more), options[0][1])


def test_the_menu_names_the_criterion_of_the_table(scene, rita) -> None:
    scene.freeze(criteria=ALL_CRITERIA[1:3])
    scene.close()
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


def test_a_criterion_that_is_none_is_refused(scene, rita) -> None:
    scene.close()
    page = shown(rita, f"{PAGE}?criterion=beauty", 422)
    assert "birch" not in page
    assert "Select a valid choice" in page


def test_a_damaged_file_is_refused_and_shows_nothing(scene, rita, version) -> None:
    scene.close()
    scoring_files.dataset_path(version.sha256).write_bytes(b"")
    answer = rita.get(PAGE)
    assert answer.status_code >= 400
    assert "birch" not in answer.content.decode()


def test_of_an_imported_dataset_no_system_is_known(rita, version) -> None:
    version.dataset.campaign = None
    version.dataset.save()
    assert NO_CAMPAIGN in shown(rita, PAGE)
