"""A command's new password: from the environment, or typed twice on a terminal."""

import io

import pytest

from annotator.management.base import asked_password
from core.errors import Refused


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch):
    def sit_down(*typed: str) -> None:
        answers = iter(typed)
        monkeypatch.delenv("NEW_USER_PASSWORD", raising=False)
        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))

    return sit_down


def test_what_is_typed_twice_alike_is_taken_and_nothing_else(type_in) -> None:
    type_in("Marmalade-7", "Marmalade-7")
    assert asked_password() == "Marmalade-7"
    type_in("Marmalade-7", "Marmelade-7")
    with pytest.raises(Refused, match="not the same"):
        asked_password()
