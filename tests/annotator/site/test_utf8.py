from typing import Any, Final
from urllib.parse import urlencode

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import Campaign, ClaimImport, Draft, Rating
from patclaimeval.rubric import CRITERIA
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
# Half a surrogate pair, bytes of no encoding, an overlong slash, a sequence that breaks off.
BYTES: Final = (b"\xed\xa0\x80", b"\xff\xfe", b"\xc0\xaf", b"\xe2\x82")
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data; boundary=x"
SAME_ORIGIN: Final = {"Sec-Fetch-Site": "same-origin"}


def quoted(data: bytes) -> bytes:
    return b"".join(b"%%%02X" % one for one in data)


def part(name: bytes, value: bytes, more: bytes = b"") -> bytes:
    head = b'Content-Disposition: form-data; name="' + name + b'"' + more
    return b"--x\r\n" + head + b"\r\n\r\n" + value + b"\r\n"


@pytest.mark.parametrize("data", BYTES)
def test_a_form_with_them_is_refused_and_shown_again(cast, data: bytes) -> None:
    cast.assign(cast.alice, cast.reference("r1", 1))
    row = cast.alice.assignments.get()
    client = signed_in(cast.alice, headers=SAME_ORIGIN)
    scores = b"&".join(key.encode() + b"=5" for key in CRITERIA)
    for spelt in (data, quoted(data)):
        body = scores + b"&comment=The+lid+" + spelt + b"+is+gone"
        answer = client.post(f"/rate/{row.pk}/", body, content_type=FORM)
        assert answer.status_code == 400
        page = answer.content.decode()
        assert "no UTF-8" in page and "The lid " in page and "is gone" in page
    parts = part(b"comment", b"The lid " + data) + b"--x--\r\n"
    assert client.post(f"/rate/{row.pk}/", parts, content_type=MULTIPART).status_code == 400
    assert not Rating.objects.exists() and not Draft.objects.exists()


@pytest.mark.parametrize("data", BYTES)
def test_an_address_with_them_is_refused(cast, data: bytes) -> None:
    client = signed_in(cast.ada)
    asked = (b"person=" + quoted(data)).decode()
    assert client.get(f"/campaigns/cups/audit/?{asked}").status_code == 400
    answer = client.get(f"/api/v1/campaigns/?{asked}")
    assert answer.status_code == 400 and "UTF-8" in answer.json()["non_field_errors"][0]
    assert client.get(f"/campaigns/{quoted(data).decode()}/").status_code == 404


@pytest.mark.parametrize("data", BYTES)
def test_a_file_of_such_a_name_or_beside_one_is_refused(cast, data, tmp_path, settings) -> None:
    settings.DATA_DIR = tmp_path
    client = signed_in(cast.ada)
    token = {"Authorization": f"Token {create_token(user=cast.ada).token}"}
    body = part(b"file", b"{}", b'; filename="' + data + b'.jsonl"') + b"--x--\r\n"
    api = "/api/v1/campaigns/cups/claim-sets/import/"
    answers: list[Any] = [
        client.post("/campaigns/cups/import/", body, content_type=MULTIPART),
        client.post(api, body, content_type=MULTIPART),
        Client().post(api, body, content_type=MULTIPART, headers=token),
    ]
    # Django passes over a part of which it cannot read the head: no file came.
    assert [one.status_code for one in answers] == [422, 400, 400]
    good = part(b"file", b"{}", b'; filename="a.jsonl"')
    body = good + part(b"format", b"auto" + data) + b"--x--\r\n"
    for caller, headers in ((client, {}), (Client(), token)):
        refused = caller.post(api, body, content_type=MULTIPART, headers=headers)
        assert refused.status_code == 400 and "UTF-8" in str(refused.json()["non_field_errors"])
    assert not ClaimImport.objects.exists()


def test_text_of_every_script_and_the_sign_itself_go_through(cast) -> None:
    client = signed_in(cast.ada)
    name = "杯 \ufffd حق \U0001f600"
    for number, kind in enumerate((FORM, "multipart/form-data")):
        sent = {"slug": f"new-{number}", "name": name}
        more: dict[str, Any] = {"content_type": FORM} if kind == FORM else {}
        body: Any = urlencode(sent) if kind == FORM else sent
        cast.ada.is_superuser = True
        cast.ada.save()
        assert client.post("/campaigns/new/", body, **more).status_code == 303
    names = Campaign.objects.filter(slug__startswith="new-").values_list("name", flat=True)
    assert list(names) == [name] * 2
