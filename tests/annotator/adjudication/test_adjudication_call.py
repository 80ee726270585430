"""Adjudication over REST: conflicts, turns, signed rulings."""

import uuid
from typing import Any

import pytest

from annotator.adjudication.rulings.queries import signature_holds
from annotator.models import Adjudication, Conflict, Membership, Rating, Round, User
from annotator.rubric import CRITERIA

PASSWORD = "a long enough phrase"

pytestmark = pytest.mark.usefixtures("quick_passwords")


@pytest.fixture
def carol(cast) -> User:
    cast.carol.set_password(PASSWORD)
    cast.carol.save()
    return cast.carol


@pytest.fixture
def ratings(cast) -> dict[str, list[Rating]]:
    reference = cast.reference("r1", 2)
    first, second = reference.candidates.order_by("candidate_id")
    made: dict[str, list[Rating]] = {}
    for person, values in ((cast.alice, (1, 9)), (cast.bob, (8, 2))):
        rows = {row.candidate_id: row for row in cast.assign(person, reference)}
        made[person.username] = [
            cast.submit(rows[candidate.pk], [value] * 4, comment=f"by {person.username}")
            for candidate, value in zip((first, second), values, strict=True)
        ]
    return made


@pytest.fixture
def conflict(ratings) -> Conflict:
    return Conflict.objects.get(candidate=ratings["alice"][0].candidate_id, kind="overall_gap")


def body(conflict: Conflict | str, decision: str = "mean", **more: Any) -> dict[str, Any]:
    said = {"reason_code": "overlooked", "reason": "Claim 2 was overlooked.", "password": PASSWORD}
    return {"conflict": str(getattr(conflict, "pk", conflict)), "decision": decision} | said | more


def test_conflicts_name_ratings_and_show_them_only_once_locked(
    cast, carol, call, ratings, conflict
) -> None:
    rows = call(carol, "get", "conflicts/").json()
    assert len(rows) == 11
    row = next(row for row in rows if row["id"] == str(conflict.pk))
    assert (row["kind"], row["gap"], row["campaign"]) == ("overall_gap", 7.0, "cups")
    ids = {str(ratings[name][0].pk) for name in ("alice", "bob")}
    (candidate,) = row["candidates"]
    assert {r["id"] for r in candidate["ratings"]} == ids
    assert all(r["scores"] is None for r in candidate["ratings"])
    assert "by bob" not in str(rows)
    assert call(carol, "post", f"conflicts/{conflict.pk}/take/").status_code == 200
    rows = call(carol, "get", "conflicts/").json()
    row = next(row for row in rows if row["id"] == str(conflict.pk))
    assert {r["scores"][CRITERIA[0]] for r in row["candidates"][0]["ratings"]} == {1, 8}


def test_conflicts_reveal_no_system_candidate_id_person_or_time(
    cast, carol, call, conflict
) -> None:
    Rating.objects.update(comment="")
    call(carol, "post", f"conflicts/{conflict.pk}/take/")
    answer = call(carol, "get", "conflicts/")
    text = str(answer.json())
    hidden = (cast.system_canary, cast.candidate_canary, "alice", "bob", str(cast.alice.pk), "_at")
    assert not any(word in text for word in hidden)


def test_conflicts_are_403_for_who_adjudicates_nowhere(cast, call, conflict) -> None:
    for person in (cast.alice, cast.rita, cast.ada, cast.mallory):
        assert call(person, "get", "conflicts/").status_code == 403
        assert call(person, "post", "adjudications/", body(conflict)).status_code == 403


def test_a_ruling_is_201_signed_and_complete(cast, carol, call, ratings, conflict) -> None:
    taken = ratings["bob"][0]
    answer = call(carol, "post", "adjudications/", body(conflict, "take", rating=str(taken.pk)))
    assert answer.status_code == 201
    said = answer.json()
    row = Adjudication.objects.get()
    assert (said["id"], said["conflict"]) == (str(row.pk), str(conflict.pk))
    assert (said["signed_as"], said["record_sha256"]) == ("carol", row.record_sha256)
    assert said["rulings"][0]["rating"] == str(taken.pk)
    assert said["rulings"][0]["scores"]["overall_quality"] == "8"
    assert signature_holds(row)


def test_new_scores_and_the_mean_are_taken_too(carol, call, ratings, conflict) -> None:
    flip = Conflict.objects.get(kind="order_flip")
    low = dict.fromkeys(CRITERIA, 2)
    answer = call(carol, "post", "adjudications/", body(flip, "scores", scores=low))
    assert (answer.status_code, list(answer.json())) == (400, ["other_scores"])
    answer = call(
        carol, "post", "adjudications/", body(flip, "scores", scores=low, other_scores=low)
    )
    assert answer.status_code == 201 and len(answer.json()["rulings"]) == 2
    assert call(carol, "get", "conflicts/").json() == []


def test_a_second_ruling_is_409(carol, call, conflict) -> None:
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 201
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 409


def test_who_rated_it_gets_403_and_another_campaign_404(cast, carol, call, conflict) -> None:
    for person, campaign in ((cast.alice, cast.campaign), (cast.mallory, cast.elsewhere)):
        Membership.objects.create(user=person, campaign=campaign, role="adjudicator")
    assert call(cast.alice, "post", "adjudications/", body(conflict)).status_code == 403
    assert call(cast.alice, "get", "conflicts/").json() == []
    assert call(cast.mallory, "post", "adjudications/", body(conflict)).status_code == 404
    assert call(carol, "post", "adjudications/", body(str(uuid.uuid4()))).status_code == 404


WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("password", {"password": "guess"}),
    ("password", {"password": 7}),
    ("conflict", {"conflict": 7}),
    ("decision", {"decision": "guess"}),
    ("rating", {"decision": "take"}),
    ("rating", {"decision": "take", "rating": str(uuid.UUID(int=7))}),
    ("scores", {"decision": "scores"}),
    ("scores", {"decision": "scores", "scores": {CRITERIA[0]: 1}}),
    ("scores", {"decision": "scores", "scores": dict.fromkeys(CRITERIA, "9")}),
    ("reason_code", {"reason_code": "because"}),
    ("reason", {"reason": " "}),
    ("adjudicator", {"adjudicator": "alice"}),
)


def test_what_is_wrong_is_400_by_field(carol, call, conflict) -> None:
    for field, sent in WRONG:
        answer = call(carol, "post", "adjudications/", body(conflict) | sent)
        assert (answer.status_code, list(answer.json())) == (400, [field]), sent
        assert not Adjudication.objects.exists(), sent


def test_a_turn_of_another_is_409_until_it_is_given_back(cast, carol, call, conflict) -> None:
    dora = User.objects.create(username="dora")
    Membership.objects.create(user=dora, campaign=cast.campaign, role="adjudicator")
    path = f"conflicts/{conflict.pk}/"
    assert call(dora, "post", f"{path}take/").status_code == 200
    assert call(carol, "post", f"{path}take/").status_code == 409
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 409
    assert call(dora, "post", f"{path}give-back/").status_code == 204
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 201


def test_a_conflict_is_sent_back_and_called_back(cast, carol, call, conflict) -> None:
    path = f"conflicts/{conflict.pk}/"
    answer = call(carol, "post", f"{path}send-back/", {"kind": "again", "question": "Claim 2?"})
    assert answer.status_code == 201
    (said,) = answer.json()
    made_at = said.pop("made_at")
    assert made_at and said == {"number": 2, "kind": "again", "question": "Claim 2?"}
    assert str(conflict.pk) not in str(call(carol, "get", "conflicts/").json())
    for door, body_sent in (
        (f"{path}send-back/", {"kind": "again", "question": "Claim 2?"}),
        (f"{path}take/", None),
        ("adjudications/", body(conflict)),
    ):
        assert call(carol, "post", door, body_sent).status_code == 409
    assert call(carol, "post", f"{path}call-back/").status_code == 204
    assert call(carol, "post", f"{path}call-back/").status_code == 409
    assert call(carol, "post", "adjudications/", body(conflict)).status_code == 201


def test_who_sent_a_conflict_back_leaves_the_ruling_to_another(cast, carol, call, conflict) -> None:
    dora = User.objects.create(username="dora")
    Membership.objects.create(user=dora, campaign=cast.campaign, role="adjudicator")
    path = f"conflicts/{conflict.pk}/"
    call(carol, "post", f"{path}send-back/", {"kind": "again", "question": "Claim 2?"})
    call(dora, "post", f"{path}call-back/")
    assert str(conflict.pk) not in {row["id"] for row in call(carol, "get", "conflicts/").json()}
    assert str(conflict.pk) in {row["id"] for row in call(dora, "get", "conflicts/").json()}
    for door, body_sent in ((f"{path}take/", None), ("adjudications/", body(conflict))):
        assert call(carol, "post", door, body_sent).status_code == 403


WRONG_ROUNDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kind", {"question": "Claim 2?"}),
    ("kind", {"kind": "ladder"}),
    ("kind", {"kind": "another"}),
    ("kind", {"kind": ["again"], "question": "Claim 2?"}),
    ("question", {"kind": "again"}),
    ("question", {"kind": "again", "question": 7}),
    ("question", {"kind": "again", "question": "x" * 200_000}),
    ("asked_by", {"kind": "again", "question": "Claim 2?", "asked_by": "bob"}),
)


def test_what_is_wrong_with_sending_back_is_400_by_field(carol, call, conflict) -> None:
    for field, sent in WRONG_ROUNDS:
        answer = call(carol, "post", f"conflicts/{conflict.pk}/send-back/", sent)
        assert (answer.status_code, list(answer.json())) == (400, [field]), str(sent)[:99]
        assert not Round.objects.exists(), str(sent)[:99]


def test_sending_back_is_for_adjudicators_of_the_campaign(cast, carol, call, conflict) -> None:
    for person, campaign in ((cast.alice, cast.campaign), (cast.mallory, cast.elsewhere)):
        Membership.objects.create(user=person, campaign=campaign, role="adjudicator")
    path, sent = f"conflicts/{conflict.pk}/", {"kind": "again", "question": "Claim 2?"}
    assert call(cast.alice, "post", f"{path}send-back/", sent).status_code == 403
    assert call(cast.alice, "post", f"{path}call-back/").status_code == 404
    for person, status in ((cast.mallory, 404), (cast.bob, 403), (cast.ada, 403)):
        assert call(person, "post", f"{path}send-back/", sent).status_code == status
        assert call(person, "post", f"{path}call-back/").status_code == status
