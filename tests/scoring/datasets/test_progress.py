"""Progress: each percent once, whoever says it how often."""

from scoring.datasets.freezing.rules import by_percent


def test_what_is_less_than_a_percent_further_is_not_passed_on() -> None:
    heard: list[tuple[float, str]] = []
    on_progress = by_percent(lambda share, words: heard.append((share, words)))
    for n in range(1000):
        on_progress(n / 1000, "Reading.")
    assert len(heard) == 100
    on_progress(0.999, "Writing.")
    assert heard[-1] == (0.999, "Writing.")
