"""Guessing passwords is slowed; honest people are not locked out."""

from contextlib import suppress

import pytest

from annotator import rate_limits
from annotator.accounts.sign_in import Attempt, begin, forgive, network_of, record_wrong
from annotator.models import AuditEvent
from core.clock import database_now
from core.errors import TooOften

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def still_clock(db: None, monkeypatch) -> None:
    """Stop the clock: what a slow machine lets in meanwhile is no finding."""
    now = database_now()
    monkeypatch.setattr(rate_limits, "database_now", lambda: now)


def let_in(*attempts: Attempt) -> int:
    """Return how many attempts are let in."""
    count = 0
    for attempt in attempts:
        with suppress(TooOften):
            begin(attempt)
            count += 1
    return count


def test_one_address_tries_an_account_seven_times_and_others_still_get_in(cast) -> None:
    assert let_in(*[Attempt("alice", "10.0.0.1")] * 20) == 7
    assert let_in(Attempt("alice", "10.0.0.2")) == 1


def test_many_addresses_try_an_account_nine_times_and_a_known_browser_still_gets_in(cast) -> None:
    assert let_in(*[Attempt("alice", f"10.0.0.{n}") for n in range(50)]) == 9
    assert let_in(Attempt("alice", "10.0.0.1", "known")) == 1
    assert let_in(*[Attempt("alice", "10.0.0.1", "known")] * 20) == 6
    assert let_in(Attempt("bob", "10.0.0.1", "known")) == 1


def test_one_address_tries_sixty_names(cast) -> None:
    assert let_in(*[Attempt(f"name-{n}", "10.0.0.1") for n in range(80)]) == 60


def test_spellings_of_a_name_and_names_without_account_are_counted_alike(cast) -> None:
    names = ["alice", "ALICE", "Alice", "\uff41lice"] * 5
    assert let_in(*[Attempt(name, "10.0.0.1") for name in names]) == 7
    assert let_in(*[Attempt("nobody", "10.0.0.1")] * 20) == 7


def test_the_right_password_counts_nothing(cast) -> None:
    attempt = Attempt("alice", "10.0.0.1")
    for _ in range(30):
        begin(attempt)
        forgive(attempt)
    assert let_in(*[attempt] * 20) == 7


def test_a_wrong_one_is_on_record_without_the_name_that_was_typed(cast) -> None:
    record_wrong(Attempt("alice", "10.0.0.1"))
    record_wrong(Attempt("my-password", "10.0.0.1"))
    rows = AuditEvent.objects.filter(action="sign_in.refused").order_by("pk")
    assert [row.object_id for row in rows] == [str(cast.alice.pk), "unknown"]
    assert "my-password" not in str(list(rows.values()))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", network_of("2001:db8::ffff:1")),
        ("", "unknown"),
        ("x" * 5000, "unknown"),
    ],
)
def test_an_address_counts_with_its_subscriber(address, network) -> None:
    assert network_of(address) == network
