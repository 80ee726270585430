from annotator.operations.presences import show_life


def test_the_file_is_touched_where_a_setting_names_one(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("SIGN_OF_LIFE_FILE", raising=False)
    show_life()
    monkeypatch.setenv("SIGN_OF_LIFE_FILE", str(tmp_path / "alive"))
    show_life()
    assert [path.name for path in tmp_path.iterdir()] == ["alive"]


def test_a_file_that_cannot_be_written_ends_no_program(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SIGN_OF_LIFE_FILE", str(tmp_path / "nowhere" / "alive"))
    show_life()
    assert not list(tmp_path.iterdir())
