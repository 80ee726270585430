"""One line of text that says everything needed to get the same number again."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import version

from scoring.agreement.question import Question

STATISTICS_VERSION = "2"


def signature(question: Question, n: int, references: int, scorers: dict[str, str]) -> str:
    """Write the signature of a report or of one scorer in it.

    Input: the question; the numbers of items and references; each scorer's name and version.
    Output: fields `key:value` joined by `|`, in fixed order; the same input gives the same text.
    """
    fields = {
        "criterion": question.criterion,
        "data": question.dataset,
        "sha256": question.dataset_sha256,
        "split": question.split,
        "n": n,
        "references": references,
        "admins": "counted" if question.admins_counted else "",
        "tie": repr(question.tie_threshold),
        "resamples": question.resamples,
        "seed": question.seed,
        "statistics": STATISTICS_VERSION,
        "code": question.code_version,
        **_libraries(),
        "scorers": "; ".join(f"{name} = {of}" for name, of in scorers.items()),
    }
    return "|".join(f"{key}:{_plain(value)}" for key, value in fields.items() if value != "")


def question_sha256(
    question: Question, dataset_id: str, scorers: Sequence[str], versions: Mapping[str, str]
) -> str:
    """Digest everything that decides a report, so that the same question can be known again.

    Input: the question; what tells the dataset from another of the same content; the scorers in
    their order; the version of each scorer and baseline. Output: 64 hexadecimal digits.
    """
    decides = {
        "question": asdict(question),
        "dataset": dataset_id,
        "scorers": list(scorers),
        "versions": dict(versions),
        "statistics": STATISTICS_VERSION,
        "libraries": _libraries(),
    }
    return sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def _libraries() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def _plain(value: object) -> str:
    """Keep the field separator out of values and every signature on one line."""
    return " ".join(str(value).replace("|", "/").split())
