"""What moved an encoder's scores: asked for, found out by a worker, shown on page and over REST."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from core.errors import Refused
from patclaimeval.models.occlusion import explain_by_occlusion, occlude
from patclaimeval.models.scorer import load_scorer
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion, ScoreRequest
from scoring.scores.occlusions import compared
from scoring.scores.queries import score_page
from scoring.scores.scorers import ScoringModel
from scoring.scores.services import carry_out_scores, request_occlusion, request_scores
from tests.conftest import Cast
from tests.guards.blindness.allowed_keys import OCCLUSION
from tests.scoring.model_builders import CRITERION, promote, train_tiny

pytestmark = pytest.mark.django_db
REFERENCE = (
    "1. A device comprising a housing; a pump; a valve; a spring.\n2. The device of claim 1."
)
WHOLE = REFERENCE.replace("spring", "sensor")
POORER = "1. A device comprising a housing; a lever."
OTHER = "1. A motor; a housing."
TEXTS = {"reference": REFERENCE, "candidates": [POORER, WHOLE, OTHER], "criteria": [CRITERION]}
ASK = "Leave out each limitation</button>"


@pytest.fixture
def encoder(version: DatasetVersion, tiny_encoder: Path, cast: Cast) -> ModelVersion:
    """A promoted fine-tuned model that really scores."""
    found = train_tiny(version, tiny_encoder)
    promote(found, cast.ada)
    return found


def ask(client: Client, **body: Any) -> Any:
    return client.post("/api/v1/score/", body, content_type="application/json")


def scored(client: Client, **body: Any) -> dict[str, Any]:
    """Return the answer after a worker was there."""
    asked = ask(client, **body)
    assert asked.status_code == 202, asked.content
    carry_out_scores(asked.json()["id"])
    return dict(client.get(f"/api/v1/score/{asked.json()['id']}/").json())


def expected(model: ModelVersion, *places: int) -> dict[str, Any]:
    """Return what the library says of the candidates at the places, by a model that it loads."""
    scorer = load_scorer(scoring_files.models_directory() / model.directory)
    texts = occlude(REFERENCE, [TEXTS["candidates"][place] for place in places])
    found = dict(zip(texts.pairs, scorer.score(texts.pairs), strict=True))
    told = explain_by_occlusion(texts, found, [place + 1 for place in places])
    return {"criterion": CRITERION, "model": str(model.pk), **told.as_json()}


def keys_of(told: Any, within: str = "") -> Iterator[str]:
    """Yield each key of an answer behind those that it lies in."""
    for one in told if isinstance(told, list) else [told]:
        for key, value in one.items() if isinstance(one, dict) else ():
            yield f"{within}{key}"
            yield from keys_of(value, f"{within}{key}.")


def test_an_encoder_is_explained_on_request_alone(rita, encoder) -> None:
    said = scored(rita, **TEXTS)
    assert said["explanations"] == []
    page = rita.get(f"/score/{said['id']}/").content.decode()
    assert ASK in page
    assert "each limitation is left out when you ask for it" in page
    assert "What moved the score of" not in page


def test_the_answer_says_what_moved_the_best_beside_the_next(rita, encoder) -> None:
    said = scored(rita, **TEXTS, explain=True)
    scores = [one["scores"][0]["score"] for one in said["candidates"]]
    best, following, _ = sorted(range(3), key=lambda place: -scores[place])
    (one,) = said["explanations"]
    assert one == expected(encoder, best, following)
    assert (one["candidate"], one["against"]) == (best + 1, following + 1)
    assert one["difference"] == scores[best] - scores[following]
    assert len(one["limitations"]) > 3
    assert "pump" not in str(said)
    alone = scored(rita, **TEXTS | {"candidates": [WHOLE]}, explain=True)
    beside = {f"explanations.{key}" for key in ("criterion", "model", "candidate", "against")}
    keys = {*keys_of({"explanations": said["explanations"] + alone["explanations"]})}
    assert keys == {"explanations", *OCCLUSION} | beside


def test_what_was_left_out_before_is_asked_of_no_model_again(
    rita, encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = scored(rita, **TEXTS, explain=True)
    monkeypatch.setattr("patclaimeval.models.scorer.load_scorer", None)
    assert scored(rita, **TEXTS, explain=True)["explanations"] == said["explanations"]
    # Nobody asked here: the scores are known, and what moved them is to be asked for.
    plain = ask(rita, **TEXTS)
    assert (plain.status_code, plain.json()["explanations"]) == (200, [])
    # Other pairs than those of today were scored by another release.
    ScoreRequest.objects.update(occluded_scores={CRITERION: [0.5]})
    assert rita.get(f"/api/v1/score/{said['id']}/").json()["explanations"] == []
    page = rita.get(f"/score/{said['id']}/").content.decode()
    assert "this was not found out, or is not known any more" in page
    assert ASK in page


def test_the_page_quotes_the_limitations_that_moved_most_and_folds_the_rest(rita, encoder) -> None:
    sent = {"reference": REFERENCE, "candidate_1": POORER, "candidate_2": WHOLE, "explain": "1"}
    address = rita.post(reverse("scoring:score"), sent)["Location"]
    row = ScoreRequest.objects.get()
    assert row.explains
    assert "What moved" not in rita.get(address).content.decode()
    carry_out_scores(row.pk)
    page = rita.get(f"{address}progress/").content.decode()
    row.refresh_from_db()
    ((model, one),) = score_page(row)["occlusions"]
    assert one is not None
    assert f"{model.name}: {one.found.title}" in page
    _, _, section = page.partition('<section class="explanation" aria-labelledby="moved_')
    shown, _, rest = section.partition("</section>")[0].partition("<details>")
    assert shown.count("<li>") == len(one.strongest) == 5
    assert rest.count("<li>") == len(one.rest) > 0
    first = one.strongest[0]
    assert first.quote in (REFERENCE + POORER + WHOLE).replace("\n", " ")
    assert f"{first.sentence[1:]}: <q>{first.quote}</q><br>" in shown
    for words, quote in first.matched:
        assert (f"{words}: <q>{quote}</q>" if quote else words) in shown
    assert f"{one.found.whole:+.3f}" in shown
    assert ASK not in page
    # PatClaimEval-0 scores the other criteria, and is explained as before.
    assert "Why these scores" in page


def test_the_button_sends_the_form_that_holds_the_texts(rita, encoder) -> None:
    said = scored(rita, **TEXTS)
    page = rita.get(f"/score/{said['id']}/").content.decode()
    assert '<button type="submit" form="score-form" name="explain" value="1"' in page
    assert 'id="score-form" action="/score/"' in page


def test_scores_stand_where_leaving_out_fails(
    rita, encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "scoring.scores.services.occluded_pairs", lambda texts, places: [("1. A pump. " * 999, "x")]
    )
    said = scored(rita, **TEXTS, explain=True)
    assert said["status"] == "succeeded"
    assert said["explanations"] == []
    assert all("score" in one["scores"][0] for one in said["candidates"])


def test_a_candidate_without_a_score_is_not_compared() -> None:
    assert compared([{"score": 0.2}, {"error": "x"}, {"score": 0.9}, {"score": 0.5}]) == [2, 3]
    assert compared([{"error": "x"}, {"score": 0.9}]) == [1]
    assert compared([{"error": "x"}]) == compared([]) == []


def test_a_request_has_its_own_texts_or_those_of_a_row(cast, version) -> None:
    about = {"asked_by": cast.rita, "candidate_texts": [], "models_by_criterion": {}}
    for wrong in (
        {"dataset_version": version},
        {"row_number": 1},
        {"dataset_version": version, "row_number": 1, "reference_text": "1. A pump."},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            ScoreRequest.objects.create(**about, **wrong)


def test_a_linear_model_needs_no_request(cast, version) -> None:
    with pytest.raises(Refused, match="explained at once"):
        request_occlusion(
            version=version, row_number=1, model=ScoringModel(CRITERION), asked_by=cast.rita
        )


def test_no_encoder_among_the_models_costs_no_more(rita, cast, data_directory) -> None:
    request_scores(
        reference=REFERENCE,
        candidates=[WHOLE],
        criteria=[CRITERION],
        explain=True,
        asked_by=cast.rita,
    )
    carry_out_scores(ScoreRequest.objects.get().pk)
    page = rita.get(f"/score/{ScoreRequest.objects.get().pk}/").content.decode()
    assert ASK not in page and "What moved" not in page


def test_explain_must_be_true_or_false(rita, data_directory) -> None:
    answer = ask(rita, **TEXTS, explain="yes")
    assert (answer.status_code, answer.json()["explain"]) == (400, ["Give true or false."])
