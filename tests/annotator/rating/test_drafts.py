from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from annotator.assignments import services as assignments_services
from annotator.assignments.services import lapse_leases
from annotator.models import Assignment, AuditEvent, Draft, WorkTime
from annotator.rating import drafts
from annotator.rating.drafts import discard_draft, record_ping, save_draft, save_refused
from annotator.typed_drafts import LONGEST_TYPED, DraftMoved
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def row(cast) -> Assignment:
    return cast.assign(cast.alice, cast.reference("r1", 1))[0]


def save(row: Assignment, words: str, version: int, rating_version: int = 0) -> Draft:
    return save_draft(
        assignment=row, typed={"comment": words}, version=version, rating_version=rating_version
    )


def stored() -> tuple[str, int]:
    draft = Draft.objects.get()
    return draft.typed["comment"], draft.version


@pytest.mark.parametrize("version", [0, 1, 3, 4, 2**31 - 1, 10**30, -1])
def test_a_save_on_another_version_keeps_the_newer_text_and_hands_it_back(row, version) -> None:
    save(row, "old", 0)
    save(row, "newer", 1)
    with pytest.raises(DraftMoved) as moved:
        save(row, "stale", version)
    assert moved.value.status == 409 and isinstance(moved.value, OutOfDate)
    there = moved.value.draft
    assert there and (there.typed, there.version) == ({"comment": "newer"}, 2)
    assert stored() == ("newer", 2)


def test_only_the_draft_that_was_shown_is_discarded_and_one_that_is_gone_not_saved(row) -> None:
    save(row, "old", 0)
    discard_draft(assignment=row)
    with pytest.raises(DraftMoved) as moved:
        save(row, "late", 1)
    assert moved.value.draft is None and not Draft.objects.exists()
    save(row, "old", 0)
    save(row, "newer", 1)
    with pytest.raises(DraftMoved, match="not discarded") as moved:
        discard_draft(assignment=row, version=1)
    assert moved.value.draft == Draft.objects.get() and stored() == ("newer", 2)
    discard_draft(assignment=row, version=2)
    assert not Draft.objects.exists()
    discard_draft(assignment=row, version=2)


def test_an_autosave_that_comes_after_the_submit_changes_nothing(cast, row) -> None:
    save(row, "typed", 0)
    rating = cast.submit(row, (5, 6, 7, 8), comment="submitted")
    for version in (0, 1):
        with pytest.raises(DraftMoved, match="submitted in another tab"):
            save(row, "late", version)
    rating.refresh_from_db()
    assert (rating.comment, rating.version) == ("submitted", 1)
    assert stored() == ("typed", 1)


def test_a_draft_on_a_rating_names_the_revision_that_it_changes(cast, row) -> None:
    cast.submit(row)
    save(row, "better", 0, rating_version=1)
    with pytest.raises(DraftMoved):
        save(row, "of a revision that is not there", 1, rating_version=2)
    assert Draft.objects.get().rating_version == 1


@pytest.mark.parametrize("words", ["a\x00b", "x" * (LONGEST_TYPED + 1)])
def test_what_cannot_be_kept_is_refused_by_field_and_the_old_text_stays(row, words: str) -> None:
    save(row, "good", 0)
    with pytest.raises(Refused) as refused:
        save(row, words, 1)
    assert refused.value.status == 422 and set(refused.value.fields) == {"comment"}
    assert len(refused.value.sentence) < 200
    assert stored() == ("good", 1)


def test_the_length_counts_over_all_fields_and_other_values_are_stored(row) -> None:
    save(row, "x" * LONGEST_TYPED, 0)
    assert len(stored()[0]) == LONGEST_TYPED
    discard_draft(assignment=row)
    half = "x" * (LONGEST_TYPED // 2 + 1)
    with pytest.raises(Refused, match="200,000"):
        save_draft(
            assignment=row, typed={"comment": half, "note": half}, version=0, rating_version=0
        )
    save_draft(assignment=row, typed={"n": 7}, version=0, rating_version=0)
    assert Draft.objects.get().typed == {"n": 7}


def test_a_refused_submit_leaves_its_words_as_a_draft_and_a_row_in_the_trail(row) -> None:
    assert save_refused(assignment=row, typed={"comment": "a\x00"}, version=0) is None
    assert save_refused(assignment=row, typed={"comment": "canary words"}, version=0) is not None
    assert stored() == ("canary words", 1)
    events = AuditEvent.objects.filter(action="rating.refused")
    assert {(one.actor, one.object_id) for one in events} == {(row.annotator, str(row.pk))}
    assert events.count() == 2 and "canary" not in str(list(events.values("details")))


@pytest.mark.parametrize("version", [0, 1])
def test_a_refused_submit_never_overwrites_what_another_tab_typed_later(row, version) -> None:
    save(row, "old", 0)
    save(row, "newer", 1)
    assert save_refused(assignment=row, typed={"comment": "stale"}, version=version) is None
    assert stored() == ("newer", 2)
    assert AuditEvent.objects.filter(action="rating.refused").count() == 1


def test_a_refused_submit_is_kept_where_the_draft_went_with_another_tabs_submit(cast, row) -> None:
    save(row, "shared by two tabs", 0)
    discard_draft(assignment=row)
    cast.submit(row)
    assert save_refused(assignment=row, typed={"comment": "mine"}, version=1) is not None
    assert stored() == ("mine", 1)
    assert Draft.objects.get().rating_version == 1


# Seconds since the first ping at which further ones come, and the seconds that count.
WORK = [
    ([15, 30, 45], 45),
    ([15, 60], 60),
    ([15, 61], 15),
    ([3600], 0),
    ([15, 3600, 3615], 30),
    ([15, 15, 15], 15),
    ([15, -3600, -3585], 30),
    ([-1], 0),
    ([45], 45),
    ([46], 0),
]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], datetime]:
    """Give a function that sets the clock of the database to seconds after now."""
    start = timezone.now()

    def turn(seconds: float) -> datetime:
        now = start + timedelta(seconds=seconds)
        for module in (assignments_services, drafts):
            monkeypatch.setattr(module, "database_now", lambda: now)
        return now

    return turn


@pytest.mark.parametrize(("pings", "seconds"), WORK)
def test_active_time_leaves_out_pauses_and_clocks_set_back(cast, row, clock, pings, seconds):
    for moment in (0, *pings):
        last = clock(moment)
        record_ping(assignment=row)
    work = WorkTime.objects.get()
    assert work.seconds == pytest.approx(seconds)
    assert work.last_ping_at == last
    assert cast.submit(Assignment.objects.get()).active_seconds == seconds


def test_a_lease_is_renewed_in_its_second_half_only(cast, clock) -> None:
    cast.reference("r1", 1)
    clock(0)
    row = cast.take(cast.alice)
    whole = timedelta(minutes=cast.campaign.lease_minutes)
    first = row.lease_expires_at
    for share, is_renewed in ((0.4, False), (0.6, True)):
        now = clock(whole.total_seconds() * share)
        record_ping(assignment=row)
        stored = Assignment.objects.get()
        assert stored.lease_expires_at == row.lease_expires_at
        assert stored.lease_expires_at == (now + whole if is_renewed else first)


@pytest.mark.parametrize("status", ["lapsed", "skipped", "recused", "submitted"])
def test_pings_bring_no_lease_back(cast, status: str) -> None:
    cast.reference("r1", 1)
    row = cast.take(cast.alice)
    past = timezone.now() - timedelta(minutes=1)
    # The page has read the row as open; what counts is what is stored.
    row.lease_expires_at = past
    Assignment.objects.update(status=status, lease_expires_at=past)
    record_ping(assignment=row)
    assert Assignment.objects.get().lease_expires_at == past


def test_a_ping_saves_a_lease_that_ran_out_and_was_not_lapsed_yet(cast) -> None:
    cast.reference("r1", 1)
    row = cast.take(cast.alice)
    row.lease_expires_at = timezone.now() - timedelta(seconds=1)
    row.save()
    record_ping(assignment=row)
    assert lapse_leases(cast.campaign) == 0
