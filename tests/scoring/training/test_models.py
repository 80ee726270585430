import io
import tarfile
from typing import Any

import pytest

from annotator.models import AuditEvent, Membership
from patclaimeval.models.prior import PRIOR, prior_tie_threshold
from patclaimeval.rubric import NAMES
from scoring import files as scoring_files
from tests.scoring.conftest import shown
from tests.scoring.model_builders import make_model, promote
from tests.scoring.model_rows import model_row, sealed, write_directory
from tests.scoring.training.card_builders import PROBE

pytestmark = [pytest.mark.django_db]


def test_a_model_page_holds_its_card(rita, of_campaign) -> None:
    page = shown(rita, f"/models/{model_row(of_campaign).pk}/")
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


def test_the_page_of_a_probe_holds_its_weights(rita, of_campaign) -> None:
    page = shown(rita, f"/models/{model_row(of_campaign, PROBE).pk}/")
    assert "structure 0.500, overlap 0.125" in page
    assert "0.456 [0.300, 0.600], n = 71" in page
    assert "read in English only" in page


def test_a_model_without_figures_has_words_instead(rita, of_campaign) -> None:
    page = shown(rita, f"/models/{model_row(of_campaign, {}).pk}/")
    assert "Not measured" in page
    assert "Unknown: the model was trained before" in page
    assert "<svg" not in page


def test_the_list_the_page_and_the_api_mark_the_promoted_model(cast, rita, of_campaign) -> None:
    plain, best = make_model(of_campaign), make_model(of_campaign)
    mark = "<strong>Promoted</strong>"
    assert mark not in shown(rita, "/models/")
    promote(best, cast.ada)
    rows = shown(rita, "/models/").split("<tr>")
    assert [str(best.pk) in row for row in rows if mark in row] == [True]
    pages = [shown(rita, f"/models/{model.pk}/") for model in (plain, best)]
    assert [mark in page for page in pages] == [False, True]
    listed = {row["id"]: row["is_promoted"] for row in rita.get("/api/v1/models/").json()}
    assert listed == {str(plain.pk): False, str(best.pk): True}
    assert rita.get(f"/api/v1/models/{best.pk}/").json()["is_promoted"] is True


def test_the_list_tells_what_patclaimeval_0_weighs(rita) -> None:
    page = shown(rita, "/models/")
    section = page[page.index('id="patclaimeval-0"') :]
    for criterion, weights in PRIOR.items():
        row = section[section.index(f'<th scope="row">{NAMES[criterion]}</th>') :]
        row = row[: row.index("</tr>")]
        assert ", ".join(f"{group} {weight}" for group, weight in weights.items()) in row
        assert f"{prior_tie_threshold(criterion):.4f}" in row


def test_an_admin_of_the_campaign_downloads_the_directory_and_a_researcher_does_not(
    cast, rita, ada, of_campaign
) -> None:
    model = model_row(of_campaign)
    directory = scoring_files.models_directory() / model.directory
    model.manifest_sha256 = write_directory(directory, {"config.json": b"{}"})
    sealed(model)
    page, path = f"/models/{model.pk}/", f"/models/{model.pk}/download/"
    # Nor does being an admin elsewhere help.
    Membership.objects.create(user=cast.rita, campaign=cast.elsewhere, role="admin")
    assert "Only admins of the campaign" in shown(rita, path, 403)
    assert path not in shown(rita, page)
    assert not AuditEvent.objects.filter(action="model.exported").exists()
    assert path in shown(ada, page)
    answer: Any = ada.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-tar")
    assert answer["Content-Disposition"].startswith('attachment; filename="patclaimeval-tiny-1-')
    with tarfile.open(fileobj=io.BytesIO(answer.getvalue())) as opened:
        assert len(opened.getnames()) == 2
    (directory / "config.json").write_bytes(b"[]")
    assert "config.json of the model was changed" in shown(ada, path, 422)
