"""`doctor` in a process of its own: it speaks where nothing works yet."""

import json


def test_a_bare_installation_without_a_broker_shows_both_and_how_to_mend_it(run_python) -> None:
    done = run_python("manage.py", "doctor", "--json", CELERY_BROKER_URL="redis://127.0.0.1:1/0")
    assert done.returncode == 1, done.stderr
    findings = json.loads(done.stdout)["findings"]
    missing = {found["part"]: found["mend"] for found in findings if found["level"] == "missing"}
    assert set(missing) == {"broker", "database"}
    assert "manage.py migrate" in missing["database"]
    assert "CELERY_BROKER_URL" in missing["broker"]
    private = next(found for found in findings if found["part"] == "file modes")
    assert private["level"] == "ok", private
