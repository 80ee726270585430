"""The card of a model as a training leaves it, with everything that it may say."""

from typing import Any, Final

FIGURE: Final = {"value": 0.41, "low": 0.2, "high": 0.6}
MODEL: Final[dict[str, Any]] = {
    "validation": {
        "n": 24, "tau_b": 0.41, "tau_b_labels": 0.5, "accuracy": 0.6, "macro_f1": 0.55,
        "references": 8, "interval": "jackknife-t",
        "figures": {
            "decisive_accuracy": {"value": None, "low": None, "high": None, "reason": "No order."},
            "accuracy": {"value": 0.6, "low": 0.4, "high": 0.8},
            "tau_b_labels": {"value": 0.5, "low": 0.3, "high": 0.7}, "tau_b": FIGURE,
        },
        "tie_rates": {"people": 0.25, "scorer": 0.1},
        "without_reference": {"n": 20, "tau_b": {"value": 0.3, "low": 0.1, "high": 0.5}},
        "overlaps": {
            "rouge-l": {"tau_b": FIGURE, "lead": {"value": -0.2, "low": -0.3, "high": -0.1}},
            "rouge-2": {"tau_b": FIGURE, "lead": {"value": 0.1, "low": -0.1, "high": 0.3}},
            "rouge-1": {"tau_b": FIGURE, "lead": {"value": 0.2, "low": 0.1, "high": 0.3}},
        },
    },
    "n_training": 71, "n_validation": 24, "epochs_run": 3, "best_epoch": 2,
    "tie_threshold": 0.0125,
    "encoder": {
        "name": "/data/encoders/small <b>", "kind": "bert", "layers": 6, "width": 384,
        "parameters": 22_713_216, "limit": 4096, "own_positions": 512, "sha256": "e" * 64,
    },
    "settings": {
        "criterion": "overall_quality", "method": "probe", "preset": "default",
        "encoder": "/data/encoders/small <b>", "margin": 0.2, "allow_download": False,
    },
    "history": [
        {"epoch": 1, "loss": 0.3, "validation_tau": None},
        {"epoch": 2, "loss": 0.2, "validation_tau": 0.41},
    ],
    "warnings": [], "chosen": {"weight_decay": 12.0, "distance_scale": 0.1, "folds_tau": 0.456},
    "seen_in_training": {
        "test": {
            "items": 5, "references": {"of": 2, "seen": 1}, "candidates": {"of": 6, "seen": 3},
        },
        "validation": {
            "items": 24, "references": {"of": 8, "seen": 0}, "candidates": {"of": 30, "seen": 0},
        },
        "train": {
            "items": 71, "references": {"of": 12, "seen": 12},
            "candidates": {"of": 40, "seen": 40},
        },
    },
}  # fmt: skip
DATA: Final[dict[str, Any]] = {
    "dataset": "cups@2", "sha256": "a" * 64, "licence": "CC BY-NC 4.0 [x](javascript:y)",
    "split": {"by": "item", "seed": 7},
}  # fmt: skip
