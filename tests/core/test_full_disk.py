import errno

import pytest
from django.db import OperationalError
from django.test import Client

from patclaimeval.files import is_disk_full
from tests.faults import raising


def caused(outer: Exception, inner: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


class OfPostgreSQL(Exception):
    pgcode = "53100"


FULL = {
    "a file": OSError(errno.ENOSPC, "No space left on device"),
    "a quota": OSError(errno.EDQUOT, "Disk quota exceeded"),
    "SQLite": OperationalError("database or disk is full"),
    "PostgreSQL": caused(OperationalError("could not extend file"), OfPostgreSQL()),
}
NOT_FULL = (OSError(errno.EACCES, "no"), OperationalError("database is locked"), ValueError(), None)


def test_each_such_error_is_known_and_others_are_not() -> None:
    assert all(is_disk_full(error) for error in FULL.values())
    assert not any(is_disk_full(error) for error in NOT_FULL)


@pytest.mark.parametrize("error", FULL.values(), ids=FULL)
@pytest.mark.parametrize("address", ["/api/v1/campaigns/", "/rated/"])
def test_a_full_disk_is_answered_in_a_sentence_and_as_507(
    cast, monkeypatch, address, error
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(cast.alice)
    # What is imported with the first page would otherwise hold, for good, what fails below.
    client.get("/")
    monkeypatch.setattr("annotator.access.gate.principals_of", raising(error))
    monkeypatch.setattr("annotator.campaigns.api.campaigns_for", raising(error))
    answer = client.get(address)
    assert answer.status_code == 507
    assert b"disk is full" in answer.content
    assert answer.headers["Retry-After"]
