import io
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotator.models import (
    Assignment,
    Campaign,
    Candidate,
    Conflict,
    Membership,
    Rating,
    Reference,
    User,
)
from tests.scoring.management.commands import document

pytestmark = [pytest.mark.django_db, pytest.mark.embedded, pytest.mark.slow]


@pytest.fixture(autouse=True)
def private(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.DEMO_PASSWORD = "demo"
    settings.IS_LOCAL = True


def load() -> dict[str, Any]:
    return document("load_demo")


def test_the_demo_holds_what_it_promises_and_loads_once() -> None:
    first = load()
    assert first["loaded"] is True
    assert first["references"] >= 12
    assert first["candidates"] == 5 * first["references"]
    assert first["conflicts"] == Conflict.objects.filter(status="open").count() > 0
    names = {f"c{number}" for number in range(1, 6)}
    assert set(Candidate.objects.values_list("candidate_id", flat=True)) == names
    assert all(Reference.objects.values_list("may_train", flat=True))
    assert_the_absent_two_rated_long_ago()
    assert_alice_and_bob_have_work()
    again = load()
    assert again == first | {"loaded": False}
    assert Rating.objects.count() == first["ratings"]
    assert Campaign.objects.get().slug == "demo"


def assert_the_absent_two_rated_long_ago() -> None:
    raters = set(Rating.objects.values_list("annotator__username", flat=True))
    assert raters == {"demo-1", "demo-2"}
    for name in raters:
        assert not User.objects.get(username=name).has_usable_password()
    latest = Rating.objects.latest("submitted_at").submitted_at
    assert latest <= timezone.now() - timedelta(days=2)


def assert_alice_and_bob_have_work() -> None:
    work = Assignment.objects.filter(status="open", lease_expires_at__isnull=True)
    for name in ("alice", "bob"):
        mine = work.filter(annotator__username=name)
        assert mine.values("candidate__reference").distinct().count() >= 4
        assert User.objects.get(username=name).check_password("demo")
    roles = Counter(Membership.objects.values_list("role", flat=True))
    assert roles == {"annotator": 4, "adjudicator": 1, "researcher": 1, "admin": 1}


def test_the_demo_is_never_loaded_in_production(settings: Any) -> None:
    settings.IS_LOCAL = False
    err = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("load_demo", stderr=err)
    assert caught.value.code == 1
    assert "local mode" in err.getvalue()
    assert not User.objects.exists()


@pytest.mark.exhaustive
def test_nothing_is_left_of_a_load_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(**_: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("annotator.management.commands.load_demo.submit_rating", burst)
    with pytest.raises(RuntimeError):
        load()
    assert not Campaign.objects.exists()
    assert not User.objects.exists()
