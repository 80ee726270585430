"""The main job in one process without a network; prints every address it tried to reach.

    python -m tests.flows.offline_run [planted]

`planted` reaches for another machine and does nothing else: the fault that must be found.
"""

import contextlib
import io
import json
import socket
import sys
from typing import Any

TRIED: list[str] = []


def listen(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what is asked of sockets: every connection and every name that is looked up."""
    if event == "socket.connect":
        TRIED.append(f"connect {arguments[1]!r}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        TRIED.append(f"{event} {arguments[-1] if event.endswith('sendto') else arguments[0]!r}")


def run(name: str, *arguments: str) -> dict[str, Any]:
    from django.core.management import call_command

    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        call_command(name, *arguments, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue()) if "--json" in arguments else {}
    return found


def main_job() -> None:
    """Fill, freeze, train, report, and look at every page that has an address without an id."""
    run("migrate", "--verbosity=0")
    run("load_demo")
    run("freeze_dataset", "demo", "--include-unlocked", "--json")
    of = ("--criterion", "feature_completeness")
    trained = run("train_patclaimeval", "demo", *of, "--device", "cpu", "--json")
    scorers = f"rouge-1,meteor,model:{trained['model']}"
    report = run("agreement_report", "demo", *of, "--scorers", scorers, "--json")
    assert set(report["scorers"]) == set(scorers.split(","))
    look_around()


def look_around() -> None:
    from django.test import Client

    from annotator.models import User

    for name in ("alice", "rita", "ada"):
        client = Client()
        client.force_login(User.objects.get(username=name))
        for page in ("/", "/datasets/", "/runs/", "/models/", "/reports/", "/campaigns/demo/"):
            assert client.get(page).status_code in (200, 403), page


def main() -> None:
    sys.addaudithook(listen)
    if sys.argv[1:] == ["planted"]:
        with contextlib.suppress(OSError):
            socket.create_connection(("192.0.2.1", 443), timeout=1)
        with contextlib.suppress(OSError):
            socket.getaddrinfo("hub.example.org", 443)
    else:
        import django

        django.setup()
        main_job()
    sys.stdout.write(json.dumps(TRIED) + "\n")


if __name__ == "__main__":
    main()
