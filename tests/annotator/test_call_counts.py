import pytest

from annotator import rate_limits
from annotator.models import UsedPace
from annotator.rate_limits import count_call


@pytest.fixture(autouse=True)
def nobody_called(rate_limits_stand_still) -> None:
    rate_limits._counts.clear()


def test_a_person_is_let_in_as_often_as_the_limit_says_and_at_most_a_lot_more(settings) -> None:
    settings.API_CALLS_PER_MINUTE = 600
    let_in = sum(count_call("a") == 0 for _ in range(700))
    assert 600 <= let_in < 600 + 12  # a lot
    assert count_call("b") == 0


def test_a_process_that_forgets_all_is_told_by_the_database(settings) -> None:
    settings.API_CALLS_PER_MINUTE = 600
    for _ in range(600):
        assert count_call("a") == 0
    rate_limits._counts.clear()
    assert sum(count_call("a") == 0 for _ in range(100)) < 12


def test_few_calls_write_nothing(settings, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert {count_call("a") for _ in range(47)} == {0}
    assert count_call("a") == 0
    assert UsedPace.objects.count() == 1


def test_who_calls_too_often_costs_the_database_nothing(settings, django_assert_num_queries):
    settings.API_CALLS_PER_MINUTE = 1
    count_call("a")
    assert count_call("a") > 50
    with django_assert_num_queries(0):
        assert {count_call("a") > 50 for _ in range(100)} == {True}


def test_people_who_left_do_not_fill_the_memory(monkeypatch) -> None:
    monkeypatch.setattr(rate_limits, "MOST_PEOPLE", 3)
    for name in range(10):
        count_call(str(name))
    assert len(rate_limits._counts) <= 3
