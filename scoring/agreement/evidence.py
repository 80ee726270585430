"""What is known of a report's items beyond their texts and labels; each part may be unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.agreement.left_out_annotator import Overlap

NO_RATINGS = "Ceiling unknown: no ratings of people are known behind these labels."


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A scorer that was asked for and cannot score; the reason says what to put where."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a report may say beyond agreement.

    groups: by breakdown, for each of the n items the groups it belongs to, or the sentence that
    says why there are none; points: what people gave a (reference, candidate) text, 0 to 10;
    overlap: the ratings behind the labels, or None and `no_overlap` says why; checks: JSON-ready,
    joined to the checks of the items; labels: what scorers are called.
    """

    groups: Mapping[str, Sequence[tuple[str, ...]] | str] = field(default_factory=dict)
    points: Mapping[tuple[str, str], float] = field(default_factory=dict)
    overlap: Overlap | None = None
    no_overlap: str = NO_RATINGS
    checks: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
