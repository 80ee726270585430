"""The words of a report's tests: how two scorers compare, and which one is best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

ALPHA: Final = 0.05

PLANNED: Final = "planned"
EXPLORATORY: Final = "exploratory"

BETTER: Final = "better"
WORSE: Final = "worse"
UNDECIDED: Final = "cannot tell"

FOLLOWS_TEST: Final = " The verdict follows the test."

NO_SCORERS: Final = "No scorer could be measured, so none is marked as best."
ONE_SCORER: Final = "Only one scorer was measured, so there is none to compare it with."


def verdict(difference: float, p_holm: float, alpha: float = ALPHA) -> str:
    """Return whether the first of two scorers is better, worse, or whether that is undecided.

    Input: its tau-b less the other's; the adjusted p-value; either may be NaN.
    Output: "better", "worse" or "cannot tell"; only p_holm < alpha allows the first two.
    """
    if not p_holm < alpha or not abs(difference) > 0:
        return UNDECIDED
    return BETTER if difference > 0 else WORSE


def verdict_sentence(pair: Mapping[str, Any], names: Mapping[str, str], tests: int) -> str:
    """Return as text how two scorers compare.

    Input: first, second, difference, low, high, p, p_holm and verdict of a pair with a difference;
    what the scorers are called; the number of tests in the planned family. A pair without p_holm is
    exploratory. Output: one or two sentences.
    """
    first, second = (names.get(pair[key], pair[key]) for key in ("first", "second"))
    is_planned = pair["p_holm"] is not None
    figures = f"{_format_interval(pair)}; {_format_p(pair, tests)}"
    if pair["verdict"] == UNDECIDED:
        sentence = f"We cannot tell {first} and {second} apart"
    elif is_planned:
        sentence = f"{first} agrees {pair['verdict']} with annotators than {second}"
    else:
        sentence = f"{first} seems to agree {pair['verdict']} with annotators than {second}"
    start = "" if is_planned else "Exploratory: "
    return f"{start}{sentence}: {figures}.{_interval_caution(pair, tests)}"


def _format_p(pair: Mapping[str, Any], tests: int) -> str:
    """Return the p-value that the verdict follows, and for how many tests it is adjusted."""
    p = pair["p"] if pair["p_holm"] is None else pair["p_holm"]
    text = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if pair["p_holm"] is None:
        return f"{text}, not adjusted"
    return (
        f"{text}, adjusted for {tests} planned tests" if tests > 1 else f"{text}, one planned test"
    )


def _format_interval(pair: Mapping[str, Any]) -> str:
    difference = f"a difference in tau-b of {pair['difference']:+.3f}"
    if pair["low"] is None:
        return f"{difference}, without an interval"
    return f"{difference}, 95 % interval {pair['low']:+.3f} to {pair['high']:+.3f}"


def _interval_caution(pair: Mapping[str, Any], tests: int) -> str:
    """Return why the interval and the verdict differ, where they do."""
    if pair["low"] is None:
        return ""
    includes_zero = pair["low"] <= 0 <= pair["high"]
    if pair["verdict"] != UNDECIDED and includes_zero:
        return f"{FOLLOWS_TEST} The interval, an approximation, includes 0."
    if pair["verdict"] == UNDECIDED and not includes_zero:
        if pair["p_holm"] is not None and tests > 1:
            return f"{FOLLOWS_TEST} The interval excludes 0, but is not adjusted for {tests} tests."
        return f"{FOLLOWS_TEST} The interval, an approximation, excludes 0."
    return ""


def is_reachable(smallest_p: float, tests: int, alpha: float = ALPHA) -> bool:
    """Return whether the planned tests can find anything: the smallest p x tests is below alpha."""
    return smallest_p * tests < alpha


def find_best(found: Mapping[str, Any], values: Mapping[str, float]) -> list[str]:
    """Return the planned scorer if it is better than every other scorer and baseline, or no name.

    Input: what compare_scorers() found; tau-b by name of all scorers and baselines where it is
    defined. To be better than all of them, each test at alpha is enough, so the baselines' tests
    need no correction (an intersection-union test: Berger, 1982).
    """
    planned, against = (list(_pairs_of_focus(found, name)) for name in (PLANNED, EXPLORATORY))
    rivals = [pair for other, pair in against if other in values]
    all_pairs = [pair for _, pair in planned] + rivals
    is_best = bool(planned) and all(pair["verdict"] == BETTER for pair in all_pairs)
    return [found["planned_scorer"]] if is_best else []


def best_sentence(
    found: Mapping[str, Any],
    values: Mapping[str, float],
    scorers: Sequence[str],
    names: Mapping[str, str],
) -> str:
    """Return which scorer is best, or why there is no clear winner.

    Input: what compare_scorers() found; tau-b by name of all scorers and baselines where it is
    defined; the scorers' names; what they are called.
    """
    focus = found["planned_scorer"]
    measured = [name for name in scorers if name in values]
    if not measured:
        return NO_SCORERS
    first = max(values, key=lambda name: (values[name], name == focus, name in measured))
    called = {name: names.get(name, name) for name in values}
    highest = called[first] if first in measured else f"the baseline {called[first]}"
    if len(measured) < 2:
        return (
            ONE_SCORER if first in measured else f"{ONE_SCORER} {_capital(highest)} scored higher."
        )
    if find_best(found, values):
        return (
            f"{called[focus]} agrees better with annotators than every other scorer and every "
            f"baseline here (p < {found['alpha']:g} for each, for scorers after Holm's correction)."
        )
    if not found["is_reachable"]:
        return f"{unreachable_sentence(found)} {_capital(highest)} scored highest."
    return _undecided(found, values, called, first, highest)


def unreachable_sentence(found: Mapping[str, Any]) -> str:
    """Say that no planned test can reach alpha, whatever the scorers do.

    Formula: R references can be swapped in 2^R ways, so the smallest two-sided p is 2 / 2^R; the
    first step of Holm multiplies it by the number of planned tests.
    """
    smallest, tests, alpha = found["smallest_p"], found["tests"], found["alpha"]
    if not tests:
        return "No lead can be tested: tau-b is undefined for the scorers to compare."
    holm = f", which is {min(1.0, smallest * tests):.3g} after Holm's correction over {tests} tests"
    return (
        f"No lead can be shown with {found['references']} references: the smallest p-value of the "
        f"test is {smallest:.3g}{holm if tests > 1 else ''}, and a lead needs one below "
        f"{alpha:g}."
    )


def _undecided(
    found: Mapping[str, Any],
    values: Mapping[str, float],
    called: Mapping[str, str],
    first: str,
    highest: str,
) -> str:
    """Say who scored highest and which leads the planned tests leave open."""
    focus = found["planned_scorer"]
    planned = dict(_pairs_of_focus(found, PLANNED))
    shown = [called[n] for n, pair in planned.items() if pair["verdict"] == BETTER]
    beats = (
        f" {called[focus]} agrees better with annotators than {_listed(shown)}." if shown else ""
    )
    if first == focus:
        against = dict(_pairs_of_focus(found, EXPLORATORY))
        left = [n for n, pair in {**planned, **against}.items() if pair["verdict"] != BETTER]
        rest = _listed([called[n] for n in left if n in values]) or "the scorers without a tau-b"
        lead = f"its lead over {rest} could be chance"
        return f"No clear winner: {highest} scored highest, but {lead}.{beats}"
    pair = planned.get(first)
    if pair is None:
        return f"No clear winner: {highest} scored highest, above every scorer.{beats}"
    if pair["verdict"] == WORSE:
        return (
            f"{_capital(highest)} scored highest and agrees better with annotators than "
            f"{called.get(focus, focus)}. It was not planned to test it against the rest.{beats}"
        )
    lead = f"its lead over {called.get(focus, focus)} could be chance"
    return f"No clear winner: {highest} scored highest, but {lead}.{beats}"


def _pairs_of_focus(
    found: Mapping[str, Any], family: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each scorer or baseline that the planned scorer, the first, is tested against."""
    for one in found["families"]:
        if one["name"] == family:
            for pair in one["pairs"]:
                if pair["first"] == found["planned_scorer"]:
                    yield pair["second"], pair


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
