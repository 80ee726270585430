"""One line of text that says everything needed to get the same number again."""

from __future__ import annotations

import platform
from importlib.metadata import version

from scoring.agreement.question import Question

STATISTICS_VERSION = "1"


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
        "tie": repr(question.tie_threshold),
        "resamples": question.resamples,
        "seed": question.seed,
        "statistics": STATISTICS_VERSION,
        "code": question.code_version,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scorers": "; ".join(f"{name} = {of}" for name, of in scorers.items()),
    }
    return "|".join(f"{key}:{_plain(value)}" for key, value in fields.items() if value != "")


def _plain(value: object) -> str:
    """Keep the field separator out of values and every signature on one line."""
    return " ".join(str(value).replace("|", "/").split())
