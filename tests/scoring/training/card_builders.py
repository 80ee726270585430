"""The card of a model as a training leaves it, with everything that it may say."""

from typing import Any, Final


def figure(value: float | None, low: float | None, high: float | None) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high}


def split(items: int, references: tuple[int, int], candidates: tuple[int, int]) -> dict[str, Any]:
    """Return what of a split training has seen: of so many references and candidates, how many."""
    seen = {"references": references, "candidates": candidates}
    return {"items": items} | {name: {"of": of, "seen": n} for name, (of, n) in seen.items()}


FIGURE: Final = figure(0.41, 0.2, 0.6)
MODEL: Final[dict[str, Any]] = {
    "validation": {
        "n": 24,
        "tau_b": 0.41,
        "tau_b_labels": 0.5,
        "accuracy": 0.6,
        "macro_f1": 0.55,
        "references": 8,
        "interval": "jackknife-t",
        "figures": {
            "decisive_accuracy": figure(None, None, None) | {"reason": "No order."},
            "accuracy": figure(0.6, 0.4, 0.8),
            "tau_b_labels": figure(0.5, 0.3, 0.7),
            "tau_b": FIGURE,
        },
        "tie_rates": {"people": 0.25, "scorer": 0.1},
        "without_reference": {"n": 20, "tau_b": figure(0.3, 0.1, 0.5)},
        "overlaps": {
            "rouge-l": {"tau_b": FIGURE, "lead": figure(-0.2, -0.3, -0.1)},
            "rouge-2": {"tau_b": FIGURE, "lead": figure(0.1, -0.1, 0.3)},
            "rouge-1": {
                "tau_b": FIGURE,
                "lead": figure(0.2, 0.1, 0.3)
                | {"p": 0.0312, "p_holm": 0.0624, "verdict": "cannot tell"},
            },
        },
    },
    "n_training": 71,
    "n_validation": 24,
    "epochs_run": 3,
    "best_epoch": 2,
    "tie_threshold": 0.0125,
    "encoder": {
        "name": "/data/encoders/small <b>",
        "kind": "bert",
        "layers": 6,
        "width": 384,
        "parameters": 22_713_216,
        "limit": 4096,
        "own_positions": 512,
        "sha256": "e" * 64,
    },
    "settings": {
        "criterion": "overall_quality",
        "method": "finetune",
        "preset": "default",
        "encoder": "/data/encoders/small <b>",
        "margin": 0.2,
        "allow_download": False,
    },
    "history": [
        {"epoch": 1, "loss": 0.3, "validation_tau": None},
        {"epoch": 2, "loss": 0.2, "validation_tau": 0.41},
    ],
    "warnings": [],
    "chosen": {"chosen_by": "the epoch by tau-b on the validation items"},
    "seen_in_training": {
        "test": split(5, references=(2, 1), candidates=(6, 3)),
        "validation": split(24, references=(8, 0), candidates=(30, 0)),
        "train": split(71, references=(12, 12), candidates=(40, 40)),
    },
}
PROBE: Final[dict[str, Any]] = MODEL | {
    "encoder": {},
    "settings": MODEL["settings"] | {"method": "probe", "encoder": "default"},
    "chosen": {
        "strength": 100.0,
        "weights": {"structure": 0.5, "overlap": 0.125},
        "chosen_by": "a prior of weight 100 comparisons and the training labels",
        "unseen": {"n": 71, "figures": {"tau_b": figure(0.456, 0.3, 0.6)}},
    },
}
"""What the default model says besides: it has no encoder, and knows what it is worth unseen."""
DATA: Final[dict[str, Any]] = {
    "dataset": "cups@2",
    "sha256": "a" * 64,
    "licence": "CC BY-NC 4.0 [x](javascript:y)",
    "split": {"by": "item", "seed": 7},
}
