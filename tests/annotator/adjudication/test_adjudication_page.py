"""The adjudication screens: the list, the page before and after taking, the ruling."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags

from annotator.adjudication.rulings.services import void_adjudication
from annotator.claims.reading import CLAIMS
from annotator.models import Adjudication, Conflict, Membership, Rating, Ruling, Turn, User
from annotator.rating.services import submit_rating
from annotator.rubric import CRITERIA

PASSWORD = "a long enough phrase"
WORDS = {"alice": "the spout is gone", "bob": "all features are there"}
NOTES = {"alice": "see claim 1", "bob": "compare claim 2"}

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_passwords")]


@pytest.fixture
def ratings(cast) -> dict[str, list[Rating]]:
    """Alice and bob disagree on two candidates, in opposite order, with words and tags."""
    reference = cast.reference("r1", 2)
    first, second = reference.candidates.order_by("candidate_id")
    made: dict[str, list[Rating]] = {}
    for person, values in ((cast.alice, (1, 9)), (cast.bob, (8, 2))):
        rows = {row.candidate_id: row for row in cast.assign(person, reference)}
        made[person.username] = [
            submit_rating(
                assignment_id=rows[candidate.pk].pk,
                annotator=person,
                scores=dict.fromkeys(CRITERIA, value),
                comment=WORDS[person.username],
                note=NOTES[person.username],
                error_tags=[{"tag": "vagueness", "start": 3, "end": 8}],
            )
            for candidate, value in zip((first, second), values, strict=True)
        ]
    return made


@pytest.fixture
def conflict(ratings) -> Conflict:
    return Conflict.objects.get(candidate=ratings["alice"][0].candidate_id, kind="overall_gap")


@pytest.fixture
def flip(ratings) -> Conflict:
    return Conflict.objects.get(kind="order_flip")


@pytest.fixture
def carol(cast, client: Client) -> User:
    cast.carol.set_password(PASSWORD)
    cast.carol.save()
    client.force_login(cast.carol)
    return cast.carol


def address(conflict: Conflict) -> str:
    return f"/adjudication/{conflict.pk}/"


def text_of(page: Any) -> str:
    content: str = page.content.decode()
    return content + strip_tags(content)


def ruling(**more: str) -> dict[str, str]:
    said = {"decision": "mean", "reason_code": "overlooked", "reason": "Claim 2 was overlooked."}
    return said | {"password": PASSWORD} | more


def take(client: Client, conflict: Conflict) -> Any:
    return client.post(f"{address(conflict)}take/", follow=True)


def test_the_list_says_what_differs_and_how_far(client, carol, ratings, conflict) -> None:
    text = text_of(client.get("/adjudication/"))
    assert "Title of r1" in text and "A47G 19/22" in text
    assert "Feature completeness: 7 points apart" in text
    assert "Overall quality: 7.00 points apart" in text
    assert "Opposite order, each way by 6.00 points or more" in text
    assert "Candidate A and Candidate B" in text
    # Five conflicts of one candidate are one case: three in all.
    assert text.count('href="/adjudication/') == 4
    assert "3 open" in text


def test_the_list_is_empty_with_a_message(client, carol) -> None:
    page = client.get("/adjudication/")
    assert page.status_code == 200 and b"No conflict is open" in page.content


def test_before_it_is_taken_the_page_shows_claims_and_no_ratings(client, carol, conflict) -> None:
    text = text_of(client.get(address(conflict)))
    assert "A mug" in text and "A cup comprising" in text
    assert "Take this conflict" in text
    assert not any(words in text for words in (*WORDS.values(), *NOTES.values(), "Annotator 1"))
    assert 'name="decision"' not in text


def test_taken_it_shows_every_rating_with_its_texts_and_tags(client, carol, conflict) -> None:
    text = text_of(take(client, conflict))
    assert all(words in text for words in (*WORDS.values(), *NOTES.values()))
    assert "Annotator 1" in text and "Annotator 2" in text
    assert "4.5" in text  # the mean of 1 and 8
    assert "Vagueness" in text and "A mug" in text
    assert 'data-place="candidate 3"' in text
    assert Turn.objects.get().adjudicator == carol


def test_no_name_time_system_or_id_of_a_candidate_is_shown(
    client, carol, cast, ratings, conflict, flip
) -> None:
    long_ago = datetime(2001, 2, 3, tzinfo=UTC)
    Rating.objects.update(submitted_at=long_ago, revised_at=long_ago)
    pages = {"list": client.get("/adjudication/")}
    for row in (conflict, flip):
        pages[f"{row.kind} before"] = client.get(address(row))
        pages[f"{row.kind} taken"] = take(client, row)
        pages[f"{row.kind} wrong"] = client.post(address(row), ruling(password="no"))
        client.post(f"{address(row)}give-back/")
    pages["ruled"] = client.post(address(flip), ruling(), follow=True)
    pages["after"] = client.get(address(flip))
    hidden = [str(r.candidate_id) for rows in ratings.values() for r in rows]
    hidden += [str(r.annotator_id) for rows in ratings.values() for r in rows]
    for name, page in pages.items():
        text = text_of(page) + str(page.headers)
        assert cast.system_canary not in text and cast.candidate_canary not in text, name
        assert not re.search(r"\b(alice|bob)\b", text), name
        assert not any(pk in text for pk in hidden), name
        # Not within an id or a digest, which hold any digits by chance.
        assert not re.search(r"(?<![0-9a-z-])2001(?![0-9a-z])", text), name


def first_row(page: Any) -> str:
    """Return the scores of the first criterion as the table shows them."""
    found = re.findall(r"<th scope=.row.>Feature completeness.*?</tr>", page.content.decode(), re.S)
    return str(found[0]).partition("<select")[0]


def test_annotators_stand_in_one_order_per_candidate_not_by_name_or_time(
    client, carol, cast
) -> None:
    orders: set[tuple[str, ...]] = set()
    # Both orders are met long before the twelfth.
    for number in range(12):
        if len(orders) > 1:
            break
        reference = cast.reference(f"x{number}", 1)
        for person, value in ((cast.alice, 1), (cast.bob, 9)):
            (row,) = cast.assign(person, reference)
            cast.submit(row, [value] * 4)
        conflict = Conflict.objects.get(
            candidate__reference=reference, kind="criterion_gap", criterion=CRITERIA[0]
        )
        row = first_row(take(client, conflict))
        assert first_row(client.get(address(conflict))) == row
        found = tuple(re.findall(r'<td class="number">(\d)</td>', row)[:2])
        orders.add(found)
    assert orders == {("1", "9"), ("9", "1")}


def test_a_ruling_by_form_is_signed_and_leads_back_to_the_list(client, carol, conflict) -> None:
    client.post(f"{address(conflict)}take/")
    answer = client.post(address(conflict), ruling(has_guideline_gap="on"))
    assert (answer.status_code, answer["Location"]) == (303, "/adjudication/")
    row = Adjudication.objects.get()
    assert (row.adjudicator, row.has_guideline_gap) == (carol, True)
    assert row.reason == "Claim 2 was overlooked."
    after = text_of(client.get(address(conflict)))
    assert row.record_sha256[:16] in after and "unchanged" in after
    assert "Signed by carol" in after and 'name="decision"' not in after


def test_one_rating_is_taken_for_both_candidates_of_a_flip(client, carol, ratings, flip) -> None:
    page = take(client, flip).content.decode()
    choices = re.findall(r'value="(take [0-9a-f-]{36})"', page)
    assert len(choices) == 2
    client.post(address(flip), ruling(decision=choices[0]))
    taken = set(Ruling.objects.values_list("rating__annotator", flat=True))
    assert Ruling.objects.count() == 2 and len(taken) == 1


def test_new_scores_of_a_flip_reach_the_candidate_beside_which_they_stand(
    client, carol, flip
) -> None:
    own = dict.fromkeys(CRITERIA, "2")
    other = {f"other_{key}": "8" for key in CRITERIA}
    client.post(f"{address(flip)}take/")
    answer = client.post(address(flip), ruling(decision="scores", **own, **other))
    assert answer.status_code == 303
    found = {row.candidate_id: row.scores["overall_quality"] for row in Ruling.objects.all()}
    assert found == {flip.candidate_id: "2", flip.other_candidate_id: "8"}


WRONG = (
    {"decision": ""},
    {"decision": "take"},
    {"decision": "take 7"},
    {"decision": "guess"},
    {"decision": "scores"},
    {"decision": "scores", CRITERIA[0]: "9.0"},
    {"reason_code": ""},
    {"reason_code": "because"},
    {"reason": "  "},
    {"reason": "x" * 5001},
    {"password": ""},
    {"password": "guess"},
)


def test_what_is_wrong_comes_back_with_everything_typed_but_the_password(
    client, carol, conflict
) -> None:
    client.post(f"{address(conflict)}take/")
    for wrong in WRONG:
        answer = client.post(address(conflict), ruling(**wrong))
        assert answer.status_code == 422, wrong
        text = answer.content.decode()
        assert 'class="error"' in text and PASSWORD not in text, wrong
        assert wrong.get("reason", "Claim 2 was overlooked.") in text, wrong
        assert not Adjudication.objects.exists(), wrong


def test_what_another_ruled_meanwhile_is_a_409_with_the_page(client, carol, cast, conflict) -> None:
    client.post(f"{address(conflict)}take/")
    client.post(address(conflict), ruling())
    answer = client.post(address(conflict), ruling())
    assert answer.status_code == 409
    assert b"has been ruled already" in answer.content


def test_a_conflict_that_another_has_open_is_not_taken(client, carol, cast, conflict) -> None:
    dora = User.objects.create(username="dora")
    Membership.objects.create(user=dora, campaign=cast.campaign, role="adjudicator")
    other = Client()
    other.force_login(dora)
    take(other, conflict)
    page = take(client, conflict)
    assert b"Another adjudicator has this conflict open" in page.content
    assert WORDS["alice"] not in page.content.decode()
    assert b"another adjudicator" in client.get("/adjudication/").content
    assert client.post(address(conflict), ruling()).status_code == 409


def test_a_script_renews_the_turn_in_place(client, carol, conflict) -> None:
    answer = client.post(f"{address(conflict)}take/", headers={"HX-Request": "true"})
    assert re.fullmatch(r"\d\d:\d\d", answer.json()["until"])


def test_given_back_it_is_free_for_others(client, carol, conflict) -> None:
    client.post(f"{address(conflict)}take/")
    answer = client.post(f"{address(conflict)}give-back/")
    assert (answer.status_code, answer["Location"]) == (303, "/adjudication/")
    assert not Turn.objects.exists()


def test_ones_own_ratings_are_not_found(client, cast, conflict) -> None:
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="adjudicator")
    client.force_login(cast.alice)
    assert b"No conflict is open" in client.get("/adjudication/").content
    for answer in (
        client.get(address(conflict)),
        client.post(address(conflict), ruling()),
        client.post(f"{address(conflict)}take/"),
    ):
        assert answer.status_code == 404


def test_another_campaigns_adjudicator_finds_nothing(client, cast, conflict) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="adjudicator")
    client.force_login(cast.mallory)
    assert b"No conflict is open" in client.get("/adjudication/").content
    for path in ("", "take/", "give-back/"):
        assert client.post(f"{address(conflict)}{path}", ruling()).status_code == 404


def test_a_void_signature_stays_in_view(client, carol, cast, conflict) -> None:
    client.post(f"{address(conflict)}take/")
    client.post(address(conflict), ruling())
    void_adjudication(
        adjudication_id=Adjudication.objects.get().pk, reason="Wrong text.", by=cast.ada
    )
    text = text_of(client.get(address(conflict)))
    assert "Void" in text and "Wrong text." in text and "Take this conflict" in text


def test_typed_text_is_shown_as_text(client, carol, cast, ratings, conflict) -> None:
    Rating.objects.update(comment="<script>alert(1)</script>")
    assert b"<script>alert" not in take(client, conflict).content


def test_the_list_asks_the_database_as_often_for_many_cases(
    client, carol, cast, ratings, django_assert_max_num_queries
) -> None:
    for number in range(2):
        reference = cast.reference(f"y{number}", 2)
        for person, value in ((cast.alice, 1), (cast.bob, 9)):
            for row in cast.assign(person, reference):
                cast.submit(row, [value] * 4)
    with django_assert_max_num_queries(11):
        client.get("/adjudication/")


def test_claims_too_large_to_compare_are_shown_whole_with_what_is_off(client, flip, carol) -> None:
    flip.candidate.claims = "\n".join(["1. A cup"] * (CLAIMS.most + 1))
    flip.candidate.save()
    html = client.get(address(flip)).content.decode()
    assert CLAIMS.message(CLAIMS.most + 1) in html and flip.candidate.claims in html
