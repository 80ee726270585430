import json
from pathlib import Path

import pytest
from django.core.management import call_command

from scoring.management.commands import export_model as command
from scoring.models import ModelVersion
from tests.scoring.model_rows import model_row

pytestmark = [pytest.mark.django_db]


def test_it_takes_the_name_of_a_model_and_names_what_was_written(
    version, tmp_path, monkeypatch, capsys
) -> None:
    model = model_row(version)

    def write(*, model: ModelVersion, directory: Path) -> int:
        directory.mkdir()
        return 7

    monkeypatch.setattr(command, "export_model", write)
    for number, name in enumerate((f"model:{model.pk}", str(model.pk))):
        target = tmp_path / str(number)
        call_command("export_model", "--model", name, "--output", str(target), "--json")
        printed = {"model": str(model.pk), "directory": str(target), "files": 7}
        assert json.loads(capsys.readouterr().out) == printed
        assert target.is_dir()


def test_an_unknown_model_and_a_missing_directory_are_refused_in_a_line(
    version, tmp_path, capsys
) -> None:
    known = model_row(version).pk
    for name, words in (("7", "There is no model '7'."), (str(known), "no model directory")):
        with pytest.raises(SystemExit) as stopped:
            call_command("export_model", "--model", name, "--output", str(tmp_path / "x"))
        assert stopped.value.code == 1
        assert words in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
