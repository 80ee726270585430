"""Every command and sub-command prints its help."""

import argparse
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from patclaimeval.cli import main

ROOT = Path(__file__).parents[2]
OURS = sorted(name for name, app in get_commands().items() if app in ("annotator", "scoring"))
LIBRARY = ((), ("train",), ("score",), ("agree",), ("chart",))
SCRIPTS = ("supervise",)


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                yield from _parsers(child)


@pytest.mark.parametrize("name", OURS)
def test_every_management_command_prints_its_help(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    for parser in _parsers(command.create_parser("manage.py", name)):
        assert parser.format_help().startswith("usage: ")


def test_the_management_commands_of_both_packages_are_found() -> None:
    files = [*ROOT.glob("annotator/management/commands/*.py")]
    files += ROOT.glob("scoring/management/commands/*.py")
    assert set(OURS) == {file.stem for file in files} - {"__init__"}


@pytest.mark.parametrize("words", LIBRARY, ids=" ".join)
def test_every_command_of_the_library_prints_its_help(words, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(" ".join(["usage: patclaimeval", *words]))


def test_the_library_has_no_command_that_is_not_tried_above(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = capsys.readouterr().out
    assert f"{{{','.join(words[0] for words in LIBRARY if words)}}}" in listed


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_with_options_prints_its_help(name, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "scripts" / f"{name}.py"), run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")
