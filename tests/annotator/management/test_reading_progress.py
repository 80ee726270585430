import io

from annotator.management.base import ReadingProgress


def test_a_bar_is_printed_when_it_is_time_and_not_in_between(monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr("annotator.management.base.time.monotonic", lambda: now[0])
    file = io.BytesIO(bytes(200))
    for is_terminal, pause in ((True, 0.2), (False, 10.0)):
        said: list[str] = []
        progress = ReadingProgress("Checking", file, 200, said.append, is_terminal=is_terminal)
        file.seek(50)
        progress(500)
        assert said == []
        now[0] += pause
        progress(1_000)
        progress(1_500)
        assert said == ["Checking [######------------------] 25%, 1,000 records"]
        file.seek(0)
