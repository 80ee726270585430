"""A small report as the agreement job stores it, with every key and made-up figures."""

from copy import deepcopy
from typing import Any

FIGURES = (
    *("tau_b", "tau_b_labels", "tau_paper", "spearman", "pearson"),
    *("accuracy", "decisive_accuracy", "f1_weighted", "f1_macro"),
)
ABSENT = "Put the weights of bertscore into its own directory of metric models."
FLAT = "The scorer gave every item the same score, so there is no order to agree with."
UNKNOWN = "Ceiling unknown: too few candidates were rated by two annotators."


def figure(value: float | None, half: float = 0.2, reason: str = "") -> dict[str, Any]:
    """Return a figure with an interval of `half` to both sides, or without one when it is None."""
    if value is None:
        return {"value": None, "low": None, "high": None, "reason": reason}
    return {
        "value": value, "low": round(value - half, 4), "high": round(value + half, 4),
        "intervals": {"bootstrap": {"low": value - half, "high": value + half}},
        "design_effect": 1.4,
    }  # fmt: skip


def figures(value: float | None, reason: str = "") -> dict[str, Any]:
    """Return every figure of an entry; each is the first one less a hundredth a place."""
    return {
        name: figure(None if value is None else round(value - place / 100, 4), reason=reason)
        for place, name in enumerate(FIGURES)
    }


def counts(table: list[list[int]]) -> dict[str, Any]:
    """Return what an entry counts; rows of the table are people's labels -1, 0, 1."""
    n = sum(map(sum, table))
    return {
        "n": n, "references": 12 if n else 0, "interval": "jackknife-t",
        "tie_rates": {
            "people": sum(table[1]) / n if n else None,
            "scorer": sum(row[1] for row in table) / n if n else None,
        },
        "confusion": {
            "labels": [-1, 0, 1], "rows": "human label", "columns": "predicted label",
            "table": table,
        },
    }  # fmt: skip


def calibrated(value: float) -> dict[str, Any]:
    """Return a calibration by folds."""
    names = ("accuracy", "f1_weighted", "f1_macro", "tau_paper", "tau_b_labels")
    return {
        "threshold": 0.013, "low": 0.011, "high": 0.016, "folds": 5,
        "in_sample": {"threshold": 0.012, "f1_weighted": round(value + 0.05, 4)},
        **{name: figure(value) for name in names},
    }  # fmt: skip


def entry(value: float, table: list[list[int]], **more: Any) -> dict[str, Any]:
    """Return an entry of a scorer that could score."""
    name = more.pop("name")
    return {
        "version": f"{name} 1.0", "kind": "metric", "label": name, "unavailable": "",
        **figures(value), **counts(table), "calibrated": calibrated(value),
        "without_reference_items": {
            **figures(round(value / 2, 4)), **counts([[9, 3, 4], [3, 4, 3], [4, 2, 8]]),
        },
        "signature": f"criterion:overall_quality|scorers:{name} = {name} 1.0", **more,
    }  # fmt: skip


def unavailable(reason: str = ABSENT) -> dict[str, Any]:
    """Return an entry of a scorer that could not score."""
    nothing = [[0] * 3 for _ in range(3)]
    return {
        "version": None, "kind": "metric", "label": "BERTScore", "unavailable": reason,
        **figures(None, reason), **counts(nothing), "calibrated": {"reason": reason},
        "without_reference_items": {**figures(None, reason), **counts(nothing)}, "signature": "",
    }  # fmt: skip


def pair(first: str, second: str, difference: float, verdict: str) -> dict[str, Any]:
    """Return one comparison of two scorers."""
    words = {"better": "is better than", "worse": "is worse than"}.get(
        verdict, "cannot be distinguished from"
    )
    return {
        "first": first, "second": second, "difference": difference,
        "low": round(difference - 0.1, 4), "high": round(difference + 0.1, 4), "p": 0.01,
        "p_holm": 0.03, "verdict": verdict, "sentence": f"{first} {words} {second}.",
    }  # fmt: skip


def group(name: str, **values: float | None) -> dict[str, Any]:
    """Return one group of a breakdown with tau-b by scorer."""
    return {
        "group": name, "n": 20, "references": 6,
        "scorers": {
            scorer.replace("_", "-"): figure(value, reason="Every label of this group is a tie.")
            for scorer, value in values.items()
        },
    }  # fmt: skip


def _breakdowns() -> dict[str, Any]:
    return {
        "system": {"reason": "Systems are hidden until the campaign closes.", "groups": []},
        "ipc": {
            "reason": "",
            "groups": [group("A", bleu_1=0.3, rouge_l=0.2), group("G", bleu_1=0.1, rouge_l=None)],
        },
        "language": {"reason": "All items are in one language.", "groups": []},
        "length": {"reason": "", "groups": [group("up to 300 words", bleu_1=0.4, rouge_l=0.3)]},
        "reference_in_items": {
            "reason": "", "groups": [group("with the reference", bleu_1=0.8, rouge_l=0.7)],
        },
    }  # fmt: skip


def _ceiling() -> dict[str, Any]:
    shares = {"tau_paper": figure(0.5), "accuracy": figure(0.6), "f1_weighted": figure(0.58)}
    return {
        "value": 0.55, "low": 0.45, "high": 0.65, "n": 40, "annotators": 2, "references": 10,
        **shares,
        "per_annotator": [
            {"annotator": "Annotator 1", "n": 40, "value": 0.57},
            {"annotator": "Annotator 2", "n": 40, "value": 0.53},
        ],
    }  # fmt: skip


def _checks() -> dict[str, Any]:
    return {
        "items": 60, "references": 12, "candidates": 48, "labels": {"-1": 22, "0": 15, "1": 23},
        "contain_reference": {
            "items": 20, "byte_identical": 18, "white_space_only": 2, "reference_preferred": 19,
        },
        "self_comparisons": 1, "white_space_twins": 2,
        "duplicates": {"items": 3, "contradicting": 1}, "references_with_shared_text": 0,
        "transitivity": {"triads": 30, "violations": 2}, "implied": {"share": 0.25, "reason": ""},
        "shared_texts": {"texts": 0, "splits": []}, "annotators": 3,
        "languages": {"items": {"en": 60}, "two_scripts": 0, "otherwise": 0},
    }  # fmt: skip


def report_document(**changes: Any) -> dict[str, Any]:
    """Return a finished report: two n-gram metrics, one without weights, two baselines."""
    table = [[12, 4, 6], [4, 7, 4], [5, 3, 15]]
    document: dict[str, Any] = {
        "question": {
            "criterion": "overall_quality", "dataset": "cups@1", "dataset_sha256": "ab" * 32,
            "split": "test", "tie_threshold": 1e-4, "seed": 0, "resamples": 1000,
            "code_version": "2", "systems_shown": False, "n_asked": 62,
        },
        "scorers": {
            "bleu-1": entry(0.31, table, name="bleu-1"),
            "rouge-l": entry(0.44, table, name="rouge-l"), "bertscore": unavailable(),
        },
        "baselines": {
            "majority": entry(0.0, table, name="majority", kind="baseline")
            | {"tau_b": figure(None, reason=FLAT)},
            "length": entry(0.12, table, name="length", kind="baseline"),
        },
        "human_ceiling": _ceiling(),
        "published": {
            "bleu-1": {
                "tau_paper": 0.326, "spearman": 0.369, "accuracy": 0.522, "f1_weighted": 0.443,
                "comparable": True, "source": "a paper, table 4",
            },
        },
        "dropped": {
            "items": 2,
            "rule": "An item without a finite score of every scorer is dropped for all.",
            "scorers": {"rouge-l": {"missing": 2, "infinite": 0, "reasons": {"No words.": 2}}},
            "listed": [{"id": "q7", "scorers": ["rouge-l"], "reason": "No words."}],
        },
        "comparisons": {
            "statistic": "tau_b", "permutations": 10000, "alpha": 0.05,
            "smallest_p": 0.0005, "references": 12, "tests": 1, "is_reachable": True,
            "planned_scorer": "bleu-1",
            "families": [
                {
                    "name": "planned", "is_adjusted": True,
                    "pairs": [pair("bleu-1", "rouge-l", -0.13, "worse")],
                },
                {
                    "name": "exploratory", "is_adjusted": False,
                    "pairs": [pair("bleu-1", "length", 0.19, "cannot tell") | {"p_holm": None}],
                },
            ],
            "best": ["rouge-l"], "best_sentence": "rouge-l is better than every other scorer.",
        },
        "power": {
            "smallest_difference": 0.21, "power": 0.8, "alpha": 0.05,
            "sentence": "With 60 items a difference below 0.21 would probably be missed.",
        },
        "breakdowns": _breakdowns(),
        "scatter": {
            "bleu-1": {
                "kind": "ratings", "points": [[2.0, 0.31], [5.0, 0.42], [5.5, 0.4], [9.0, 0.66]],
                "n": 4, "pearson": figure(0.8), "spearman": figure(0.7), "reason": "",
            },
            "rouge-l": {
                "kind": "differences", "points": [[-1, -0.2], [0, 0.01], [1, 0.15], [1, 0.3]],
                "n": 4, "pearson": figure(0.9), "spearman": figure(0.9), "reason": "",
            },
            "bertscore": {
                "kind": "differences", "points": [], "n": 0, "pearson": None, "spearman": None,
                "reason": ABSENT,
            },
        },
        "checks": _checks(),
        "method": {"tau_b": "Kendall's tau-b of score differences with labels of people."},
        "signature": "criterion:overall_quality|data:cups@1|n:60|tie:0.0001",
    }  # fmt: skip
    return deepcopy(document | changes)


def judged_document() -> dict[str, Any]:
    """Return the report with rouge-l as a scorer that compares two candidates in both orders."""
    document = report_document()
    document["scorers"]["rouge-l"] |= {
        "label": "Judge_1", "order_consistency": {"value": 45 / 58, "n": 58},
    }  # fmt: skip
    return document


def released_document() -> dict[str, Any]:
    """Return a report as release 0.1.0 stored it: no scorer was planned, languages not counted."""
    document = report_document()
    compared = document["comparisons"]
    del compared["planned_scorer"], document["checks"]["languages"]
    for name, family in zip(("scorers", "baselines"), compared["families"], strict=True):
        del family["is_adjusted"]
        family["name"] = name
    nothing = {"value": None, "low": None, "high": None, "reason": UNKNOWN}
    return document | {"human_ceiling": nothing}
