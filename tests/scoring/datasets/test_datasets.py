"""The list of versions and the page of one: facts, figures, files, licence, uses."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from annotator.models import AuditEvent, Membership
from scoring.datasets.freezing.imports import import_dataset
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.reports.services import request_report
from tests.scoring.conftest import FrozenScene, signed_in

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"


def shown(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content.decode()


@pytest.fixture
def version(scene: FrozenScene) -> DatasetVersion:
    return scene.freeze()


def test_the_page_puts_labels_beside_the_published_ones(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    answer = signed_in(scene.rita).get("/datasets/room/1/")
    page, html = answer.context["page"], answer.content.decode()
    assert [line.name for line in page.labels][0] == "Feature completeness"
    for line, counts in zip(page.labels, version.card["labels"].values(), strict=True):
        assert line.counts == (counts["1"], counts["0"], counts["-1"])
    assert page.labels[0].published == (426, 375, 427)
    assert page.labels[0].published_ties == "30.5 %"
    assert html.count("<svg") == 12
    assert "style=" not in html


def test_plots_have_text_for_who_does_not_see_them(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    page = shown(signed_in(scene.rita), "/datasets/room/1/")
    assert page.count('role="img"') == page.count("<svg")
    counts = version.card["labels"][CRITERION]
    said = f"B better {counts['1']}; equal {counts['0']}; C better {counts['-1']}"
    assert f'aria-label="Labels for Feature completeness. {said}"' in page


def test_numbers_of_a_plot_have_a_point_whatever_the_language(
    scene: FrozenScene, version: DatasetVersion, settings: Any
) -> None:
    settings.LANGUAGE_CODE = "de"
    page = shown(signed_in(scene.rita), "/datasets/room/1/")
    assert re.search(r'<rect [^>]*width="\d+\.\d', page)
    assert not re.search(r'(x|y|width|height)="\d+,\d', page)


def test_how_many_ratings_each_gave_is_shown_of_three_or_more(scene: FrozenScene) -> None:
    scene.freeze()
    plot = signed_in(scene.rita).get("/datasets/room/1/").context["people_plot"]
    assert sorted(bar.title for bar in plot.bars) == [f"{n}: 9 ratings" for n in (1, 2, 3)]


def test_how_many_ratings_each_gave_is_not_shown_of_two(rated: Callable[..., Any]) -> None:
    from tests.conftest import grant, make_user

    scenario = rated(3)
    scenario.rate_all(range(3))
    scene = FrozenScene(scenario, *(grant(make_user("ada"), scenario.campaign, "admin"),) * 2)
    scene.freeze()
    answer = signed_in(scene.ada).get("/datasets/room/1/")
    assert answer.context["people_plot"] is None
    assert "Ratings by annotator" not in answer.content.decode()


def test_models_reports_and_other_versions_are_named(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    other = scene.freeze(tie_band=9.0)
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    model = ModelVersion.objects.create(
        run=run,
        criterion=CRITERION,
        directory="m",
        manifest_sha256="0" * 64,
        dataset_sha256=version.sha256,
        code_version="1",
        card={},
    )
    report = request_report(version=version, criterion=CRITERION, scorers=["length"], split="all")
    page = shown(signed_in(scene.rita), "/datasets/room/1/")
    assert f"/models/{model.pk}/" in page and f"/reports/{report.pk}/" in page
    assert f"/datasets/room/{other.number}/" in page
    assert f"/datasets/compare/?one={other}&amp;other={version}" in page
    page = shown(signed_in(scene.rita), "/datasets/room/2/")
    assert f"/models/{model.pk}/" not in page and f"/reports/{report.pk}/" not in page


def test_every_download_that_the_page_offers_comes(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    ada = signed_in(scene.ada)
    page = shown(ada, "/datasets/room/1/")
    links = [part.split('"')[0] for part in page.split('href="')[1:] if "/card/" in part[:60]]
    assert len(links) == 3
    context = ada.get("/datasets/room/1/").context
    links += [
        f"/datasets/room/1/export/?format={name}&split={split}&gzip=1"
        for name in context["formats"]
        for split in context["splits"]
    ]
    for link in links:
        answer = ada.get(link.replace("&amp;", "&"))
        assert answer.status_code == 200, link
        assert b"".join(answer), urlsplit(link).query


def test_a_researcher_is_offered_cards_and_no_rows_and_no_licence(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    page = shown(signed_in(scene.rita), "/datasets/room/1/")
    assert "/datasets/room/1/card/" in page
    assert "/datasets/room/1/export/" not in page and "/licence/" not in page


def test_an_admin_says_the_licence(scene: FrozenScene, version: DatasetVersion) -> None:
    ada = signed_in(scene.ada)
    answer = ada.post("/datasets/room/1/licence/", {"licence": "CC BY 4.0"})
    assert (answer.status_code, answer["Location"]) == (303, "/datasets/room/1/")
    assert "<dd>CC BY 4.0</dd>" in shown(ada, "/datasets/room/1/")
    event = AuditEvent.objects.get(action="dataset.licence_set")
    assert (event.actor, event.object_id) == (scene.ada, str(version.pk))


def test_a_licence_that_is_none_is_refused_at_its_field(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    ada = signed_in(scene.ada)
    for said in ("", " ", "x" * 201, "two\nlines"):
        answer = ada.post("/datasets/room/1/licence/", {"licence": said})
        assert answer.status_code == 422, said
        assert 'id="id_licence_error"' in answer.content.decode()
    version.refresh_from_db()
    assert version.licence == ""


def test_nobody_else_says_the_licence(
    scene: FrozenScene, version: DatasetVersion, cast: Any
) -> None:
    said = {"licence": "CC BY 4.0"}
    assert signed_in(scene.rita).post("/datasets/room/1/licence/", said).status_code == 403
    assert signed_in(cast.ada).post("/datasets/room/1/licence/", said).status_code == 404
    version.refresh_from_db()
    assert version.licence == ""


def test_names_of_imported_files_are_for_admins(
    scene: FrozenScene, rows: Callable[..., list[DatasetRow]], data_directory: Path
) -> None:
    tiny = import_dataset(
        name="tiny", rows=rows(), plan=SplitPlan("file"), campaign=scene.campaign
    ).version
    tiny.card["files"] = [{"name": "client-x.json", "sha256": "0" * 64, "bytes": 1}]
    tiny.save()
    assert "client-x.json" in shown(signed_in(scene.ada), "/datasets/tiny/1/")
    assert "client-x.json" not in shown(signed_in(scene.rita), "/datasets/tiny/1/")


def test_a_card_of_an_older_version_is_shown_as_far_as_it_goes(
    scene: FrozenScene, version: DatasetVersion
) -> None:
    for key in ("tokens", "claims_per_set", "agreement", "people", "transitivity", "criteria"):
        version.card.pop(key, None)
    version.save()
    page = shown(signed_in(scene.rita), "/datasets/room/1/")
    assert "Feature completeness" in page and "not known" in page
    assert "Lengths" not in page


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_the_api_shows_no_labels_to_who_rates_in_the_open_campaign(
    scene: FrozenScene, version: DatasetVersion, role: str
) -> None:
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role=role)
    body = {"campaign": "room", "test_share": 0.3, "validation_share": 0, "seed": 7}
    for is_open in (True, False):
        for client, is_told in ((signed_in(alice), not is_open), (signed_in(scene.rita), True)):
            (listed,) = client.get("/api/v1/datasets/").json()
            one = client.get("/api/v1/datasets/room/versions/1/").json()
            made = client.post("/api/v1/datasets/", body, content_type="application/json")
            # Whether and what a freeze gives would tell, too.
            assert made.status_code == (200 if is_told else 403)
            for words in (listed, one, *([made.json()] if is_told else [])):
                assert bool(words["labels"]) is is_told
                assert words["items"] == (9 if is_told else None)
        scene.close()


def test_the_list_is_paged(
    scene: FrozenScene, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.datasets.freezing.views.VERSIONS_A_PAGE", 1)
    scene.freeze(tie_band=9.0)
    rita = signed_in(scene.rita)
    assert "room@2" in shown(rita, "/datasets/") and "room@1" not in shown(rita, "/datasets/")
    assert "room@1" in shown(rita, "/datasets/?page=2")
