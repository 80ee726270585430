"""Writes the scales of PatClaimEval-0, measured on rewritten claim sets of the demo campaign.

Usage: PYTHONPATH=. .venv/bin/python scripts/measure_prior.py [--output FILE]
Each reference is rewritten VARIANTS times; every two variants of a reference are a comparison. No
label is read. The tie threshold of a criterion is the difference that a third of the comparisons
do not reach: of the 1,228 published items about a third are ties (Jiang, Scherz and Goetz, ACL
2025).
"""

import argparse
import json
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from annotator.claims.rewriting import rewrite
from scoring.patclaimeval.features import FEATURE_VERSION, FEATURES, feature_vector
from scoring.patclaimeval.prior import FILE, PRIOR
from scoring.patclaimeval.ridge import Comparisons, combine, measure_scales
from scoring.patclaimeval.ridge_training import differences

REFERENCES: Final = Path(__file__).resolve().parents[1] / "fixtures" / "demo" / "references"
VARIANTS: Final = 12
TIES: Final = 1 / 3
DIGITS: Final = 6


def measured() -> dict[str, Any]:
    """Return what the file holds."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(REFERENCES.glob("*.txt"))]
    pairs = [
        (text, rewrite(text, texts[(place + step) % len(texts)], place * VARIANTS + step))
        for place, text in enumerate(texts)
        for step in range(1, VARIANTS + 1)
    ]
    places = [
        (place * VARIANTS + b, place * VARIANTS + c)
        for place in range(len(texts))
        for b, c in combinations(range(VARIANTS), 2)
    ]
    data = Comparisons(
        np.stack([feature_vector(*pair) for pair in pairs]),
        np.array([b for b, _ in places]),
        np.array([c for _, c in places]),
        np.zeros(len(places)),
        [pairs[b][0] for b, _ in places],
    )
    scales = measure_scales(data)
    thresholds = {
        criterion: float(np.quantile(np.abs(differences(combine(scales, prior), data)), TIES))
        for criterion, prior in PRIOR.items()
    }
    return {
        "feature_version": FEATURE_VERSION,
        "made_from": sha256(
            "\0".join(text for pair in pairs for text in pair).encode()
        ).hexdigest(),
        "features": {
            name: {"centre": round(centre, DIGITS), "scale": round(scale, DIGITS)}
            for name, centre, scale in zip(
                FEATURES, scales.centre.tolist(), scales.scale.tolist(), strict=True
            )
        },
        "spread": {group: round(value, DIGITS) for group, value in scales.spread.items()},
        "tie_threshold": {name: round(value, DIGITS) for name, value in thresholds.items()},
    }


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=FILE)
    place = parser.parse_args().output
    place.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
