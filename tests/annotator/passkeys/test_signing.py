"""A passkey signs rulings in the place of the password: once, what was listed, by its owner."""

import pytest
from django.test import Client

from annotator.models import Adjudication, AuditEvent, Conflict, PreparedRuling
from tests.annotator.adjudication.discrepant import disagree
from tests.annotator.adjudication.test_prepared_rulings import address, text_of, typed
from tests.annotator.passkeys.authenticator import Authenticator
from tests.annotator.passkeys.conftest import add, asked_on, enter, sign_in

pytestmark = pytest.mark.django_db
SIGN = "/adjudication/sign/"


@pytest.fixture
def seal(alice) -> Authenticator:
    """Make carol's passkey."""
    made = Authenticator(credential_id=b"of carol")
    add(sign_in("carol")[0], made)
    return made


@pytest.fixture
def carol(seal) -> Client:
    return enter(seal, "carol")[0]


@pytest.fixture
def case(cast, carol):
    candidate = disagree(cast)
    carol.post(f"{address(candidate)}take/")
    return candidate


def wish(carol: Client, case) -> str:
    """Press the button of the ruling form; return what the browser is asked."""
    page = carol.post(address(case), typed(case, password="", use_passkey="1"))
    assert "signs 1 ruling: “" in text_of(page)
    return asked_on(page)


def test_a_ruling_is_signed_by_a_passkey_that_asked_who_its_owner_is(carol, seal, case, cast):
    assert "Sign with a passkey" in carol.get(address(case)).content.decode()
    asked = wish(carol, case)
    assert '"userVerification": "required"' in asked and not Adjudication.objects.exists()
    answer = seal.use(asked)
    assert carol.post(SIGN, {"passkey": answer})["Location"] == "/adjudication/"
    row = Adjudication.objects.get()
    assert (row.adjudicator, row.signed_as) == (cast.carol, "carol")
    assert AuditEvent.objects.filter(action="conflict.ruled", actor=cast.carol).count() == 1
    # The same answer signs nothing twice.
    carol.post(SIGN, {"passkey": answer})
    assert Adjudication.objects.count() == 1


def test_the_next_case_opens_after_it(carol, seal, case, cast) -> None:
    following = disagree(cast, "x2")
    answer = carol.post(SIGN, {"passkey": seal.use(wish(carol, case))})
    assert answer["Location"] == address(following)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"is_verified": False}, "did not ask who you are"),
        ({"origin": "https://evil.example"}, "answered another page"),
        ({"credential_id": b"another"}, "not one of this account"),
    ],
)
def test_nothing_else_signs_and_what_was_typed_is_there(carol, seal, case, cast, change, words):
    asked = wish(carol, case)
    vars(seal).update(change)
    back = carol.post(SIGN, {"passkey": seal.use(asked)})
    said = text_of(carol.get(back["Location"]))
    assert words in said and "in the list to be signed" in said
    assert not Adjudication.objects.exists()
    assert PreparedRuling.objects.get().reason == "Claim 2 was overlooked."
    event = AuditEvent.objects.get(action="signature.refused")
    assert (event.actor, event.object_id) == (cast.carol, str(cast.carol.pk))


def test_a_list_is_signed_at_once_and_only_what_was_listed(carol, seal, cast) -> None:
    cases = [disagree(cast, f"x{number}") for number in range(3)]
    for one in cases:
        carol.post(f"{address(one)}take/")
        carol.post(address(one), typed(one, later="1", password=""))
    rows = list(PreparedRuling.objects.order_by("made_at"))
    assert carol.post(SIGN, {"use_passkey": "1"}).status_code == 422
    sent = {"ruling": [str(row.pk) for row in rows[:2]], "use_passkey": "1"}
    page = carol.post(SIGN, sent)
    assert "signs 2 rulings" in text_of(page)
    # What is sent beside the answer changes nothing.
    more = {"passkey": seal.use(asked_on(page)), "ruling": [str(row.pk) for row in rows]}
    carol.post(SIGN, more)
    assert Adjudication.objects.count() == 2
    assert PreparedRuling.objects.get().pk == rows[2].pk


def test_another_adjudicators_passkey_does_not_sign(carol, seal, case) -> None:
    of_alice = Authenticator(credential_id=b"of alice")
    add(sign_in("alice")[0], of_alice)
    carol.post(SIGN, {"passkey": of_alice.use(wish(carol, case))})
    assert not Adjudication.objects.exists()


def test_a_sign_in_is_no_signature(carol, seal, case) -> None:
    wish(carol, case)
    _, page = sign_in("carol")
    carol.post(SIGN, {"passkey": seal.use(asked_on(page))})
    assert not Adjudication.objects.exists() and Conflict.objects.filter(status="open").exists()


def test_ten_wrong_ones_have_to_wait(carol, seal, case) -> None:
    statuses = []
    for _ in range(11):
        wish(carol, case)
        back = carol.post(SIGN, {"passkey": "{}"})
        statuses.append("Try again in" in text_of(carol.get(back["Location"])))
    assert statuses == [False] * 10 + [True]


def test_who_has_none_is_offered_none(alice, cast, case) -> None:
    cast.carol.passkeys.all().delete()
    client = sign_in("carol")[0]
    assert "Sign with a passkey" not in client.get(address(case)).content.decode()
    page = client.post(address(case), typed(case, password="", use_passkey="1"))
    assert page.status_code == 422 and not Adjudication.objects.exists()
    assert "Claim 2 was overlooked." in page.content.decode()
