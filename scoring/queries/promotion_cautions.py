"""What speaks against promoting a model: no figures, worse than the promoted one or a baseline."""

from collections.abc import Mapping
from typing import Any, Final

from annotator.jobs.rows import JobStatus
from scoring.models import AgreementReport, ModelVersion
from scoring.queries.models import MODEL_PREFIX
from scoring.queries.promotions import standing_promotion

FEW: Final = 20


def cautions(model: ModelVersion) -> list[str]:
    """Return sentences, none if nothing speaks against the model.

    Read are its validation figures and the newest finished report that holds it.
    """
    found = _of_erasures(model) + _of_validation(model)
    active = standing_promotion(model)
    active_model = None if active is None or active.model_id == model.pk else active.model
    result = _report_on(model)
    if result is None:
        found.append(
            "No agreement report holds this model against baselines; ask for one on a test split."
        )
        if active_model is not None:
            found += _by_validation(model, active_model)
        return found
    return found + _by_report(model, active_model, result)


def _of_erasures(model: ModelVersion) -> list[str]:
    if model.retire_since is None:
        return []
    return [
        f"A matter that it was trained on was erased on {model.retire_since:%Y-%m-%d}: it is to "
        "be retired, and another one trained without that matter."
    ]


def _of_validation(model: ModelVersion) -> list[str]:
    figures = model.card["validation"]
    n, tau = figures.get("n") or 0, figures.get("tau_b")
    if tau is None:
        return ["Its tau-b on validation is undefined: nothing is known of how well it scores."]
    found = []
    if tau <= 0:
        found.append(f"Its tau-b on validation is {tau:.3f}: no better than chance.")
    if n < FEW:
        found.append(f"It was validated on {n} quadruplets only.")
    overlaps = figures.get("overlaps", {})
    known = {name: value for name, row in overlaps.items() if (value := _tau(row)) is not None}
    if known:
        best = max(known, key=lambda name: (known[name], name))
        found += _worse(tau, known[best], best, "on validation")
    return found


def _by_validation(model: ModelVersion, active: ModelVersion) -> list[str]:
    if model.dataset_sha256 != active.dataset_sha256:
        return [
            "It was validated on other data than the promoted model; only a report with both "
            "compares them."
        ]
    own, other = (row.card["validation"].get("tau_b") for row in (model, active))
    return _worse(own, other, "the promoted model", "on validation")


def _by_report(
    model: ModelVersion, active: ModelVersion | None, result: Mapping[str, Any]
) -> list[str]:
    scorers, baselines = result["scorers"], result["baselines"]
    own = _tau(scorers[_name(model)])
    found = [] if own is not None else ["Its tau-b in the newest report is undefined."]
    known = {name: tau for name, row in baselines.items() if (tau := _tau(row)) is not None}
    if known:
        best = max(known, key=lambda name: (known[name], name))
        found += _worse(own, known[best], f"the baseline {best}", "in the newest report")
    if active is None:
        return found
    if _name(active) in scorers:
        other = _tau(scorers[_name(active)])
        return found + _worse(own, other, "the promoted model", "in the newest report")
    return found + _by_validation(model, active)


def _worse(own: float | None, other: float | None, whom: str, where: str) -> list[str]:
    if own is None or other is None or own >= other:
        return []
    return [f"Its tau-b {where} is {own:.3f}, that of {whom} {other:.3f}."]


def _report_on(model: ModelVersion) -> Mapping[str, Any] | None:
    """Return the result of the newest finished report that holds the model."""
    rows = AgreementReport.objects.filter(criterion=model.criterion, status=JobStatus.SUCCEEDED)
    # SQLite cannot look into a JSON list.
    for pk, scorers in rows.order_by("-created_at").values_list("pk", "scorers"):
        if _name(model) in scorers:
            return rows.get(pk=pk).result
    return None


def _name(model: ModelVersion) -> str:
    return f"{MODEL_PREFIX}{model.pk}"


def _tau(row: Mapping[str, Any]) -> float | None:
    value: float | None = row["tau_b"]["value"]
    return value
