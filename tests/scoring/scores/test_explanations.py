"""Why a model scores so: on the page of a request, over REST, and from the cache."""

import math
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.explanation import explain_scores
from patclaimeval.models.prior import load_prior
from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring.models import ScoreRequest
from scoring.scores.scorers import ScoringModel, cached_scorer
from scoring.scores.services import carry_out_scores
from tests.conftest import Cast
from tests.scoring.conftest import signed_in
from tests.scoring.model_builders import CRITERION, logit

pytestmark = pytest.mark.django_db
REFERENCE = "1. A pump with a valve.\n2. The pump of claim 1, wherein the valve is of steel."
WHOLE = "1. A pump with a valve.\n2. The pump of claim 1, wherein the valve is of brass."
POORER = "1. A pump with a flap.\n2. The pump of claim 9, wherein the flap is of steel."
TEXTS = {"reference": REFERENCE, "candidates": [POORER, WHOLE]}


@pytest.fixture
def rita(cast: Cast) -> Client:
    return signed_in(cast.rita)


def ask(client: Client, **body: Any) -> Any:
    return client.post("/api/v1/score/", body, content_type="application/json")


def scored(client: Client, **body: Any) -> dict[str, Any]:
    """Return the answer after a worker was there."""
    asked = ask(client, **body)
    assert asked.json()["explanations"] == []
    carry_out_scores(asked.json()["id"])
    return dict(client.get(f"/api/v1/score/{asked.json()['id']}/").json())


def test_the_answer_explains_the_better_of_two_by_each_criterion(rita, data_directory) -> None:
    said = scored(rita, **TEXTS)
    assert [one["criterion"] for one in said["explanations"]] == list(ALL_CRITERIA)
    for one in said["explanations"]:
        scorer = load_prior(one["criterion"])
        pairs = [(REFERENCE, text) for text in TEXTS["candidates"]]
        scores = scorer.score(pairs)
        assert scores[1] > scores[0]
        beside = {"criterion": one["criterion"], "model": "patclaimeval-0"}
        assert one == beside | explain_scores(scores, scorer.parts(pairs)).as_json()
        assert (one["candidate"], one["against"]) == (2, 1)
        contributions = [reason["contribution"] for reason in one["reasons"]]
        assert math.fsum(contributions) == pytest.approx(
            logit(scores[1]) - logit(scores[0]), abs=1e-12
        )
    assert "parts" not in str(said["candidates"])


def test_a_candidate_alone_is_explained_beside_the_average_pair(rita, data_directory) -> None:
    said = scored(rita, reference=REFERENCE, candidates=[POORER], criteria=[CRITERION])
    (one,) = said["explanations"]
    (score,) = load_prior(CRITERION).score([(REFERENCE, POORER)])
    assert (one["candidate"], one["against"]) == (1, None)
    assert one["log_odds"] == pytest.approx(logit(score), abs=1e-12)


def test_what_was_explained_before_comes_at_once_and_no_model_is_loaded(
    rita, data_directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = scored(rita, **TEXTS)
    monkeypatch.setattr("scoring.scores.scorers.load_prior", None)
    again = ask(rita, **TEXTS)
    assert again.status_code == 200
    assert again.json()["explanations"] == said["explanations"] != []


def test_the_page_shows_groups_the_strongest_five_and_the_rest_on_demand(
    rita, data_directory
) -> None:
    sent = {"reference": REFERENCE, "candidate_1": POORER, "candidate_2": WHOLE}
    address = rita.post(reverse("scoring:score"), sent)["Location"]
    assert "Why these scores" not in rita.get(address).content.decode()
    carry_out_scores(ScoreRequest.objects.get().pk)
    page = rita.get(f"{address}progress/").content.decode()
    scorer = load_prior("overall_quality")
    pairs = [(REFERENCE, text) for text in (POORER, WHOLE)]
    found = explain_scores(scorer.score(pairs), scorer.parts(pairs))
    _, _, section = page.partition(f">{NAMES['overall_quality']}: Why candidate 2 scores as it")
    section = section.partition("</section>")[0].replace("&#x27;", "'")
    shown, _, rest = section.partition("<details>")
    assert f'<td class="number">{found.total:+.3f}</td>' in shown
    for label, number in found.labelled_groups:
        assert f'<th scope="row">{label}</th><td class="number">{number:+.3f}</td>' in shown
    assert shown.count("<li>") == len(found.strongest) == 5
    assert rest.count("<li>") == len(found.rest) > 0
    for reason in found.strongest:
        sentence = reason.sentence[0].upper() + reason.sentence[1:]
        assert f"{sentence}: <strong>{reason.contribution:+.3f}</strong>" in shown
    for reason in found.rest:
        assert f"{reason.sentence[1:]}: {reason.contribution:+.3f}</li>" in rest
    assert "brass" not in page and "steel" not in page


def test_two_candidates_that_are_alike_to_the_model_are_said_to_be(rita, data_directory) -> None:
    sent = {"reference": REFERENCE, "candidate_1": WHOLE, "candidate_2": WHOLE}
    address = rita.post(reverse("scoring:score"), sent)["Location"]
    carry_out_scores(ScoreRequest.objects.get().pk)
    page = rita.get(address).content.decode()
    assert page.count("The features that count are alike in both.") == len(ALL_CRITERIA)
    assert "more feature" not in page


def test_scores_that_are_known_without_their_parts_wait_for_a_worker(rita, data_directory) -> None:
    cached_scorer(ScoringModel(CRITERION)).score([(REFERENCE, text) for text in (POORER, WHOLE)])
    sent = TEXTS | {"criteria": [CRITERION]}
    assert len(scored(rita, **sent)["explanations"]) == 1
    assert ask(rita, **sent).status_code == 200


def test_a_model_that_is_not_the_linear_one_of_its_card_is_refused(
    model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patclaimeval.models.scorer.load_scorer", lambda *_, **__: object())
    with pytest.raises(CheckpointInvalid, match="its card names"):
        cached_scorer(ScoringModel(CRITERION, model)).score([(REFERENCE, WHOLE)])
