"""Quadruplets as items, those that every scorer scored, the question of a report, its signature."""

from __future__ import annotations

import json
import math
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import repeat
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.preferences import preferences

LABELS = (-1, 0, 1)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = Sequence[int] | Integers | Floats
"""n labels -1, 0 or 1, in any of these forms."""


class AgreementError(ValueError):
    """The question cannot be answered from what was given; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Item:
    """One quadruplet (A, B, C, y): y = 1 when people prefer B, -1 when C, 0 for a tie.

    id: what a reader may find it by again; never text of a claim.
    """

    reference_id: str
    reference: str
    b: str
    c: str
    y: int
    id: str = ""

    def __post_init__(self) -> None:
        """Refuse a label outside -1, 0, 1."""
        if self.y not in LABELS:
            raise AgreementError(f"y must be -1, 0 or 1, and is {self.y!r}.")


@dataclass(frozen=True, slots=True)
class ScorerScores:
    """What one scorer gave: a number for (reference, candidate) texts of the items.

    A text may be missing, or its number not finite; `reasons` may hold why. Such items are left
    out before anything is computed (see comparable_items).
    verdicts: of a scorer that compares two candidates instead, by (reference, first, second), for
    both orders of each item: from 1, the first is better, to -1.
    """

    name: str
    version: str
    scores: Mapping[tuple[str, str], float]
    reasons: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    verdicts: Mapping[tuple[str, str, str], float] | None = None


def distinct_texts(items: Iterable[Item]) -> list[tuple[str, str]]:
    """List each (reference, candidate) of the items once, in order of first appearance.

    Input: any number of items. Output: the texts a scorer has to score, each a pair of strings.
    """
    return list(
        dict.fromkeys((item.reference, text) for item in items for text in (item.b, item.c))
    )


def scores_of(items: Sequence[Item], scorer: ScorerScores) -> tuple[Floats, Floats]:
    """Look up score(B) and score(C) of n items. Output: twice n numbers, NaN = no score.

    Of a scorer that compares: its verdict on (B, C) and that on (C, B).
    """
    reference, b, c = (list(map(attrgetter(side), items)) for side in ("reference", "b", "c"))
    given: Mapping[Any, float] = scorer.scores
    sides: tuple[Iterable[tuple[str, ...]], ...]
    sides = (zip(reference, b, strict=True), zip(reference, c, strict=True))
    if scorer.verdicts is not None:
        given = scorer.verdicts
        sides = (zip(reference, b, c, strict=True), zip(reference, c, b, strict=True))
    of_b, of_c = (
        np.fromiter(map(given.get, side, repeat(np.nan)), dtype=np.float64, count=len(items))
        for side in sides
    )
    return of_b, of_c


def subtract(b: Floats, c: Floats) -> Floats:
    """Subtract n scores of C from those of B. Output: n numbers, not finite where one is not."""
    with np.errstate(invalid="ignore", over="ignore"):
        return b - c


def _differences(scorer: ScorerScores, b: Floats, c: Floats) -> Floats:
    return subtract(b, c) if scorer.verdicts is None else preferences(b, c)


def score_differences(items: Sequence[Item], scorer: ScorerScores) -> Floats:
    """Compute score(B) - score(C) for n items. Output: n finite numbers.

    Of a scorer that compares: its preference of B over C, in [-1, 1].
    Raises AgreementError when a text was not scored or its score is not a finite number.
    """
    b, c = scores_of(items, scorer)
    differences = _differences(scorer, b, c)
    failed = np.flatnonzero(~np.isfinite(differences))
    if len(failed):
        first = int(failed[0])
        raise AgreementError(_refusal(items[first], scorer, float(b[first]), float(c[first])))
    return differences


def _sides(item: Item, scorer: ScorerScores) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the scorer was asked of an item: each candidate alone, or both orders."""
    if scorer.verdicts is None:
        return (item.reference, item.b), (item.reference, item.c)
    return (item.reference, item.b, item.c), (item.reference, item.c, item.b)


def _has_scored(scorer: ScorerScores, side: tuple[str, ...]) -> bool:
    return side in (scorer.scores if scorer.verdicts is None else scorer.verdicts)


def _refusal(item: Item, scorer: ScorerScores, b: float, c: float) -> str:
    of_b, of_c = _sides(item, scorer)
    candidate, side, score = (item.c, of_c, c) if np.isfinite(b) else (item.b, of_b, b)
    found = f"the score {score}" if _has_scored(scorer, side) else "no score"
    # Named by digest: a message may reach a log, and claim text must not.
    digest = sha256(candidate.encode()).hexdigest()[:16]
    return (
        f"The scorer {scorer.name} gave {found} for the candidate whose text has the sha256 "
        f"{digest}...; every candidate needs a finite number, not too far from the others."
    )


def labels_of(items: Sequence[Item]) -> Integers:
    """Return the human labels y of n items. Output: n whole numbers, each -1, 0 or 1."""
    return np.fromiter(map(attrgetter("y"), items), dtype=np.int64, count=len(items))


def cluster_numbers(items: Sequence[Item]) -> tuple[Integers, int]:
    """Number the items' references by first appearance. Output: n numbers 0 to R - 1, and R."""
    numbers, names = number(list(map(attrgetter("reference_id"), items)))
    return numbers, len(names)


def number(values: Sequence[str]) -> tuple[Integers, list[str]]:
    """Number n strings by first appearance. Output: n numbers 0 to k - 1, and the k strings."""
    numbers = {value: place for place, value in enumerate(dict.fromkeys(values))}
    found = np.fromiter(map(numbers.__getitem__, values), dtype=np.int64, count=len(values))
    return found, list(numbers)


def collapse_spaces(text: str) -> str:
    """Return a text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


Fold = Callable[[str], str]


def contains_reference(item: Item, folded: Fold = collapse_spaces) -> bool:
    """Whether B or C is the reference's own text, white space folded."""
    return folded(item.reference) in (folded(item.b), folded(item.c))


def contain_reference(items: Sequence[Item]) -> NDArray[np.bool_]:
    """Return the same for n items at once, each distinct text folded once. Output: n truths."""
    folded = cache(collapse_spaces)
    return np.array([contains_reference(item, folded) for item in items], dtype=bool)


def item_checks(items: Sequence[Item]) -> dict[str, Any]:
    """Count what can mislead in a set of items.

    Input: n items. Output: JSON-ready counts: items, references, candidates (distinct candidate
    texts of a reference), labels, white_space_twins (candidates that differ from another one of
    their reference in white space alone), references_with_shared_text (reference texts under
    several ids, which so count as several references), and those of the functions below.
    """
    folded = cache(collapse_spaces)
    labels = Counter(item.y for item in items)
    candidates = {(item.reference_id, text) for item in items for text in (item.b, item.c)}
    ids_of_text: dict[str, set[str]] = {}
    for item in items:
        ids_of_text.setdefault(folded(item.reference), set()).add(item.reference_id)
    return {
        "items": len(items),
        "references": len({item.reference_id for item in items}),
        "candidates": len(candidates),
        "labels": {str(label): labels[label] for label in LABELS},
        "contain_reference": _reference_copies(items, folded),
        "self_comparisons": sum(folded(item.b) == folded(item.c) for item in items),
        "white_space_twins": len(candidates) - len({(r, folded(text)) for r, text in candidates}),
        "duplicates": _duplicates(items),
        "references_with_shared_text": sum(len(ids) > 1 for ids in ids_of_text.values()),
    }


def _reference_copies(items: Sequence[Item], folded: Fold) -> dict[str, int]:
    """Items with the reference among B and C: byte for byte, or after folding white space only."""
    found: Counter[str] = Counter()
    for item in items:
        reference = folded(item.reference)
        is_b, is_c = folded(item.b) == reference, folded(item.c) == reference
        found["items"] += is_b or is_c
        found["byte_identical"] += item.reference in (item.b, item.c)
        found["reference_preferred"] += item.y != 0 and is_b - is_c == item.y
    return {
        "items": found["items"],
        "byte_identical": found["byte_identical"],
        "white_space_only": found["items"] - found["byte_identical"],
        "reference_preferred": found["reference_preferred"],
    }


def _duplicates(items: Sequence[Item]) -> dict[str, int]:
    """Items that repeat an earlier comparison, sides swapped or not, and those that contradict it.

    Per-annotator datasets repeat comparisons by design; elsewhere a repeat counts twice. From the
    first label on that is not the first item's, all further items of a comparison contradict.
    """
    first: dict[tuple[str, str, str], int] = {}
    mixed = set()
    contradicting = 0
    for item in items:
        is_turned = item.c < item.b
        key = (item.reference_id, *((item.c, item.b) if is_turned else (item.b, item.c)))
        y = -item.y if is_turned else item.y
        if first.setdefault(key, y) != y:
            mixed.add(key)
        contradicting += key in mixed
    return {"items": len(items) - len(first), "contradicting": contradicting}


DEFAULT_TIE_THRESHOLD = 1e-4
PAPER_TIE_THRESHOLD = 1e-6
DEFAULT_RESAMPLES = 1000
FEWEST_RESAMPLES = 100
MOST_RESAMPLES = 10_000
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Question:
    """How well do scorers agree with people on one criterion of one part of a dataset?

    tie_threshold: |score(B) - score(C)| at or below it is a predicted tie; >= 0. The papers name
    1e-4; PAPER_TIE_THRESHOLD repeats the figures that they print.
    seed, resamples: of the bootstrap; seed >= 0, resamples >= 100.
    systems_shown: whether the answer may show which system made a candidate.
    admins_counted: whether items count that rest on ratings of an admin of the campaign.
    """

    criterion: str
    dataset: str = ""
    dataset_sha256: str = ""
    split: str = "test"
    tie_threshold: float = DEFAULT_TIE_THRESHOLD
    seed: int = 0
    resamples: int = DEFAULT_RESAMPLES
    code_version: str = ""
    systems_shown: bool = False
    admins_counted: bool = False

    def __post_init__(self) -> None:
        """Refuse numbers that no report can be made with."""
        if not (math.isfinite(self.tie_threshold) and self.tie_threshold >= 0):
            raise AgreementError(
                f"The tie threshold must be 0 or more, and is {self.tie_threshold}."
            )
        if self.seed < 0:
            raise AgreementError(f"The seed must be 0 or more, and is {self.seed}.")
        if self.resamples < FEWEST_RESAMPLES:
            raise AgreementError(
                f"An interval needs at least {FEWEST_RESAMPLES} resamples, not {self.resamples}."
            )


STATISTICS_VERSION = "3"


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
    # The field separator stays out of values, and every signature on one line.
    plain = {key: " ".join(str(value).replace("|", "/").split()) for key, value in fields.items()}
    return "|".join(f"{key}:{value}" for key, value in plain.items() if fields[key] != "")


def question_sha256(
    question: Question, dataset_id: str, scorers: Sequence[str], versions: Mapping[str, str]
) -> str:
    """Digest everything that decides a report, so that the same question can be known again.

    Input: the question; what sets the dataset apart from another of the same content; the scorers
    in their order; the version of each scorer and baseline. Output: 64 hexadecimal digits.
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
    return {"python": platform.python_version()} | {n: version(n) for n in ("numpy", "scipy")}


RULE = (
    "An item is left out for every scorer when one of them has no finite number for one of its "
    "two candidates; a scorer that fails on more than half of the items is set aside instead."
)
MOST_LISTED = 100
NO_SCORE = "The scorer gave no score."
NOT_A_NUMBER = "The score is not a number."
INFINITE = "The score is infinite."
TOO_FAR_APART = "The two scores are too far apart to be subtracted."


@dataclass(frozen=True, slots=True)
class Comparable:
    """What is left to compare.

    items: those that every scorer left has a finite difference for; positions: where they stood
    among the items given, ascending; scorers: those left, in the order given; set_aside: for each
    other one the sentence on the reason; dropped: the JSON-ready account of what was left out.
    """

    items: list[Item]
    positions: Integers
    scorers: list[ScorerScores]
    set_aside: dict[str, str]
    dropped: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Failures:
    """Where one scorer failed: positions ascending, for each whether by infinity, and why."""

    positions: Integers
    infinite: list[bool]
    reasons: list[str]


def comparable_items(items: Sequence[Item], scorers: Sequence[ScorerScores]) -> Comparable:
    """Return the items that all scorers can be compared on.

    Input: n >= 0 items; scorers of distinct names, whose scores may lack texts or not be finite.
    Output: see Comparable. `dropped` has `items` (how many), `rule`, `scorers` (of each failed one,
    set aside or not: `missing`, `infinite` and `reasons`, all counts of items) and `listed`: up
    to 100 dropped items by id, with the scorers that failed on them and the first one's reason.
    An item is counted once a scorer: as missing where one of its two scores is no number. Where
    different scorers fail on different items, none may be left.
    """
    failures = {scorer.name: _failures(items, scorer) for scorer in scorers}
    set_aside = {
        name: _set_aside(name, failed, len(items))
        for name, failed in failures.items()
        if 2 * len(failed.positions) > len(items)
    }
    counted = {name: failed for name, failed in failures.items() if name not in set_aside}
    is_comparable = np.ones(len(items), dtype=bool)
    for failed in counted.values():
        is_comparable[failed.positions] = False
    positions = np.flatnonzero(is_comparable)
    return Comparable(
        items=[items[position] for position in positions.tolist()],
        positions=positions,
        scorers=[scorer for scorer in scorers if scorer.name in counted],
        set_aside=set_aside,
        dropped={
            "items": len(items) - len(positions),
            "rule": RULE,
            "scorers": {
                name: _counts(failed) for name, failed in failures.items() if failed.reasons
            },
            "listed": _listed(items, np.flatnonzero(~is_comparable)[:MOST_LISTED], counted),
        },
    )


def _failures(items: Sequence[Item], scorer: ScorerScores) -> _Failures:
    b, c = scores_of(items, scorer)
    positions = np.flatnonzero(~np.isfinite(_differences(scorer, b, c)))
    infinite = ~(np.isnan(b) | np.isnan(c))[positions]
    reasons = [_reason(items[place], scorer, b[place], c[place]) for place in positions.tolist()]
    return _Failures(positions, infinite.tolist(), reasons)


def _reason(item: Item, scorer: ScorerScores, b: float, c: float) -> str:
    """Return why the difference is no finite number: of a missing score first, of B before C."""
    sides = list(zip(_sides(item, scorer), (b, c), strict=True))
    failed = [side for side in sides if np.isnan(side[1])]
    failed += [side for side in sides if np.isinf(side[1])]
    if not failed:
        return TOO_FAR_APART
    side, score = failed[0]
    if side in scorer.reasons:
        return scorer.reasons[side]
    if np.isinf(score):
        return INFINITE
    return NOT_A_NUMBER if _has_scored(scorer, side) else NO_SCORE


def _set_aside(name: str, failed: _Failures, n: int) -> str:
    reason, count = Counter(failed.reasons).most_common(1)[0]
    return (
        f"{name} was set aside: it gave no finite number for {len(failed.positions)} of {n} items, "
        f"more than half. The most frequent reason, for {count} of them: {reason}"
    )


def _counts(failed: _Failures) -> dict[str, Any]:
    infinite = sum(failed.infinite)
    return {
        "missing": len(failed.infinite) - infinite,
        "infinite": infinite,
        "reasons": dict(Counter(failed.reasons).most_common()),
    }


def _listed(
    items: Sequence[Item], dropped: Integers, failures: dict[str, _Failures]
) -> list[dict[str, Any]]:
    by_scorer = {
        name: dict(zip(failed.positions.tolist(), failed.reasons, strict=True))
        for name, failed in failures.items()
    }
    listed = []
    for position in dropped.tolist():
        names = [name for name, reasons in by_scorer.items() if position in reasons]
        reason = by_scorer[names[0]][position]
        listed.append({"id": items[position].id, "scorers": names, "reason": reason})
    return listed
