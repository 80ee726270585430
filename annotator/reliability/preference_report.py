"""All figures of agreement on preferences for one criterion, as plain data."""

from __future__ import annotations

import numpy as np

from annotator.reliability.ac2 import gwet_ac2
from annotator.reliability.alpha import krippendorff_alpha
from annotator.reliability.cohen import cohen_kappas
from annotator.reliability.criterion_report import plain_pairs
from annotator.reliability.plain import Plain, plain_estimate
from annotator.reliability.raw_agreement import raw_agreement
from annotator.reliability.resampling import DRAWS
from annotator.reliability.tables import Table

ANSWERS = (-1, 0, 1)


def preference_report(table: Table, draws: int = DRAWS, seed: int = 0) -> Plain:
    """Measure how far annotators agree on which of two candidates is better.

    Input: a table whose items are pairs of candidates in one fixed orientation, with answers -1, 0
    (equal) and 1; resamples and seed. Output: `answers` (counts of -1, 0, 1), `figures` (exact,
    kappa = mean unweighted kappa, alpha_ordinal, alpha_nominal, ac1), `pairs` (kappa of each two
    annotators). Formulas and sources: see the functions called; AC1 is AC2 with identity weights.
    """
    answers = table.values[table.is_rated]
    kappas = cohen_kappas(table, draws=draws, seed=seed)
    # The three answers as 0, 1, 2: a scale that AC2 knows.
    counted = Table(table.values + 1, table.clusters, table.items, table.annotators)
    return {
        "answers": [int(np.count_nonzero(answers == answer)) for answer in ANSWERS],
        "figures": [
            plain_estimate("exact", raw_agreement(table, 0, draws, seed).exact),
            plain_estimate("kappa", kappas.mean),
            plain_estimate("alpha_ordinal", krippendorff_alpha(table, "ordinal", draws, seed)),
            plain_estimate("alpha_nominal", krippendorff_alpha(table, "nominal", draws, seed)),
            plain_estimate("ac1", gwet_ac2(counted, "identity", 2, draws, seed)),
        ],
        "pairs": plain_pairs(kappas),
    }
