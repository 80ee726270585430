"""A process that loads model directories under an audit hook and prints what became of each.

Standard input: {"encoder": DIRECTORY, "good": [DIRECTORY, DIGEST], "bad": [[DIRECTORY, DIGEST]]},
where a digest is that of the manifest that was registered. Output: a JSON list of
{"outcome", "events"}, where the good one is loaded twice first: what loads a library is then done.
"""

import json
import sys
from pathlib import Path
from typing import Any

from patclaimeval.models.encoder import load_encoder
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.models.scorer import load_scorer

# Every one of them means that bytes from a file were run, or that somebody was called.
REVEALING = (
    "compile",
    "exec",
    "marshal.loads",
    "os.system",
    "pickle.find_class",
    "subprocess.Popen",
)
PAIR = ("1. A housing, a pump.", "1. A pump.")
events: list[str] = []


def listen(event: str, arguments: tuple[Any, ...]) -> None:
    if event in REVEALING or event.startswith("socket."):
        events.append(event)
    elif event == "import" and arguments[0] not in sys.modules:
        events.append(f"import {arguments[0]}")


def load(directory: str, digest: str | None) -> str:
    """Return "scored", or the refusal; whatever else is raised, by its kind."""
    try:
        if digest is None:
            load_encoder(directory, max_tokens=64)
            return "scored"
        load_scorer(Path(directory), manifest_sha256=digest).score([PAIR])
    except PatClaimEvalError as error:
        return f"refused: {error}"
    except BaseException as error:  # noqa: BLE001 - the test names what must not come
        return f"{type(error).__name__}: {error}"
    return "scored"


def main() -> None:
    given = json.loads(sys.stdin.read())
    load_encoder(given["encoder"], max_tokens=64)
    # A first refusal, too, so that its own lazy imports are behind us.
    load(given["good"][0], "0" * 64)
    load(*given["good"])
    sys.addaudithook(listen)
    found = []
    for directory, digest in (given["good"], *given["bad"]):
        events.clear()
        outcome = load(directory, digest)
        found.append({"outcome": outcome, "events": list(events)})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
