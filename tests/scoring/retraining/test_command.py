"""`manage.py retrain`: one JSON object, and an exit code that says where it stopped."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from tests.scoring.retraining.conftest import CRITERION, LATER, Trained

pytestmark = pytest.mark.django_db


def ran(*arguments: str) -> tuple[int, str, str]:
    """Return the exit code of the command, its stdout and its stderr."""
    out, err = StringIO(), StringIO()
    try:
        call_command("retrain", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_what_was_done_is_one_object_with_a_reason_for_each_step(trained: Trained) -> None:
    trained.rated.rate_all(LATER)
    code, out, err = ran("trial", "--json")
    found: dict[str, Any] = json.loads(out)
    assert code == 0
    assert {key: found[key] for key in ("campaign", "user", "outcome")} == {
        "campaign": "trial",
        "user": "trial-rita",
        "outcome": "done",
    }
    assert [step["step"] for step in found["steps"]] == ["freeze", "train", "report", "promotion"]
    assert all({"criterion", "outcome", "reason"} <= set(step) for step in found["steps"])
    assert f"{CRITERION}: train" in err


def test_where_it_stopped_is_the_exit_code_and_stands_in_the_line(trained: Trained) -> None:
    code, out, _ = ran("trial")
    assert code == 3
    assert out.startswith(f"{CRITERION}: freeze stopped. There is nothing new to freeze")
    trained.rated.rate_all(LATER)
    assert ran("trial", "--user", "trial-rita")[0] == 0
    code, _, err = ran("trial", "--user", "nobody")
    assert (code, err) == (1, "There is no user 'nobody'.\n")
    code, _, err = ran("trial", "--user", "trial-ada")
    assert code == 1 and "no researcher" in err
