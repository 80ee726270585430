"""Agreement figures that papers have printed, to stand beside a report's own."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parent.parent / "published_agreement.csv"


def published_figures(criterion: str) -> dict[str, dict[str, Any]]:
    """Read the published figures of one criterion.

    Input: a criterion key. Output: JSON-ready, by scorer name: tau (the papers' own), rho,
    accuracy and f1 as shares in 0..1, `comparable` (False where the paper used other items) and
    `source`; empty for a criterion without published figures.
    """
    return {
        row["scorer"]: {
            "tau_paper": float(row["tau"]),
            "spearman": float(row["rho"]),
            "accuracy": round(float(row["accuracy_percent"]) / 100, 3),
            "f1_weighted": round(float(row["f1_percent"]) / 100, 3),
            "comparable": row["comparable"] == "yes",
            "source": row["source"],
        }
        for row in _rows()
        if row["criterion"] == criterion
    }


@cache
def _rows() -> tuple[dict[str, str], ...]:
    with TABLE.open(encoding="utf-8", newline="") as table:
        return tuple(csv.DictReader(table))
