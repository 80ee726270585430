"""PatClaimEval-0: the default model before any label, from its prior and scales that ship with it.

``patclaimeval_0.json`` holds centre and scale of each feature, the spread of each group, and the
tie threshold of each criterion, measured on rewritten claim sets that no person rated.
``scripts/measure_prior.py`` writes it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from scoring.patclaimeval.errors import CheckpointInvalid
from scoring.patclaimeval.features import FEATURE_VERSION, FEATURES, GROUPS
from scoring.patclaimeval.ridge import PRIOR, Scales, combine
from scoring.patclaimeval.ridge_training import prior_of
from scoring.patclaimeval.scorer import LinearScorer

NAME: Final = "patclaimeval-0"
LABEL: Final = "PatClaimEval-0"
FILE: Final = Path(__file__).parent / "patclaimeval_0.json"


@cache
def load_prior(criterion: str) -> LinearScorer:
    """Return PatClaimEval-0 for a criterion; one that is none of the rubric's gets the overall's.

    Raises ``CheckpointInvalid`` if the file belongs to other features than this program computes.
    """
    stored = _stored()
    if stored["feature_version"] != FEATURE_VERSION:
        raise CheckpointInvalid(
            "patclaimeval_0.json belongs to another version of the features; write it anew with "
            "scripts/measure_prior.py."
        )
    features = [stored["features"][name] for name in FEATURES]
    scales = Scales(
        np.array([one["centre"] for one in features]),
        np.array([one["scale"] for one in features]),
        {group: stored["spread"][group] for group in GROUPS},
    )
    thresholds = stored["tie_threshold"]
    known = criterion if criterion in PRIOR else "overall_quality"
    config = {"kind": "prior", "criterion": criterion, "tie_threshold": thresholds[known]}
    return LinearScorer(combine(scales, prior_of(criterion)), config)


def prior_version() -> str:
    """Return what decides its scores besides the code of the features."""
    return f"features {FEATURE_VERSION}, scales {_stored()['made_from'][:12]}"


@cache
def _stored() -> dict[str, Any]:
    return dict(json.loads(FILE.read_bytes()))
