from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.models import ScoreRequest, TrainingRun
from scoring.scores.services import carry_out_scores
from tests.claims_in_languages import GERMAN
from tests.conftest import grant
from tests.scoring.conftest import signed_in
from tests.scoring.model_builders import know, make_model, promote

pytestmark = pytest.mark.django_db
REFERENCE, PUMP, LEVER = "1. A housing.\n2. A lid.", "1. A pump.", "1. A lever."
SENT = {"reference": REFERENCE, "candidate_1": PUMP, "candidate_2": LEVER}


def post(client: Client, **sent: str) -> Any:
    return client.post(reverse("scoring:score"), sent)


def test_known_scores_stand_on_the_page_with_the_error_of_the_model(rita, model) -> None:
    know(model, REFERENCE, {PUMP: 0.75, LEVER: 0.7})
    # A browser sends the line ends of a text as CR LF.
    answer = post(rita, **SENT | {"reference": REFERENCE.replace("\n", "\r\n")})
    assert answer.status_code == 302
    page = rita.get(answer["Location"]).content.decode()
    assert "0.750" in page
    # Of all five: the model's threshold is 0.1, and those of PatClaimEval-0 are smaller.
    assert page.count("tied for best") == 2
    assert page.count('class="place">best<') == 4
    assert "references it may have seen: tau-b 0.50, n = 12" in page
    assert page.count("PatClaimEval-0") == 4
    assert page.count("trained on no label; a report says how far it agrees with yours") == 4
    assert "1. A lever." in page
    assert "hx-get" not in page


def test_the_best_candidate_is_marked_where_no_other_is_within_the_threshold(rita, model) -> None:
    know(model, REFERENCE, {PUMP: 0.75, LEVER: 0.25})
    page = rita.get(post(rita, **SENT)["Location"]).content.decode()
    assert page.count('class="place">best<') == 5
    assert "tied" not in page


def test_an_unknown_pair_is_polled_until_a_worker_was_there(rita, model) -> None:
    address = post(rita, **SENT)["Location"]
    page = rita.get(address).content.decode()
    assert f'hx-get="{address}progress/"' in page
    assert "Refresh" in page
    row = ScoreRequest.objects.get()
    carry_out_scores(row.pk)
    fragment = rita.get(f"{address}progress/").content.decode()
    assert "hx-get" not in fragment
    assert "Succeeded" in fragment
    assert "The model directory lacks" in fragment
    assert "1. A pump." not in fragment


def test_another_candidate_is_added_without_scripts_and_what_was_typed_stays(rita, model) -> None:
    answer = post(rita, **SENT, add="1")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'name="candidate_3"' in page
    assert 'name="candidate_4"' not in page
    assert REFERENCE.splitlines()[0] in page
    assert "error" not in page.partition("<form")[2].partition("</form>")[0]
    page = post(rita, add="1").content.decode()
    assert 'name="candidate_2"' in page
    assert "Paste the claims" not in page
    assert not ScoreRequest.objects.exists()


def test_empty_candidates_are_passed_over(rita, model) -> None:
    post(rita, reference=REFERENCE, candidate_1="", candidate_2=PUMP, candidate_3=" \r\n")
    assert ScoreRequest.objects.get().candidate_texts == [PUMP]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"candidate_1": PUMP}, "Paste the claims of the reference."),
        ({"reference": " \n ", "candidate_1": PUMP}, "Paste the claims of the reference."),
        ({"reference": REFERENCE}, "Paste at least one candidate."),
        ({"reference": REFERENCE, "candidate_1": "x" * 200_001}, "this has 200001"),
        ({"reference": "1. A \x00", "candidate_1": PUMP}, "Null characters"),
    ],
)
def test_bad_values_are_refused_and_what_was_typed_stays(rita, model, sent, words) -> None:
    answer = post(rita, **sent)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert words in page
    assert all(text.strip("\x00 \n")[:20] in page for text in sent.values())
    assert not ScoreRequest.objects.exists()


def test_a_request_is_its_askers_alone_and_deleted_by_them(cast, rita, model) -> None:
    address = post(rita, **SENT)["Location"]
    ada = signed_in(cast.ada)
    assert ada.get(address).status_code == 404
    assert ada.get(f"{address}progress/").status_code == 404
    assert ada.post(f"{address}delete/").status_code == 404
    assert "candidates, queued" in rita.get(reverse("scoring:score")).content.decode()
    asked = rita.post(f"{address}delete/").content.decode()
    assert "<strong>2 candidates</strong>" in asked and rita.get(address).status_code == 200
    sure = {"confirmed": "1"}
    assert "are deleted" in rita.post(f"{address}delete/", sure, follow=True).content.decode()
    assert rita.get(address).status_code == 404


def test_who_rates_meanwhile_reads_why_there_are_no_scores(cast, rita, model) -> None:
    know(model, REFERENCE, {PUMP: 0.75, LEVER: 0.25})
    address = post(rita, **SENT)["Location"]
    grant(cast.rita, cast.campaign, "annotator")
    for answer in (rita.get(reverse("scoring:score")), post(rita, **SENT)):
        assert answer.status_code == 403
        assert "must not sway you" in answer.content.decode()
        assert "1. A lever." not in answer.content.decode()
    for path in (address, f"{address}progress/", f"/api/v1{address}"):
        assert rita.get(path).status_code == 404


def test_waiting_for_a_training_is_shown_where_an_encoder_scores(rita, cast, model) -> None:
    linear = post(rita, **SENT)["Location"]
    encoder = make_model(model.run.dataset_version, method="finetune")
    promote(encoder, cast.ada)
    both = post(rita, **SENT)["Location"]
    assert "A training is running" not in rita.get(both).content.decode()
    TrainingRun.objects.filter(pk=model.run.pk).update(status="running")
    assert "A training is running" in rita.get(both).content.decode()
    # A linear model is scored by another worker than the one that trains.
    assert "A training is running" not in rita.get(linear).content.decode()


def test_the_page_says_how_the_language_of_the_texts_was_found(rita, data_directory) -> None:
    german = {"reference": GERMAN[0].text, "candidate_1": GERMAN[0].damaged(0)}
    address = post(rita, **german, candidate_2="1. Pumpe.")["Location"]
    carry_out_scores(ScoreRequest.objects.get().pk)
    page = rita.get(address).content.decode()
    assert "The reference, Candidate 1: No language is recorded. By its words" in page
    assert "Candidate 2: No language is recorded, and the words do not tell it." in page
