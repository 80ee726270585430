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
    ]
