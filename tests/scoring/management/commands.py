"""A command in this process: what it prints, its one document, the line that refuses it."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command


def run(*arguments: str) -> tuple[str, str]:
    """Return stdout and stderr of a command that ends well."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    """Return the one JSON document of `--json`; anything else on stdout fails here."""
    return json.loads(run(*arguments, "--json")[0])


def refused(*arguments: str) -> list[str]:
    """Return the lines on stderr of a command that ends with 1 and prints nothing."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command(*arguments, stdout=out, stderr=err)
    assert caught.value.code == 1
    assert out.getvalue() == ""
    assert "Traceback" not in err.getvalue()
    return err.getvalue().splitlines()


def refusal(*arguments: str) -> str:
    """Return the last of those lines, which says why."""
    return refused(*arguments)[-1]
