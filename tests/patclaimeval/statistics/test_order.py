"""No coefficient depends on the order or the names of items and annotators."""

from collections.abc import Callable, Iterable

import pytest

from patclaimeval.statistics.coefficients import (
    cohen_kappas,
    gwet_ac2,
    intraclass_correlations,
    krippendorff_alpha,
    quadratic_kappas,
    raw_agreement,
)
from patclaimeval.statistics.tables import Estimate, Table
from tests.amounts import tries
from tests.patclaimeval.statistics.conftest import random_tables, shuffled


def raw(table: Table) -> tuple[Estimate, ...]:
    found = raw_agreement(table)
    return found.exact, found.within, found.mean_difference


COEFFICIENTS: dict[str, Callable[[Table], Iterable[Estimate]]] = {
    "nominal alpha": lambda table: [krippendorff_alpha(table, "nominal")],
    "ordinal alpha": lambda table: [krippendorff_alpha(table, "ordinal")],
    "interval alpha": lambda table: [krippendorff_alpha(table, "interval")],
    "AC2": lambda table: [gwet_ac2(table)],
    "ICC": lambda table: [intraclass_correlations(table).single],
    "quadratic kappa": lambda table: [quadratic_kappas(table, least_items=2).mean],
    "Cohen's kappa": lambda table: [cohen_kappas(table, 2, draws=10).mean],
    "raw agreement": raw,
}


@pytest.mark.parametrize("estimates", COEFFICIENTS.values(), ids=COEFFICIENTS)
def test_the_order_of_items_and_annotators_changes_nothing(estimates) -> None:
    for table in random_tables(tries(50), seed=1):
        for one, two in zip(estimates(table), estimates(shuffled(table)), strict=True):
            for name in ("value", "low", "high"):
                assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-8)
