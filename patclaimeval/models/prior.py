"""PatClaimEval-0: the default model before any label, from its prior and scales that ship with it.

``patclaimeval_0.json`` holds centre and scale of each feature, the spread of each group, and the
tie threshold of each criterion, measured once on claim sets that a program had rewritten
and no person rated (docs/adr/0029). Importing this loads no numpy: a web process may.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from patclaimeval.models.config import code_version
from patclaimeval.models.errors import CheckpointInvalid

if TYPE_CHECKING:
    from patclaimeval.models.ridge import Scales
    from patclaimeval.models.scorer import LinearScorer

NAME: Final = "patclaimeval-0"
LABEL: Final = "PatClaimEval-0"
FILE: Final = Path(__file__).parent / "patclaimeval_0.json"
OTHER: Final = "overall_quality"
"""Whose figures a criterion takes that is none of the rubric's."""
PRIOR: Final[Mapping[str, Mapping[str, float]]] = {
    "feature_completeness": {"structure": 0.4, "overlap": 0.4, "terms": 0.2},
    "conceptual_clarity": {"vagueness": 0.4, "antecedents": 0.3, "order": 0.2, "terms": 0.1},
    "terminology_consistency": {"renaming": 0.6, "terms": 0.3, "overlap": 0.1},
    "logical_linkage": {"citations": 0.6, "structure": 0.2, "antecedents": 0.2},
    "overall_quality": {"structure": 0.5, "overlap": 0.25, "terms": 0.25},
}
"""w0 by criterion: what each group counts before any label is seen; other groups count nothing."""


def prior_of(criterion: str) -> Mapping[str, float]:
    """Return w0 of a criterion; one that is none of the rubric's gets the overall's."""
    return PRIOR.get(criterion, PRIOR[OTHER])


@cache
def load_prior(criterion: str) -> LinearScorer:
    """Return PatClaimEval-0 for a criterion; one that is none of the rubric's gets the overall's.

    Raises ``CheckpointInvalid`` if the file belongs to other features than this program computes.
    """
    from patclaimeval.models.ridge import combine
    from patclaimeval.models.scorer import LinearScorer

    config = {
        "kind": "prior",
        "criterion": criterion,
        "tie_threshold": prior_tie_threshold(criterion),
    }
    return LinearScorer(combine(prior_scales(), prior_of(criterion)), config)


def prior_scales() -> Scales:
    """Return the scales of PatClaimEval-0, which are those of every criterion.

    Raises ``CheckpointInvalid`` if the file belongs to other features than this program computes.
    """
    import numpy as np

    from patclaimeval.models.features import FEATURE_VERSION, FEATURES, GROUPS
    from patclaimeval.models.ridge import Scales

    stored = _stored()
    if stored["feature_version"] != FEATURE_VERSION:
        raise CheckpointInvalid(
            "patclaimeval_0.json belongs to another version of the features; measure its scales "
            "again, as docs/adr/0029 describes."
        )
    features = [stored["features"][name] for name in FEATURES]
    return Scales(
        np.array([one["centre"] for one in features]),
        np.array([one["scale"] for one in features]),
        {group: stored["spread"][group] for group in GROUPS},
    )


def prior_tie_threshold(criterion: str) -> float:
    """Return the difference of two scores up to which PatClaimEval-0 calls a tie."""
    thresholds = _stored()["tie_threshold"]
    return float(thresholds.get(criterion, thresholds[OTHER]))


def prior_version() -> str:
    """Return what decides its scores besides the code of the features."""
    return f"scales {_stored()['made_from'][:12]}"


def prior_sha256(criterion: str) -> str:
    """Return what a cache knows its scores of a criterion by, 64 hex digits."""
    return sha256(f"{criterion} {code_version()} ".encode() + FILE.read_bytes()).hexdigest()


@cache
def _stored() -> dict[str, Any]:
    return dict(json.loads(FILE.read_bytes()))
