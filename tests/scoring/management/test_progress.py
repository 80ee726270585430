from scoring.management import base as management_base


def test_a_bar_is_printed_at_most_once_a_second(monkeypatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    bars: list[str] = []
    on_step = management_base.progress_bar(bars.append, "Exporting")
    for tenth in range(11):
        now = tenth / 4
        on_step(tenth / 10)
    assert bars == [
        "Exporting [############..................]  40%",
        "Exporting [########################......]  80%",
        "Exporting [##############################] 100%",
    ]
    on_step(1.0)
    assert len(bars) == 3


def test_work_of_less_than_a_second_shows_no_bar(monkeypatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 7.0)
    bars: list[str] = []
    on_step = management_base.progress_bar(bars.append, "Exporting")
    for share in (0.0, 0.5, 1.0):
        on_step(share)
    assert bars == []
