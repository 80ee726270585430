"""All figures of agreement on one criterion, as plain data: coefficients, histogram, plan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotator.reliability.ac2 import gwet_ac2
from annotator.reliability.alpha import Level, krippendorff_alpha
from annotator.reliability.components import Components
from annotator.reliability.estimates import Estimate
from annotator.reliability.icc import intraclass_correlations
from annotator.reliability.kappa import quadratic_kappas
from annotator.reliability.order import OrderAgreement, order_agreement
from annotator.reliability.pairwise import Kappas
from annotator.reliability.plain import Plain, plain_estimate, scaled
from annotator.reliability.planning import annotators_needed
from annotator.reliability.raw_agreement import raw_agreement
from annotator.reliability.resampling import DRAWS
from annotator.reliability.tables import Table

STANDARD_ERRORS = (0.25, 0.5, 1.0)
HIGHEST_POINTS = 10
LEVELS: tuple[Level, ...] = ("interval", "ordinal", "nominal")

Check = Callable[[], None]


def criterion_report(
    table: Table,
    unit: int = 1,
    check: Check = lambda: None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Plain:
    """Measure how far annotators agree on one criterion.

    Input: a table of whole scores 0 to 10 x `unit`; units a point (11 for overall numerators);
    a function called between figures, which may raise to stop; resamples, seed. Output: `figures`
    (a list of plain estimates), `pairs` (quadratic kappa of each two annotators), `order` (counts),
    `histogram` (11 counts, scores rounded half up to whole points), `components` (variances
    in points squared, or None), `ratings_per_item`, `plan` (annotators for each of
    STANDARD_ERRORS); all distances in points. Formulas: see the functions called.
    """
    figures: list[Plain] = []

    def add(key: str, found: Estimate, of_points: bool = False) -> None:
        figures.append(plain_estimate(key, found, unit if of_points else 1))
        check()

    for level in LEVELS:
        add(f"alpha_{level}", krippendorff_alpha(table, level, draws, seed))
    icc = intraclass_correlations(table, None, draws, seed)
    add("icc_single", icc.single)
    add("icc_mean", icc.mean)
    kappas = quadratic_kappas(table, draws=draws, seed=seed)
    add("kappa_quadratic", kappas.mean)
    add("ac2", gwet_ac2(table, "quadratic", HIGHEST_POINTS * unit, draws, seed))
    raw = raw_agreement(table, unit, draws, seed)
    add("exact", raw.exact)
    add("within_one", raw.within)
    add("mean_difference", raw.mean_difference, of_points=True)
    order = order_agreement(table, draws, seed)
    add("order_tau", order.tau)
    add("order_flips", order.flips)
    return {
        "figures": figures,
        "pairs": plain_pairs(kappas),
        "order": _counts(order),
        "histogram": histogram(table, unit),
        "components": _variances(icc.components, unit),
        "ratings_per_item": icc.k,
        "plan": _plan(icc.components, unit, icc.single.reason),
    }


def plain_pairs(kappas: Kappas) -> list[Plain]:
    """List the kappa of each two annotators. Output: `first`, `second` and a plain estimate."""
    return [
        {"first": pair.first, "second": pair.second} | plain_estimate("kappa", pair.estimate)
        for pair in kappas.pairs
    ]


def histogram(table: Table, unit: int) -> list[int]:
    """Count the scores by whole points, rounded half up. Output: 11 counts, for 0 to 10."""
    scores = table.values[table.is_rated].astype(np.int64)
    points = (2 * scores + unit) // (2 * unit)
    return [int(count) for count in np.bincount(points, minlength=HIGHEST_POINTS + 1)]


def _counts(order: OrderAgreement) -> Plain:
    return {
        "concordant": order.concordant,
        "discordant": order.discordant,
        "tied_by_one": order.tied_by_one,
        "tied_by_both": order.tied_by_both,
    }


def _variances(found: Components | None, unit: int) -> Plain | None:
    if found is None:
        return None
    return {
        "items": scaled(found.items, unit**2),
        "annotators": scaled(found.annotators, unit**2),
        "residual": scaled(found.residual, unit**2),
    }


def _plan(found: Components | None, unit: int, reason: str) -> list[Plain]:
    return [
        {
            "standard_error": wanted,
            "annotators": annotators_needed(found, wanted * unit) if found else None,
            "reason": "" if found else reason,
        }
        for wanted in STANDARD_ERRORS
    ]
