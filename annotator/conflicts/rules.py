"""When ratings conflict: criterion gap, overall gap, order flip. Standard library only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil

from annotator.rubric import CRITERIA, TOTAL_WEIGHT


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """Smallest gaps that conflict: rating points for a criterion, numerators over 11 else."""

    criterion_gap: int = 3
    overall_gap_numerator: int = 22
    flip_gap_numerator: int = 11
    # A further annotator decides before an adjudicator: see `find_conflicts`.
    has_ladder: bool = False


@dataclass(frozen=True, slots=True)
class RatedScores:
    """One annotator's scores for one candidate, with the overall numerator (0 to 110)."""

    annotator: str
    candidate: str
    scores: Mapping[str, int]
    overall: int


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A conflict that the ratings show; `gap` is the largest found of its kind."""

    kind: str
    candidate: str
    other_candidate: str
    criterion: str
    gap: int


def find_conflicts(ratings: Sequence[RatedScores], rules: ConflictRules) -> list[Finding]:
    """Return the conflicts among the ratings of one reference's candidates, sorted.

    A flip is two annotators who put two candidates in opposite order, both by at least
    `flip_gap_numerator`; its gap is the smaller of the two distances.

    With a ladder a candidate that three or more have rated conflicts only where no two of them
    agree: every two are the gap or more apart. A pair of candidates that three or more have rated
    conflicts only where no order has more than half of the annotators behind it.
    """
    if rules.has_ladder:
        return _still_discrepant(ratings, rules)
    return _largest(_all_findings(ratings, rules))


def gap_text(numerator: int) -> str:
    """Return a gap over 11 in rating points with two decimals, rounded down.

    Input 0 to 110. The smallest numerator that is no nearer than the text says is the same again.
    """
    hundredths = numerator * 100 // TOTAL_WEIGHT
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def least_numerator(points: Fraction) -> int:
    """Return the smallest numerator over 11 that is at least so many rating points (0 to 10)."""
    return ceil(points * TOTAL_WEIGHT)


def _still_discrepant(ratings: Sequence[RatedScores], rules: ConflictRules) -> list[Finding]:
    """Return the conflicts that a third annotator has not settled."""
    found = _largest(_all_findings(ratings, rules))
    by_candidate: dict[str, list[RatedScores]] = {}
    for rating in ratings:
        by_candidate.setdefault(rating.candidate, []).append(rating)
    kept = []
    for finding in found:
        of_one = by_candidate[finding.candidate]
        if finding.other_candidate:
            is_kept = not _has_majority(of_one, by_candidate[finding.other_candidate])
        else:
            pairs = list(combinations(of_one, 2))
            shown = [{(f.kind, f.criterion) for f in _gaps(*pair, rules)} for pair in pairs]
            is_kept = all((finding.kind, finding.criterion) in kinds for kinds in shown)
        if is_kept:
            kept.append(finding)
    return kept


def _has_majority(left: Sequence[RatedScores], right: Sequence[RatedScores]) -> bool:
    """Say whether more than half of three or more annotators of both put them in one order."""
    other = {rating.annotator: rating.overall for rating in right}
    both = [(r.overall, other[r.annotator]) for r in left if r.annotator in other]
    votes = [sum(one > two for one, two in both), sum(one < two for one, two in both)]
    return len(both) > 2 and 2 * max(votes) > len(both)


def _largest(findings: Iterator[Finding]) -> list[Finding]:
    """Return one finding of each kind for each candidate or pair, with its largest gap, sorted."""
    largest: dict[tuple[str, str, str, str], int] = {}
    for finding in findings:
        key = (
            finding.kind,
            finding.candidate,
            finding.other_candidate,
            finding.criterion,
        )
        largest[key] = max(largest.get(key, 0), finding.gap)
    return sorted(Finding(*key, gap) for key, gap in largest.items())


def _all_findings(ratings: Sequence[RatedScores], rules: ConflictRules) -> Iterator[Finding]:
    for one, two in combinations(ratings, 2):
        if one.candidate == two.candidate and one.annotator != two.annotator:
            yield from _gaps(one, two, rules)
    overall = {(r.annotator, r.candidate): r.overall for r in ratings}
    annotators = sorted({r.annotator for r in ratings})
    candidates = sorted({r.candidate for r in ratings})
    for first, second in combinations(annotators, 2):
        for left, right in combinations(candidates, 2):
            keys = ((first, left), (first, right), (second, left), (second, right))
            if all(key in overall for key in keys):
                one_way = overall[first, left] - overall[first, right]
                other_way = overall[second, left] - overall[second, right]
                gap = min(abs(one_way), abs(other_way))
                if one_way * other_way < 0 and gap >= rules.flip_gap_numerator:
                    yield Finding("order_flip", left, right, "", gap)


def _gaps(one: RatedScores, two: RatedScores, rules: ConflictRules) -> Iterator[Finding]:
    for criterion in CRITERIA:
        gap = abs(one.scores[criterion] - two.scores[criterion])
        if gap >= rules.criterion_gap:
            yield Finding("criterion_gap", one.candidate, "", criterion, gap)
    gap = abs(one.overall - two.overall)
    if gap >= rules.overall_gap_numerator:
        yield Finding("overall_gap", one.candidate, "", "", gap)
