"""What is known of a report's items beyond their texts and labels; each part may be unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.agreement.left_out_annotator import Overlap

Columns = Sequence[Sequence[str]]
"""One or two names of a group for each item: of both its candidates where they may differ."""

NO_RATINGS = "Ceiling unknown: no ratings of people are known behind these labels."


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A scorer that was asked for and cannot score; the reason says what to put where."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a report may say beyond agreement.

    groups: by breakdown, columns of n names, "" where one is not known, or the sentence that says
    why there are none; points: what people gave a (reference, candidate) text, 0 to 10;
    overlap: the ratings behind the labels, or None and `no_overlap` says why; checks: JSON-ready,
    joined to the checks of the items; labels: what scorers are called.
    """

    groups: Mapping[str, Columns | str] = field(default_factory=dict)
    points: Mapping[tuple[str, str], float] = field(default_factory=dict)
    overlap: Overlap | None = None
    no_overlap: str = NO_RATINGS
    checks: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
