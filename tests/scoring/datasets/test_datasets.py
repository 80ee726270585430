import re

import pytest

from annotator.models import AuditEvent, Membership
from scoring.models import DatasetVersion
from scoring.reports.services import ask_for_report
from tests.scoring.conftest import FrozenScene, imported, shown, signed_in
from tests.scoring.model_rows import model_row

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"
PAGE = "/datasets/trial/1/"


@pytest.fixture
def version(scene: FrozenScene) -> DatasetVersion:
    return scene.freeze()


def test_the_page_puts_labels_beside_the_published_ones(scene, version) -> None:
    answer = signed_in(scene.rita).get(PAGE)
    page, html = answer.context["page"], answer.content.decode()
    first = page["labels"][0]
    assert first["name"] == "Feature completeness"
    for line, counts in zip(page["labels"], version.card["labels"].values(), strict=True):
        assert line["counts"] == (counts["1"], counts["0"], counts["-1"])
    assert first["published_plot"].description == "B better 426; equal 375; C better 427"
    assert first["published_ties"] == "30.5 %"
    assert html.count("<svg") == html.count('role="img"') == 12
    assert "style=" not in html
    counts = version.card["labels"][CRITERION]
    words = f"B better {counts['1']}; equal {counts['0']}; C better {counts['-1']}"
    assert f'aria-label="Labels for Feature completeness. {words}"' in html


def test_counts_stand_under_their_own_headings_whatever_the_order_of_keys(scene, version) -> None:
    # The order of keys that PostgreSQL gives back.
    version.card["labels"] = {CRITERION: {"0": 22, "1": 11, "-1": 33}}
    version.save()
    page = shown(signed_in(scene.rita), PAGE)
    places = [page.index(f'<td class="number">{count}</td>') for count in (11, 22, 33)]
    assert places == sorted(places)


def test_numbers_of_a_plot_have_a_point_whatever_the_language(scene, version, settings) -> None:
    settings.LANGUAGE_CODE = "de"
    page = shown(signed_in(scene.rita), PAGE)
    assert re.search(r'<rect [^>]*width="\d+\.\d', page)
    assert not re.search(r'(x|y|width|height)="\d+,\d', page)


def test_how_many_ratings_each_gave_is_shown_of_three_or_more(scene, version) -> None:
    plot = signed_in(scene.rita).get(PAGE).context["people_plot"]
    assert sorted(bar.title for bar in plot.bars) == [f"{n}: 9 ratings" for n in (1, 2, 3)]


def test_how_many_ratings_each_gave_is_not_shown_of_two(scene_of_two) -> None:
    scene_of_two.freeze()
    answer = signed_in(scene_of_two.ada).get(PAGE)
    assert answer.context["people_plot"] is None
    assert "Ratings by annotator" not in answer.content.decode()


def test_models_reports_and_other_versions_are_named(scene, version) -> None:
    other, model = scene.freeze(tie_band=9.0), model_row(version)
    report = ask_for_report(
        version=version, criterion=CRITERION, scorers=["length"], split="all"
    ).report
    page, page_of_other = (
        shown(signed_in(scene.rita), f"/datasets/trial/{number}/") for number in (1, other.number)
    )
    for link in (f"/models/{model.pk}/", f"/reports/{report.pk}/"):
        assert link in page and link not in page_of_other
    assert f"/datasets/trial/{other.number}/" in page
    assert f"/datasets/compare/?one={other}&amp;other={version}" in page


def test_every_download_that_the_page_offers_comes(scene, version) -> None:
    ada = signed_in(scene.ada)
    answer = ada.get(PAGE)
    cards = re.findall(r'href="([^"]*/card/[^"]*)"', answer.content.decode())
    assert len(cards) == 3
    exports = [
        f"{PAGE}export/?format={name}&split={split}&gzip=1"
        for name in answer.context["formats"]
        for split in answer.context["splits"]
    ]
    for link in [*cards, *exports]:
        answer = ada.get(link.replace("&amp;", "&"))
        assert answer.status_code == 200, link
        assert b"".join(answer), link


def test_a_researcher_is_offered_cards_and_no_rows_and_no_licence(scene, version) -> None:
    page = shown(signed_in(scene.rita), PAGE)
    assert f"{PAGE}card/" in page
    assert f"{PAGE}export/" not in page and "/licence/" not in page


def test_an_admin_sets_the_licence_and_nobody_else(scene, version) -> None:
    ada, sent = signed_in(scene.ada), {"licence": "CC BY 4.0"}
    assert signed_in(scene.rita).post(f"{PAGE}licence/", sent).status_code == 403
    for licence in ("", "two\nlines"):
        refused = ada.post(f"{PAGE}licence/", {"licence": licence})
        assert refused.status_code == 422
        assert 'id="id_licence_error"' in refused.content.decode()
    version.refresh_from_db()
    assert version.licence == ""
    answer = ada.post(f"{PAGE}licence/", sent)
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    assert "<dd>CC BY 4.0</dd>" in shown(ada, PAGE)
    assert AuditEvent.objects.get(action="dataset.licence_set").actor == scene.ada


def test_names_of_imported_files_are_for_admins(scene, rows) -> None:
    tiny = imported("tiny", rows(), campaign=scene.campaign)
    tiny.card["files"] = [{"name": "client-x.json", "sha256": "0" * 64, "bytes": 1}]
    tiny.save()
    for path in ("", "card/", "card/?format=card-md"):
        assert "client-x" in shown(signed_in(scene.ada), f"/datasets/tiny/1/{path}")
        assert "client-x" not in shown(signed_in(scene.rita), f"/datasets/tiny/1/{path}")


def test_a_card_of_an_older_version_is_shown_as_far_as_it_goes(scene, version) -> None:
    for key in ("tokens", "claims_per_set", "agreement", "people", "transitivity", "criteria"):
        version.card.pop(key, None)
    version.save()
    page = shown(signed_in(scene.rita), PAGE)
    assert "Feature completeness" in page and "not known" in page
    assert "Lengths" not in page


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_the_api_gives_no_labels_to_who_rates_in_the_open_campaign(scene, version, role) -> None:
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role=role)
    body = {"campaign": "trial", "test_share": 0.3, "validation_share": 0, "seed": 7}
    for is_open in (True, False):
        for client, is_shown in ((signed_in(alice), not is_open), (signed_in(scene.rita), True)):
            (listed,) = client.get("/api/v1/datasets/").json()
            one = client.get("/api/v1/datasets/trial/versions/1/").json()
            made = client.post("/api/v1/datasets/", body, content_type="application/json")
            # Whether and what a freeze gives would tell, too.
            assert made.status_code == (200 if is_shown else 403)
            for words in (listed, one, *([made.json()] if is_shown else [])):
                assert bool(words["labels"]) is is_shown
                assert words["items"] == (9 if is_shown else None)
        scene.close()


def test_the_list_is_paged(scene, version, monkeypatch) -> None:
    monkeypatch.setattr("scoring.datasets.freezing.views.VERSIONS_A_PAGE", 1)
    scene.freeze(tie_band=9.0)
    rita = signed_in(scene.rita)
    assert "trial@2" in shown(rita, "/datasets/") and "trial@1" not in shown(rita, "/datasets/")
    assert "trial@1" in shown(rita, "/datasets/?page=2")
