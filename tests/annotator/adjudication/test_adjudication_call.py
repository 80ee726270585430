import uuid
from typing import Any

from annotator.adjudication.rulings.queries import signature_holds
from annotator.models import Adjudication, Conflict
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import WORDS
from tests.annotator.adjudication.rulings import RULING
from tests.conftest import grant


def body(conflict: Conflict | str, decision: str = "mean", **more: Any) -> dict[str, Any]:
    signed = RULING | {"conflict": str(getattr(conflict, "pk", conflict)), "decision": decision}
    return signed | more


def test_conflicts_name_ratings_and_tell_them_once_locked(cast, carol, call, ratings, conflict):
    rows = call(carol, "get", "conflicts/").json()
    assert len(rows) == 11
    row = next(row for row in rows if row["id"] == str(conflict.pk))
    assert (row["kind"], row["gap"], row["campaign"]) == ("overall_gap", 7.0, "cups")
    ids = {str(ratings[name][0].pk) for name in ("alice", "bob")}
    (candidate,) = row["candidates"]
    assert {r["id"] for r in candidate["ratings"]} == ids
    assert all(r["scores"] is None for r in candidate["ratings"])
    assert WORDS["bob"] not in str(rows)
    assert call(carol, "post", f"conflicts/{conflict.pk}/take/").status_code == 200
    rows = call(carol, "get", "conflicts/").json()
    row = next(row for row in rows if row["id"] == str(conflict.pk))
    assert {r["scores"][CRITERIA[0]] for r in row["candidates"][0]["ratings"]} == {1, 8}


def test_a_ruling_is_201_signed_and_complete(cast, carol, call, ratings, conflict) -> None:
    taken = ratings["bob"][0]
    answer = call(carol, "post", "adjudications/", body(conflict, "take", rating=str(taken.pk)))
    assert answer.status_code == 201
    signed = answer.json()
    row = Adjudication.objects.get()
    assert (signed["id"], signed["conflict"]) == (str(row.pk), str(conflict.pk))
    assert (signed["signed_as"], signed["record_sha256"]) == ("carol", row.record_sha256)
    assert signed["rulings"][0]["rating"] == str(taken.pk)
    assert signed["rulings"][0]["scores"]["overall_quality"] == "8"
    assert signature_holds(row)


def test_new_scores_are_taken_for_both_candidates_of_a_flip(carol, call, flip) -> None:
    low = dict.fromkeys(CRITERIA, 2)
    answer = call(carol, "post", "adjudications/", body(flip, "scores", scores=low))
    assert (answer.status_code, list(answer.json())) == (400, ["other_scores"])
    both = body(flip, "scores", scores=low, other_scores=low)
    answer = call(carol, "post", "adjudications/", both)
    assert answer.status_code == 201 and len(answer.json()["rulings"]) == 2
    assert call(carol, "get", "conflicts/").json() == []


def test_who_rated_it_gets_403_and_another_campaign_404(cast, carol, call, conflict) -> None:
    grant(cast.alice, cast.campaign, "adjudicator")
    grant(cast.mallory, cast.elsewhere, "adjudicator")
    assert call(cast.alice, "post", "adjudications/", body(conflict)).status_code == 403
    assert call(cast.alice, "post", f"conflicts/{conflict.pk}/call-back/").status_code == 404
    assert call(cast.alice, "get", "conflicts/").json() == []
    assert call(cast.mallory, "post", "adjudications/", body(conflict)).status_code == 404
    assert call(carol, "post", "adjudications/", body(str(uuid.uuid4()))).status_code == 404


def test_a_turn_of_another_is_409_until_it_is_given_back(carol, dora, call, conflict) -> None:
    path = f"conflicts/{conflict.pk}/"
    assert call(dora, "post", f"{path}take/").status_code == 200
    assert call(carol, "post", f"{path}take/").status_code == 409
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 409
    assert call(dora, "post", f"{path}give-back/").status_code == 204
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 201


def test_a_conflict_is_sent_back_and_called_back(carol, call, conflict) -> None:
    path = f"conflicts/{conflict.pk}/"
    assert call(carol, "post", f"{path}send-back/", {}).status_code == 400
    answer = call(carol, "post", f"{path}send-back/", {"kind": "again", "question": "Claim 2?"})
    assert answer.status_code == 201
    (made,) = answer.json()
    made_at = made.pop("made_at")
    assert made_at and made == {"number": 2, "kind": "again", "question": "Claim 2?"}
    assert str(conflict.pk) not in str(call(carol, "get", "conflicts/").json())
    for address, body_sent in (
        (f"{path}send-back/", {"kind": "again", "question": "Claim 2?"}),
        (f"{path}take/", None),
        ("adjudications/", body(conflict)),
    ):
        assert call(carol, "post", address, body_sent).status_code == 409
    assert call(carol, "post", f"{path}call-back/").status_code == 204
    assert call(carol, "post", f"{path}call-back/").status_code == 409
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 201
