from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import AuditEvent, CampaignStatus
from core.errors import Forbidden, Refused, TooOften
from core.jobs import leases
from patclaimeval.models import scorer as scoring_library
from patclaimeval.models.prior import load_prior
from patclaimeval.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion, ScoreRequest
from scoring.scores import services as service
from scoring.scores.scorers import ScoringModel, cached_scorer
from scoring.scores.services import (
    carry_out_scores,
    delete_old_scores,
    delete_scores,
    request_scores,
)
from tests.conftest import Cast, grant
from tests.scoring.model_builders import CRITERION, know, promote, train_tiny

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
REFERENCE, PUMP, LEVER = "1. A housing, a pump.", "1. A pump.", "1. A lever."


def carried_out(row: ScoreRequest) -> ScoreRequest:
    carry_out_scores(row.pk)
    row.refresh_from_db()
    return row


@pytest.fixture
def tiny(version: DatasetVersion, tiny_encoder: Path, cast: Cast) -> ModelVersion:
    found = train_tiny(version, tiny_encoder)
    promote(found, cast.ada)
    return found


def ask(cast: Cast, *candidates: str, **more: Any) -> ScoreRequest:
    """Ask for the criterion that the models of these tests are of, where no other is named."""
    asked = {"reference": REFERENCE, "candidates": candidates or (PUMP,), "asked_by": cast.rita}
    return request_scores(**asked | {"criteria": [CRITERION]} | more)


def without_parts(row: ScoreRequest) -> dict[str, list[dict[str, Any]]]:
    return {
        key: [{name: value for name, value in one.items() if name != "parts"} for one in entries]
        for key, entries in (row.scores or {}).items()
    }


def test_a_worker_scores_each_candidate_as_the_model_does(cast, tiny) -> None:
    row = ask(cast, PUMP, LEVER, PUMP)
    assert (row.status, row.scores) == ("queued", None)
    carried_out(row)
    directory = scoring_files.models_directory() / tiny.directory
    pump, lever = scoring_library.load_scorer(directory).score(
        [(REFERENCE, PUMP), (REFERENCE, LEVER)]
    )
    assert row.status == "succeeded"
    assert row.scores == {CRITERION: [{"score": pump}, {"score": lever}, {"score": pump}]}
    assert row.models_by_criterion == {CRITERION: str(tiny.pk)}
    events = AuditEvent.objects.filter(object_id=str(row.pk)).values_list("action", flat=True)
    assert list(events) == ["scores.requested", "scores.finished"]


def test_pairs_that_were_scored_before_are_answered_at_once_without_a_worker(cast, model) -> None:
    know(model, REFERENCE, {PUMP: 0.75, LEVER: 0.25})
    row = ask(cast, LEVER, PUMP)
    assert row.status == "succeeded"
    assert without_parts(row) == {CRITERION: [{"score": 0.25}, {"score": 0.75}]}
    assert ask(cast, PUMP, "1. A spring.").status == "queued"


def test_a_request_of_a_dead_worker_is_scored_once_by_the_next(cast, tiny, monkeypatch) -> None:
    row = ask(cast, PUMP, LEVER)
    dead = leases.claim(ScoreRequest, row.pk)
    assert dead is not None
    # It had scored all, and died before it could close.
    cached_scorer(ScoringModel(CRITERION, tiny)).score([(REFERENCE, PUMP), (REFERENCE, LEVER)])
    ScoreRequest.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    def never(*given: Any) -> None:
        raise AssertionError("the model was loaded again")

    monkeypatch.setattr(scoring_library, "load_scorer", never)
    carry_out_scores(row.pk)
    carry_out_scores(row.pk)
    row.refresh_from_db()
    assert (row.status, row.attempt) == ("succeeded", 2)
    with pytest.raises(leases.LostLease):
        leases.close(dead, "failed")


def test_a_request_that_no_model_can_score_fails_in_a_sentence(cast, model) -> None:
    row = carried_out(ask(cast))
    assert row.status == "failed"
    assert "The model directory lacks" in row.message
    assert row.scores is None
    # No text enters the audit trail.
    events = list(AuditEvent.objects.filter(object_type="score_request"))
    assert [event.action for event in events] == ["scores.requested", "scores.failed"]
    assert events[0].details == {"candidates": 1, "models": [str(model.pk)]}


def test_an_unexpected_error_shows_its_kind_and_no_text(cast, model, monkeypatch) -> None:
    def burst(*given: Any) -> None:
        raise RuntimeError(REFERENCE)

    monkeypatch.setattr(service, "_score", burst)
    row = ask(cast)
    with pytest.raises(RuntimeError):
        carry_out_scores(row.pk)
    row.refresh_from_db()
    assert row.status == "failed"
    assert "RuntimeError" in row.message
    assert "pump" not in row.message


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"reference": " \n"}, "reference", "The reference is empty."),
        ({"reference": "x" * 200_001}, "reference", "at most 200,000"),
        ({"candidates": []}, "candidates", "at least one"),
        ({"candidates": ["a"] * 51}, "candidates", "at most 50"),
        ({"candidates": ["secret", ""]}, "candidates", "Candidate 2 is empty."),
        ({"criteria": []}, "criteria", "Choose from"),
        ({"criteria": ["beauty"]}, "criteria", "Choose from"),
    ],
)
def test_bad_values_are_refused_by_field_and_nothing_is_stored(
    cast, model, sent, field, words
) -> None:
    with pytest.raises(Refused) as refused:
        ask(cast, **sent)
    assert list(refused.value.fields) == [field]
    assert any(words in reason for reason in refused.value.fields[field])
    assert "secret" not in refused.value.sentence
    assert not ScoreRequest.objects.exists()


def test_without_a_promoted_model_patclaimeval_0_scores_every_criterion(
    cast, data_directory
) -> None:
    row = ask(cast, PUMP, LEVER, criteria=None)
    assert row.models_by_criterion == dict.fromkeys(ALL_CRITERIA, "patclaimeval-0")
    assert carried_out(row).status == "succeeded"
    pairs = [(REFERENCE, PUMP), (REFERENCE, LEVER)]
    assert without_parts(row) == {
        key: [{"score": score} for score in load_prior(key).score(pairs)] for key in ALL_CRITERIA
    }
    assert ask(cast, LEVER, criteria=None).status == "succeeded"


def test_a_promoted_model_scores_its_criterion_and_patclaimeval_0_the_others(cast, tiny) -> None:
    row = ask(cast, criteria=None)
    assert row.models_by_criterion == {
        key: str(tiny.pk) if key == CRITERION else "patclaimeval-0" for key in ALL_CRITERIA
    }
    carried_out(row)
    assert row.scores is not None
    prior = load_prior(CRITERION).score([(REFERENCE, PUMP)])
    assert row.scores[CRITERION] != [{"score": prior[0]}]
    other = load_prior("overall_quality").score([(REFERENCE, PUMP)])
    assert without_parts(row)["overall_quality"] == [{"score": other[0]}]


def test_a_broken_model_leaves_the_scores_of_patclaimeval_0(cast, model) -> None:
    row = carried_out(ask(cast, criteria=None))
    assert row.status == "succeeded"
    assert row.scores is not None
    assert "lacks" in row.scores[CRITERION][0]["error"]
    assert {key: set(one[0]) for key, one in row.scores.items()} == {
        key: {"error"} if key == CRITERION else {"score", "parts"} for key in ALL_CRITERIA
    }


@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_who_judges_in_an_open_campaign_gets_no_score(cast, model, role) -> None:
    grant(cast.rita, cast.campaign, role)
    with pytest.raises(Forbidden, match="withheld"):
        ask(cast)
    cast.campaign.status = CampaignStatus.CLOSED
    cast.campaign.save()
    assert ask(cast).status == "queued"


def test_no_more_than_ten_requests_of_a_person_wait(cast, model) -> None:
    for _ in range(10):
        ask(cast)
    with pytest.raises(TooOften):
        ask(cast)
    know(model, REFERENCE, {PUMP: 0.5})
    assert ask(cast).status == "succeeded"
    assert ask(cast, asked_by=cast.ada).status == "succeeded"


def test_texts_are_gone_once_their_time_is_over_done_or_not(cast, model, settings) -> None:
    know(model, REFERENCE, {PUMP: 0.5})
    old, waiting, young = ask(cast), ask(cast, LEVER), ask(cast)
    settings.SCORE_KEEP_MINUTES = 30
    ScoreRequest.objects.filter(pk__in=[old.pk, waiting.pk]).update(
        created_at=timezone.now() - timedelta(minutes=31)
    )
    assert delete_old_scores() == 2
    assert list(ScoreRequest.objects.all()) == [young]
    expired = AuditEvent.objects.filter(action="scores.expired").values_list("object_id", flat=True)
    assert set(expired) == {str(old.pk), str(waiting.pk)}


def test_a_request_deleted_while_it_is_scored_stays_deleted(cast, tiny, monkeypatch) -> None:
    row = ask(cast)

    def score(request: ScoreRequest, check: Any) -> dict[str, Any]:
        delete_scores(request=request, deleted_by=cast.rita)
        return {}

    monkeypatch.setattr(service, "_score", score)
    carry_out_scores(row.pk)
    assert not ScoreRequest.objects.exists()
