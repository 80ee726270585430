"""The next case after a ruling, and lists of rulings that one password signs."""

import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils.html import strip_tags

from annotator.adjudication.rounds import give_back
from annotator.adjudication.rulings.prepared import prepare_ruling, sign_prepared
from annotator.adjudication.rulings.queries import (
    free_cases,
    next_case,
    seen_sha256,
    signature_holds,
)
from annotator.adjudication.rulings.services import Decided
from annotator.imports.erasing import erase_texts
from annotator.models import (
    Adjudication,
    AuditEvent,
    Candidate,
    Conflict,
    PreparedRuling,
    Rating,
    Ruling,
    Turn,
)
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import disagree, of, revise
from tests.annotator.adjudication.rulings import PASSWORD, RULING

pytestmark = pytest.mark.django_db
LIST = "/adjudication/"


@pytest.fixture
def three(cast, carol, client: Client) -> list[Candidate]:
    client.force_login(carol)
    return [disagree(cast, f"x{number}") for number in range(3)]


def address(candidate: Candidate) -> str:
    return f"{LIST}{of(candidate).pk}/"


def typed(candidate: Candidate, **more: str) -> dict[str, str]:
    seen = seen_sha256(list(Rating.objects.filter(candidate=candidate)))
    return {"decision": "mean", "seen": seen, **RULING} | more


def later(client: Client, candidate: Candidate, **more: str) -> Any:
    """Open a case and put a ruling on it into the list, without a password."""
    client.post(f"{address(candidate)}take/")
    return client.post(address(candidate), typed(candidate, later="1", password="", **more))


def sign(client: Client, *rows: PreparedRuling, password: str = PASSWORD) -> Any:
    sent = {"ruling": [str(row.pk) for row in rows], "password": password}
    return client.post(f"{LIST}sign/", sent, follow=True)


def text_of(answer: Any) -> str:
    return " ".join(strip_tags(answer.content.decode()).split())


def test_the_next_case_opens_after_a_ruling_and_the_list_after_the_last(client, three) -> None:
    client.post(f"{address(three[1])}take/")
    answer = client.post(address(three[1]), typed(three[1]))
    # Behind the one that was ruled, not from the start again.
    opened = {row.candidate for row in Turn.objects.all()}
    assert opened == {three[2]} and answer["Location"].startswith(LIST)
    assert "Annotator 1" in text_of(client.get(answer["Location"]))
    conflict = Conflict.objects.get(pk=answer["Location"].split("/")[2])
    assert conflict.candidate == three[2]
    answer = client.post(answer["Location"], typed(three[2]))
    assert Turn.objects.get().candidate == three[0]
    assert client.post(answer["Location"], typed(three[0]))["Location"] == LIST
    assert Adjudication.objects.count() == 3


def test_the_next_case_is_the_one_behind_then_the_first(three, cast) -> None:
    one, two, last = cases = [of(candidate).pk for candidate in three]
    assert next_case(cases, one, cases) == two
    assert next_case(cases, two, cases) == last
    assert next_case(cases, last, cases) == one
    assert next_case(cases, one, [one, last]) == last
    assert next_case(cases, one, [one]) is None
    assert next_case([], one, cases) is None


def test_one_password_signs_a_list_each_with_its_own_signature_and_row(client, three, carol):
    for candidate in three[:2]:
        assert later(client, candidate).status_code == 303
    assert not Adjudication.objects.exists() and not Ruling.objects.exists()
    assert Turn.objects.filter(candidate__in=three[:2]).count() == 2
    page = client.get(LIST).content.decode()
    assert page.count('name="ruling"') == 2 and page.count("you: to be signed") == 2
    # The mean of 1 and 9 in each criterion and in the overall, of both.
    assert page.count('<td class="number">5</td>') == 8
    assert page.count('<td class="number">5.00</td>') == 2
    answer = sign(client, *PreparedRuling.objects.all())
    assert "2 rulings signed, each with a signature of its own." in text_of(answer)
    rows = list(Adjudication.objects.all())
    assert len({row.record_sha256 for row in rows}) == 2
    assert all(row.signed_as == "carol" and signature_holds(row) for row in rows)
    assert AuditEvent.objects.filter(action="conflict.ruled", actor=carol).count() == 2
    assert not PreparedRuling.objects.exists()
    assert not Turn.objects.filter(candidate__in=three[:2]).exists()


def test_a_wrong_password_or_none_signs_nothing(client, three) -> None:
    later(client, three[0])
    for password, why in (("wrong", "not your password"), ("", "password is your signature")):
        answer = sign(client, *PreparedRuling.objects.all(), password=password)
        assert answer.status_code == 422 and why in text_of(answer)
    assert "Choose at least one" in text_of(sign(client))
    assert not Adjudication.objects.exists() and PreparedRuling.objects.count() == 1
    refusals = AuditEvent.objects.filter(action="signature.refused")
    assert refusals.count() == 1


def test_only_what_was_ticked_is_signed(client, three) -> None:
    for candidate in three[:2]:
        later(client, candidate)
    first = PreparedRuling.objects.get(conflict__candidate=three[0])
    sign(client, first)
    assert Ruling.objects.get().candidate == three[0]
    assert PreparedRuling.objects.get().conflict.candidate == three[1]


def test_what_was_not_opened_or_is_anothers_cannot_be_signed(client, three, cast, dora) -> None:
    unread = Decided("mean", "overlooked", "Guessed.")
    with pytest.raises(OutOfDate):
        prepare_ruling(conflict_id=of(three[0]).pk, adjudicator=cast.carol, decided=unread)
    later(client, three[0])
    row = PreparedRuling.objects.get()
    dora.set_password(PASSWORD)
    dora.save()
    with pytest.raises(OutOfDate):
        sign_prepared(adjudicator=dora, chosen=[row.pk], password=PASSWORD)
    # Decided anew in another tab: what this list showed is not signed.
    later(client, three[0], reason="Another reason.")
    answer = sign(client, row)
    assert answer.status_code == 409 and "look at the list again" in text_of(answer)
    assert not Adjudication.objects.exists()
    assert client.post(f"{LIST}sign/", {"ruling": "no id", "password": "x"}).status_code == 422


def test_what_changed_since_is_not_signed_and_says_so_beside_the_others(client, three, cast):
    for candidate in three[:2]:
        later(client, candidate)
    Turn.objects.all().delete()
    revise(cast.alice, three[0], (2, 2, 2, 2))
    text = text_of(client.get(LIST))
    assert "The ratings have changed since you read them" in text
    answer = sign(client, *PreparedRuling.objects.all())
    assert "1 ruling signed" in text_of(answer) and "Not signed. x0:" in text_of(answer)
    assert Ruling.objects.get().candidate == three[1]


def test_bad_values_are_refused_before_they_are_in_the_list(client, three, cast) -> None:
    for wrong in ({"reason": " "}, {"decision": "take 7"}, {"decision": "scores"}):
        answer = later(client, three[0], **wrong)
        assert answer.status_code == 422, wrong
    assert not PreparedRuling.objects.exists()
    given = {"conflict_id": of(three[0]).pk, "adjudicator": cast.carol}
    with pytest.raises(Refused):
        prepare_ruling(**given, decided=Decided("mean", "whim", "Why not.", seen="x"))


def test_an_opened_one_shows_what_was_decided_and_given_back_leaves_the_list(client, three, cast):
    scores = dict.fromkeys(CRITERIA, "6")
    later(client, three[0], decision="scores", **scores)
    page = client.get(address(three[0])).content.decode()
    assert re.search(r'value="scores"[^>]* checked', page) and page.count('"6" selected') == 4
    assert "Claim 2 was overlooked." in page and "Not signed yet" not in page
    give_back(conflict_id=of(three[0]).pk, adjudicator=cast.carol)
    assert not PreparedRuling.objects.exists()
    assert of(three[0]).pk in free_cases(cast.carol)


def test_a_list_to_sign_is_its_adjudicators_alone(client, three, dora) -> None:
    later(client, three[0])
    client.force_login(dora)
    assert "To be signed" not in text_of(client.get(LIST))


def test_what_is_erased_leaves_no_prepared_reason(client, three) -> None:
    later(client, three[0])
    later(client, three[1])
    with transaction.atomic():
        assert erase_texts(three[0].reference)["prepared rulings"] == 1
    assert PreparedRuling.objects.get().conflict.candidate == three[1]
