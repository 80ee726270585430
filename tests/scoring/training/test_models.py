"""Screens of model versions: what a card says stands there, for who may see the dataset."""

import io
import tarfile
from typing import Any

import pytest

from annotator.models import AuditEvent, Membership
from annotator.rubric import NAMES
from scoring import files as scoring_files
from scoring.models import DatasetVersion
from scoring.patclaimeval.prior import PRIOR, prior_tie_threshold
from tests.scoring.conftest import signed_in
from tests.scoring.model_builders import make_model, promote
from tests.scoring.model_rows import model_row, sealed, write_directory
from tests.scoring.training.card_builders import PROBE

pytestmark = [pytest.mark.django_db]


@pytest.fixture
def of_campaign(cast: Any, version: DatasetVersion) -> DatasetVersion:
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


def test_a_model_page_tells_its_card(cast: Any, of_campaign: DatasetVersion) -> None:
    model = model_row(of_campaign)
    page = signed_in(cast.rita).get(f"/models/{model.pk}/").content.decode()
    for words in (
        "tiny@1",
        "0.410",
        "0.20 … 0.60",
        '<abbr title="No order.">undefined</abbr>',
        "ROUGE-2",
        "cannot tell",
        "1 of 2 (50.0 %)",
        "beyond, they are repeated",
        "the epoch by tau-b on the validation items",
        'aria-label="Loss by epoch. 0.300 at epoch 1',
        "The curves as a table",
    ):
        assert words in page, words
    assert "<b>" not in page
    assert "/data/encoders" not in page


def test_the_page_of_a_probe_tells_its_weights(cast: Any, of_campaign: DatasetVersion) -> None:
    model = model_row(of_campaign, PROBE)
    page = signed_in(cast.rita).get(f"/models/{model.pk}/").content.decode()
    assert "structure 0.500, overlap 0.125" in page
    assert "0.456 [0.300, 0.600], n = 71" in page
    assert "read in English only" in page


def test_a_model_without_figures_says_so(cast: Any, of_campaign: DatasetVersion) -> None:
    model = model_row(of_campaign, {})
    page = signed_in(cast.rita).get(f"/models/{model.pk}/").content.decode()
    assert "It was not measured" in page
    assert "Not known: the model was trained before" in page
    assert "<svg" not in page


def test_the_list_the_page_and_the_api_say_which_model_is_promoted(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    plain, best = make_model(of_campaign), make_model(of_campaign)
    rita = signed_in(cast.rita)
    mark = "<strong>Promoted</strong>"
    assert mark not in rita.get("/models/").content.decode()
    promote(best, cast.ada)
    rows = rita.get("/models/").content.decode().split("<tr>")
    assert [str(best.pk) in row for row in rows if mark in row] == [True]
    pages = [rita.get(f"/models/{model.pk}/").content.decode() for model in (plain, best)]
    assert [mark in page for page in pages] == [False, True]
    told = {row["id"]: row["is_promoted"] for row in rita.get("/api/v1/models/").json()}
    assert told == {str(plain.pk): False, str(best.pk): True}
    one = rita.get(f"/api/v1/models/{best.pk}/").json()
    assert one["is_promoted"] is True


def test_the_list_tells_what_patclaimeval_0_weighs(cast: Any) -> None:
    page = signed_in(cast.rita).get("/models/").content.decode()
    section = page[page.index('id="patclaimeval-0"') :]
    for criterion, weights in PRIOR.items():
        row = section[section.index(f'<th scope="row">{NAMES[criterion]}</th>') :]
        row = row[: row.index("</tr>")]
        assert ", ".join(f"{group} {weight}" for group, weight in weights.items()) in row
        assert f"{prior_tie_threshold(criterion):.4f}" in row


def test_a_model_of_another_campaign_is_not_found(cast: Any, of_campaign: DatasetVersion) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="researcher")
    model = model_row(of_campaign)
    assert signed_in(cast.mallory).get(f"/models/{model.pk}/").status_code == 404


def test_an_admin_downloads_the_directory_and_a_researcher_does_not(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    model = model_row(of_campaign)
    directory = scoring_files.models_directory() / model.directory
    model.manifest_sha256 = write_directory(directory, {"config.json": b"{}"})
    sealed(model)
    path = f"/models/{model.pk}/download/"
    assert signed_in(cast.rita).get(path).status_code == 403
    assert path not in signed_in(cast.rita).get(f"/models/{model.pk}/").content.decode()
    assert not AuditEvent.objects.filter(action="model.exported").exists()
    ada = signed_in(cast.ada)
    assert path in ada.get(f"/models/{model.pk}/").content.decode()
    answer: Any = ada.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-tar")
    assert answer["Content-Disposition"].startswith('attachment; filename="patclaimeval-tiny-1-')
    with tarfile.open(fileobj=io.BytesIO(answer.getvalue())) as opened:
        assert len(opened.getnames()) == 2
    (directory / "config.json").write_bytes(b"[]")
    answer = ada.get(path)
    assert answer.status_code == 422
    assert "config.json of the model was changed" in answer.content.decode()


def test_an_admin_of_another_campaign_finds_no_download(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="admin")
    model = model_row(of_campaign)
    assert signed_in(cast.mallory).get(f"/models/{model.pk}/download/").status_code == 404


def test_who_is_admin_only_elsewhere_does_not_download(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    Membership.objects.create(user=cast.rita, campaign=cast.elsewhere, role="admin")
    model = model_row(of_campaign)
    answer = signed_in(cast.rita).get(f"/models/{model.pk}/download/")
    assert answer.status_code == 403
    assert "Only admins of the campaign" in answer.content.decode()
