"""What moved the encoders of a report for one of its items, and what of that a person reads."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from annotator.models import AuditEvent
from patclaimeval.models.occlusion import Occlusion, explain_by_occlusion, occlude
from patclaimeval.models.scorer import load_scorer
from scoring import files as scoring_files
from scoring.datasets.texts.services import permit_texts
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, ScoreRequest
from scoring.quadruplets import DatasetRow
from scoring.scores.services import carry_out_scores
from tests.conftest import Cast, grant
from tests.scoring.asked_reports import carried_out, request
from tests.scoring.conftest import dataset_rows, imported, listing_rows, shown, signed_in
from tests.scoring.model_builders import train_tiny

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(data_directory: Path, db: None) -> DatasetVersion:
    return imported("listing", listing_rows(dataset_rows()))


@pytest.fixture
def encoder(listing: DatasetVersion, tiny_encoder: Path) -> ModelVersion:
    return train_tiny(listing, tiny_encoder)


@pytest.fixture
def report(cast: Cast, listing: DatasetVersion, encoder: ModelVersion) -> AgreementReport:
    return carried_out(request(listing, f"model:{encoder.pk}", "patclaimeval-0"))


@pytest.fixture
def of_the_campaign(cast: Cast, report: AgreementReport) -> AgreementReport:
    report.dataset_version.dataset.campaign = cast.campaign
    report.dataset_version.dataset.save()
    return report


def asked(client: Client, report: AgreementReport, scorer: str, place: int = 2) -> Any:
    return client.post(f"/reports/{report.pk}/items/{place}/why/?sort=number", {"scorer": scorer})


def section(client: Client, report: AgreementReport, place: int = 2) -> str:
    page = shown(client, f"/reports/{report.pk}/items/{place}/")
    return page.partition('<section id="moved"')[2].partition('<section id="lineage"')[0]


def expected(model: ModelVersion, row: DatasetRow) -> Occlusion:
    scorer = load_scorer(scoring_files.models_directory() / model.directory)
    texts = occlude(row.reference, [row.b, row.c])
    found = dict(zip(texts.pairs, scorer.score(texts.pairs), strict=True))
    return explain_by_occlusion(texts, found, "BC")


def test_it_is_asked_for_found_out_and_then_there_for_everybody(
    rita, ada, cast, report, encoder
) -> None:
    scorer = f"model:{encoder.pk}"
    before = section(rita, report)
    assert f'name="scorer" value="{scorer}"' in before
    assert "hx-get" not in before
    answer = asked(rita, report, scorer)
    assert answer.status_code == 303
    assert answer["Location"].startswith(f"/reports/{report.pk}/items/2/?")
    assert answer["Location"].endswith("&sort=number#moved")
    waiting = section(rita, report)
    assert f'hx-get="/reports/{report.pk}/items/2/why/?' in waiting
    assert "Waiting for a worker." in waiting and "<button" not in waiting
    assert "Waiting for a worker." not in section(ada, report)
    row = ScoreRequest.objects.get()
    assert (row.reference_text, row.candidate_texts, row.row_number) == ("", [], 2)
    carry_out_scores(row.pk)
    polled = shown(rita, f"/reports/{report.pk}/items/2/why/")
    assert "hx-get" not in polled and "<h1" not in polled
    found = expected(encoder, listing_rows(dataset_rows())[1])
    assert len(found.moves) > 5
    for page in (polled, section(rita, report), section(ada, report)):
        assert "What moved the score of candidate B beside candidate C" in page
        assert f"The difference of the scores is {found.whole:+.3f}." in page
        for move in found.moves:
            assert f"{found.sentence(move)[1:]}: <q>" in page
    assert "<q>a pump connected to the housing;</q>" in polled
    ScoreRequest.objects.update(occluded_scores=None)
    assert "its scores are not known any more" in section(rita, report)
    # PatClaimEval-0 stands in its own section, as before.
    assert "PatClaimEval-0: Why candidate B" in shown(rita, f"/reports/{report.pk}/items/2/")
    assert "Leave out each limitation" in section(rita, report, 3)


def test_without_permission_for_the_texts_there_are_positions_alone(
    cast, of_the_campaign, encoder
) -> None:
    rita, ada = signed_in(cast.rita), signed_in(cast.ada)
    assert asked(rita, of_the_campaign, f"model:{encoder.pk}").status_code == 303
    row = ScoreRequest.objects.get()
    carry_out_scores(row.pk)
    for path in ("", "why/"):
        page = shown(rita, f"/reports/{of_the_campaign.pk}/items/2/{path}")
        assert "Without limitation 2 of claim 1 of candidate B" in page
        assert "matched with limitation" in page
        assert "<q>" not in page and "housing" not in page and "pump" not in page
        assert "<q>a " in shown(ada, f"/reports/{of_the_campaign.pk}/items/2/{path}")
    # Nor through the request, which is no page of scores.
    assert rita.get(f"/score/{row.pk}/").status_code == 404
    assert rita.get(f"/api/v1/score/{row.pk}/").status_code == 404
    act = AuditEvent.objects.get(action="scores.requested")
    assert (act.actor, act.campaign) == (cast.rita, cast.campaign)
    assert (act.details["row"], act.details["candidates"]) == (2, 2)
    permit_texts(
        version=of_the_campaign.dataset_version,
        person=cast.rita,
        reason="x",
        permitted_by=cast.ada,
    )
    assert "<q>a " in shown(rita, f"/reports/{of_the_campaign.pk}/items/2/")


def test_who_judges_meanwhile_neither_asks_nor_sees(cast, of_the_campaign, encoder) -> None:
    grant(cast.rita, cast.campaign, "adjudicator")
    rita = signed_in(cast.rita)
    assert asked(rita, of_the_campaign, f"model:{encoder.pk}").status_code == 403
    shown(rita, f"/reports/{of_the_campaign.pk}/items/2/why/", 403)
    assert not ScoreRequest.objects.exists()


@pytest.mark.parametrize("scorer", ["", "bleu-1", "patclaimeval-0", "model:x"])
def test_what_is_no_encoder_of_the_report_is_refused(rita, report, scorer) -> None:
    answer = rita.post(f"/reports/{report.pk}/items/2/why/", {"scorer": scorer}, follow=True)
    assert "Choose a fine-tuned model of this report." in answer.content.decode()
    assert not ScoreRequest.objects.exists()


def test_there_are_no_items_beyond_those_of_the_report(rita, report, encoder) -> None:
    for place in (0, 19):
        assert asked(rita, report, f"model:{encoder.pk}", place).status_code == 404
        assert rita.get(f"/reports/{report.pk}/items/{place}/why/").status_code == 404


def test_what_failed_is_said_and_can_be_asked_again(rita, report, encoder, listing) -> None:
    asked(rita, report, f"model:{encoder.pk}")
    directory = scoring_files.models_directory() / encoder.directory
    directory.rename(directory.with_name("elsewhere"))
    carry_out_scores(ScoreRequest.objects.get().pk)
    assert ScoreRequest.objects.get().status == "failed"
    page = section(rita, report)
    assert f"It was not found out. {escape(ScoreRequest.objects.get().message)}" in page
    assert "Leave out each limitation" in page


def test_a_report_without_encoders_says_nothing_of_them(rita, cast, listing) -> None:
    plain = carried_out(request(listing, "patclaimeval-0", "length"))
    assert "What moved" not in shown(rita, f"/reports/{plain.pk}/items/2/")
