"""Quadruplets (A, B, C, y) out of ratings, their splits, and whether their labels are a ranking.

Why by reference: a random split by item lets about 97 % of the test labels follow from training
labels by transitivity (measured on the published test items). Knows no Django.

Source: Jiang, Scherz, Goetz, "Towards Better Evaluation for Generated Patent Claims", ACL 2025,
section 3.2 and eq. 3. A triple of candidates is consistent when one of the 13 weak orders of three
things gives its three labels; 14 of the 27 possible sign patterns are violations.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from typing import Any, Final, Protocol, TypeVar

from annotator.rating_values import RatedScores, majority, points_of, settled_value
from core.errors import Refused
from patclaimeval.rubric import ALL_CRITERIA, RUBRIC_VERSION, unit_of
from patclaimeval.text_io.text import text_sha256

TRAIN: Final = "train"
VALIDATION: Final = "validation"
TEST: Final = "test"
SPLIT_NAMES: Final = (TRAIN, VALIDATION, TEST)
# What stays together where ratings are frozen, as a refusal names it.
GROUPED_BY: Final = {
    "reference": "references",
    "family": "patent families",
    "ipc": "IPC subclasses",
    "time": "references",
}
KEY_DIGITS: Final = 16


Name = TypeVar("Name", int, str)


def text_key(text: str) -> int:
    """Return the first 8 bytes of a text's SHA-256 as a whole number."""
    return int(text_sha256(text)[:KEY_DIGITS], 16)


class SplitError(Refused):
    """The items cannot be split as asked."""


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How rows are split: by a key of GROUPED_BY, "item", or "file" for what the file gives.

    Shares are in 0..0.9, that of validation counted on what is not test; any seed.
    """

    by: str = "reference"
    test_share: float = 0.15
    validation_share: float = 0.1
    seed: int = 0


class TextGroups:
    """Distinct texts as numbers from 0, and which of them must stay on one side.

    A group is named by the first 8 bytes of the SHA-256 of its texts. Two texts that shared them
    would only stay together.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._keys: list[int] = []
        self._parents: list[int] = []

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def number(self, text: str) -> int:
        """Return the number of a text; the next free one where it is new."""
        number = self._numbers.setdefault(text, len(self))
        if number == len(self):
            self._texts.append(text)
            self._keys.append(text_key(text))
            self._parents.append(number)
        return number

    def text(self, number: int) -> str:
        return self._texts[number]

    def tie(self, one: int, other: int) -> None:
        """Have two texts, and all that are tied to either, stay on one side."""
        if self._parents[one] == self._parents[other]:
            return
        one, other = self._root(one), self._root(other)
        if self._keys[other] < self._keys[one]:
            one, other = other, one
        self._parents[other] = one

    def name(self, number: int) -> int:
        """Return the name of a text's group: the least key in it, whatever the order of ties."""
        return self._keys[self._root(number)]

    def key(self, number: int) -> int:
        """Return the `text_key` of a text."""
        return self._keys[number]

    def _root(self, number: int) -> int:
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number


def deal_groups(
    names: Iterable[Name],
    plan: SplitPlan,
    latest: Mapping[Name, float] | None = None,
) -> dict[Name, str]:
    """Assign whole groups to splits, or single items as the published benchmark does; this leaks.

    Input: names of groups, or ids of items, in any order, repeats allowed; a plan; for a split by
    time, when each group was rated last.
    Output: split by name, a pure function of seed and names: drawn, or by time the newest for test,
    the next for validation. A share above 0 gets at least one group. Raises SplitError when there
    are fewer groups than splits asked for.
    """
    order = sorted(set(names))
    shares = (plan.test_share, plan.validation_share)
    if not all(0 <= share <= 0.9 for share in shares):
        raise SplitError("A share must lie between 0 and 0.9.")
    wanted = 1 + sum(share > 0 for share in shares)
    if len(order) < wanted and plan.by == "item":
        raise SplitError(f"{len(order)} items cannot fill {wanted} splits.")
    if len(order) < wanted:
        raise SplitError(
            f"A group split is impossible: {len(order)} independent {GROUPED_BY[plan.by]} cannot "
            f"fill {wanted} splits. Add references, or set a share to 0."
        )
    if latest is None:
        random.Random(plan.seed).shuffle(order)
    else:
        order.sort(key=lambda name: -latest[name])
    return dict(zip(order, _deal(len(order), plan), strict=True))


def shared_texts(rows: Iterable[Iterable[int]], splits: Iterable[str]) -> int:
    """Count the distinct claim texts that stand in more than one split; 0 proves no leak.

    Input: the numbers of each row's texts; each row's split. Output: a count from 0.
    """
    sides: dict[int, set[str]] = {}
    for numbers, split in zip(rows, splits, strict=True):
        for number in numbers:
            sides.setdefault(number, set()).add(split)
    return sum(len(found) > 1 for found in sides.values())


def _deal(total: int, plan: SplitPlan) -> list[str]:
    test = _count(total, plan.test_share, total - 1 - (plan.validation_share > 0))
    validation = _count(total - test, plan.validation_share, total - test - 1)
    return [TEST] * test + [VALIDATION] * validation + [TRAIN] * (total - test - validation)


def _count(total: int, share: float, most: int) -> int:
    return min(max(1, round(total * share)), most) if share > 0 else 0


# Each policy with the version of its rule. Versions of datasets that state none were made by 1.
POLICY_VERSIONS: Final = {"settled": 1, "per-annotator": 1, "majority": 2}
POLICIES: Final = tuple(POLICY_VERSIONS)

Label = int


@dataclass(frozen=True, slots=True)
class RatedCandidate:
    """A candidate of a reference with the ratings that count for it (at least one).

    Annotators are pseudonyms. `ruling`, the points of a valid ruling with the id of its
    adjudication, counts instead of the mean of the ratings under the policy "settled".
    """

    candidate_id: str
    text: str
    ratings: tuple[RatedScores, ...]
    ruling: Mapping[str, Fraction] | None = None
    adjudication_id: str = ""


@dataclass(frozen=True, slots=True)
class RatedReference:
    """A reference with its rated candidates and the facts that go with a row."""

    reference_id: str
    text: str
    candidates: tuple[RatedCandidate, ...]
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """A quadruplet: reference A, candidates B and C, and what is known of the comparison.

    y[criterion] is 1 where B is better, 0 where both are equal, -1 where C is better. Texts are
    stored byte for byte. `split` is "" where none is known. `provenance` and `extras` hold the
    optional keys of patent-ce-jsonl.
    """

    id: str
    reference_id: str
    reference: str
    b: str
    c: str
    b_id: str
    c_id: str
    y: Mapping[str, int]
    split: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def annotator(self) -> str:
        """The pseudonym of the one annotator that the labels are of; "" where there is none."""
        return str(self.extras.get("annotator", ""))


def build_quadruplets(
    references: Iterable[RatedReference],
    *,
    policy: str = "settled",
    tie_band: Fraction = Fraction(0),
    seed: int = 0,
    criteria: Collection[str] = ALL_CRITERIA,
    rubric_version: str = RUBRIC_VERSION,
) -> Iterator[DatasetRow]:
    """Compare every two candidates of each reference.

    Input: rated references; a policy: "settled" compares rulings, and the means over annotators
    where there is none, as exact fractions, "per-annotator" gives one quadruplet for each annotator
    who rated both, "majority" is what more than half of those annotators find, each by the band,
    and a tie where so many do not agree; `tie_band` in rating points, >= 0: a difference of
    at most that is a tie. `seed` draws which of the two stands as B. `criteria` are those that get
    labels; `rubric_version` is that of the ratings.
    Output: rows in the order of the references, one reference held at a time, the same for the
    same input; a criterion on which a policy has nothing to compare is absent from y, and a pair
    without any label is left out. `provenance` names every rating and every ruling that the labels
    follow from, sorted; `y_soft` of `extras` is by criterion the share of annotators who hold B
    above C, a tie counting one half, 0 to 1, and `flags` what flags_of() gives. Ids follow from the
    texts; "-2", "-3" mark further pairs of the same texts. Raises ValueError for an unknown policy
    or a negative band.
    """
    if policy not in POLICIES:
        raise ValueError(f"{policy} is no policy; policies are {', '.join(POLICIES)}")
    if tie_band < 0:
        raise ValueError("the tie band must be 0 or more rating points")
    chosen = tuple(key for key in ALL_CRITERIA if key in criteria)
    return _with_distinct_ids(
        row
        for reference in references
        for row in _of_reference(reference, policy, tie_band, seed, chosen, rubric_version)
    )


def policy_label(policy: str, version: int) -> str:
    """Return a policy with the version of its rule: "settled", "majority-2"."""
    return policy if version == 1 else f"{policy}-{version}"


def quadruplet_id(reference: str, b: str, c: str, annotator: str = "") -> str:
    """Return the id of a comparison: "q-" and 24 hex digits of the digest of its texts."""
    digests = [text_sha256(text) for text in (reference, b, c)]
    return f"q-{sha256(' '.join([*digests, annotator]).encode()).hexdigest()[:24]}"


def flags_of(reference: str, b: str, c: str) -> tuple[str, ...]:
    """Return what is odd about a comparison: a side that is the reference, or two equal sides."""
    found = [f"{side} equals the reference" for side, t in (("B", b), ("C", c)) if t == reference]
    return (*found, "B equals C") if b == c else tuple(found)


def _with_distinct_ids(found: Iterable[DatasetRow]) -> Iterator[DatasetRow]:
    """Number the repeats of an id: candidates with one text make several pairs of the same texts.

    A version could not be read back, nor split, if two of its rows had one id.
    """
    times: Counter[str] = Counter()
    for row in found:
        times[row.id] += 1
        yield replace(row, id=f"{row.id}-{times[row.id]}") if times[row.id] > 1 else row


def _of_reference(
    reference: RatedReference,
    policy: str,
    tie_band: Fraction,
    seed: int,
    criteria: Sequence[str],
    rubric_version: str,
) -> Iterator[DatasetRow]:
    candidates = sorted(reference.candidates, key=lambda c: c.candidate_id)
    # Worked out once a candidate, not once a pair.
    settled = {id(one): _settled_values(one, criteria) for one in candidates}
    for pair in combinations(candidates, 2):
        b, c = _sides(reference, *pair, seed)
        pairs = _shared(b, c)
        if policy == "per-annotator":
            groups = [(name, [both]) for name, both in sorted(pairs.items())]
        else:
            groups = [("", list(pairs.values()))]
        for annotator, given in groups:
            signs = {key: _signs(given, key, tie_band) for key in criteria}
            if policy == "settled":
                of_b, of_c = settled[id(b)], settled[id(c)]
                y = {key: _sign(of_b[key] - of_c[key], tie_band) for key in of_b if key in of_c}
            else:
                # One annotator alone is the majority of one.
                y = {key: majority(found) or 0 for key, found in signs.items() if found}
            if y:
                yield DatasetRow(
                    id=quadruplet_id(reference.text, b.text, c.text, annotator),
                    reference_id=reference.reference_id,
                    reference=reference.text,
                    b=b.text,
                    c=c.text,
                    b_id=b.candidate_id,
                    c_id=c.candidate_id,
                    y=y,
                    provenance=_provenance(policy, rubric_version, b, c, given),
                    extras=_extras(reference, b, c, signs, annotator),
                )


def _sides(
    reference: RatedReference, one: RatedCandidate, two: RatedCandidate, seed: int
) -> tuple[RatedCandidate, RatedCandidate]:
    """Draw which candidate is B; the draw depends on nothing but the seed and the texts."""
    key = f"{seed} {quadruplet_id(reference.text, one.text, two.text)}"
    is_swapped = random.Random(key).random() < 0.5
    return (two, one) if is_swapped else (one, two)


def _shared(b: RatedCandidate, c: RatedCandidate) -> dict[str, tuple[RatedScores, RatedScores]]:
    of_c = {rating.annotator: rating for rating in c.ratings}
    return {r.annotator: (r, of_c[r.annotator]) for r in b.ratings if r.annotator in of_c}


def _signs(
    pairs: Sequence[tuple[RatedScores, RatedScores]], criterion: str, tie_band: Fraction
) -> list[int]:
    # In units of a stored score: whole numbers.
    tie_band *= unit_of(criterion)
    return [
        _sign(b.scores[criterion] - c.scores[criterion], tie_band)
        for b, c in pairs
        if criterion in b.scores and criterion in c.scores
    ]


def _sign(difference: Fraction | int, tie_band: Fraction) -> Label:
    if -tie_band <= difference <= tie_band:
        return 0
    return 1 if difference > 0 else -1


def _settled_values(candidate: RatedCandidate, criteria: Sequence[str]) -> dict[str, Fraction]:
    """Return the settled value of each criterion that has any."""
    ruling = candidate.ruling or {}
    given = [points_of(rating.scores) for rating in candidate.ratings]
    values = {
        key: settled_value([points[key] for points in given if key in points], ruling.get(key))
        for key in criteria
    }
    return {key: value for key, value in values.items() if value is not None}


def _provenance(
    policy: str,
    rubric_version: str,
    b: RatedCandidate,
    c: RatedCandidate,
    pairs: Sequence[tuple[RatedScores, RatedScores]],
) -> dict[str, Any]:
    # A settled value follows from all ratings of both; the other policies from shared ones.
    is_settled = policy == "settled"
    used = [*b.ratings, *c.ratings] if is_settled else [r for pair in pairs for r in pair]
    rulings = {one.adjudication_id for one in (b, c) if one.ruling and is_settled}
    return {
        "policy": policy,
        "rubric_version": rubric_version,
        "annotators": len({rating.annotator for rating in used}),
        "ratings": sorted({rating.rating for rating in used}),
        "adjudications": sorted(rulings),
    }


def _extras(
    reference: RatedReference,
    b: RatedCandidate,
    c: RatedCandidate,
    signs: Mapping[str, Sequence[int]],
    annotator: str,
) -> dict[str, Any]:
    soft = {
        key: sum((sign + 1) / 2 for sign in found) / len(found)
        for key, found in signs.items()
        if found
    }
    flags = list(flags_of(reference.text, b.text, c.text))
    of_person = {"annotator": annotator} if annotator else {}
    found = {"y_soft": soft, **of_person, **reference.facts}
    return found | ({"flags": flags} if flags else {})


class Labelled(Protocol):
    """What is counted: a quadruplet, or a row of a dataset."""

    @property
    def reference_id(self) -> str: ...
    @property
    def b_id(self) -> str: ...
    @property
    def c_id(self) -> str: ...
    @property
    def y(self) -> Mapping[str, int]: ...
    @property
    def annotator(self) -> str: ...


@dataclass(frozen=True, slots=True)
class TripleCount:
    """How many fully labelled triples of candidates there are, and how many contradict."""

    triples: int
    violations: int


def is_consistent(first_second: int, second_third: int, first_third: int) -> bool:
    """Return whether three labels (each 1, 0, -1) of a triple fit one ranking with ties.

    If the first two agree in direction, or one of them is a tie, the third follows from them; if
    they are opposite, the third may be anything.
    """
    if first_second == -second_third != 0:
        return True
    return first_third == (first_second or second_third)


def count_violations(quadruplets: Iterable[Labelled], criterion: str) -> TripleCount:
    """Count contradicting triples of candidates for one criterion.

    Input: quadruplets of any references; labels are compared within one reference and
    one annotator ("" for rows of no single one); comparisons of a candidate with itself and repeats
    (the last stands) are passed over. Output: triples whose three pairs all have labels, and those
    of them that fit no ranking. Time grows with the cube of candidates per reference.
    """
    groups: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for row in quadruplets:
        if criterion in row.y and row.b_id != row.c_id:
            sign = row.y[criterion]
            labels = groups.setdefault((row.reference_id, row.annotator), {})
            labels[row.b_id, row.c_id] = sign
            labels[row.c_id, row.b_id] = -sign
    triples = violations = 0
    for labels in groups.values():
        for a, b, c in combinations(sorted({pair[0] for pair in labels}), 3):
            if (a, b) in labels and (b, c) in labels and (a, c) in labels:
                triples += 1
                violations += not is_consistent(labels[a, b], labels[b, c], labels[a, c])
    return TripleCount(triples, violations)
