"""The parts of a model's card that its page and its README share, out of what a training left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.plots.shares import share_words

Card = Mapping[str, Any]

AGREEMENT: Final = (
    ("tau_b", "tau-b", "of score differences with labels; no tie threshold"),
    ("tau_b_labels", "tau-b of labels", "after the tie threshold"),
    ("accuracy", "accuracy", "share of items with the human label"),
    ("decisive_accuracy", "decisive accuracy", "where people prefer one candidate"),
)
OVERLAP_NAMES: Final = {"rouge-1": "ROUGE-1", "rouge-2": "ROUGE-2", "rouge-l": "ROUGE-L"}
SPLITS_SHOWN: Final = ("train", "validation", "test")
# What a training keeps for the record and no reader of a card asks for.
_UNTOLD: Final = frozenset({"criterion", "allow_download"})


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95 % interval, or the reason why there is none; a note says what it is."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Overlap:
    """An n-gram metric on the same items: its tau-b, and by how much the model leads."""

    name: str
    tau_b: Figure
    lead: Figure
    verdict: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A split: its items, and how many of its references and candidates training saw, in words."""

    split: str
    items: int
    references: str
    candidates: str
    leaks: bool


def agreement(card: Card) -> tuple[Figure, ...]:
    """Return the figures on the validation items, in their order; older cards have no interval."""
    found = card.get("validation") or {}
    detailed = found.get("figures") or {}
    return tuple(
        _figure(name, detailed.get(key) or {"value": found[key]}, note)
        for key, name, note in AGREEMENT
        if key in detailed or key in found
    )


def without_reference(card: Card) -> tuple[Figure, int] | None:
    """Return tau-b without the items that hold the reference, and their number, where it is new."""
    found = card.get("validation") or {}
    left = found.get("without_reference")
    if not left or left["n"] == found.get("n"):
        return None
    return _figure("tau-b without the reference", left["tau_b"]), left["n"]


def overlaps(card: Card) -> tuple[Overlap, ...]:
    """Return the n-gram metrics beside the model, in a fixed order; none on older cards."""
    found = (card.get("validation") or {}).get("overlaps") or {}
    return tuple(
        Overlap(
            words,
            _figure(words, found[name]["tau_b"]),
            _figure(f"lead over {words}", found[name]["lead"]),
            verdict(found[name]["lead"]),
        )
        for name, words in OVERLAP_NAMES.items()
        if name in found
    )


def verdict(lead: Card) -> str:
    """Say what a lead with its 95 % interval shows: better, worse, or that one cannot tell."""
    if lead.get("low") is None or lead.get("high") is None:
        return "cannot tell"
    if lead["low"] > 0:
        return "better"
    return "worse" if lead["high"] < 0 else "cannot tell"


def seen(card: Card) -> tuple[Seen, ...]:
    """Return the splits with what training saw of them; none where the card does not say."""
    found = card.get("seen_in_training") or {}
    return tuple(
        Seen(
            split,
            found[split]["items"],
            _share(found[split]["references"]),
            _share(found[split]["candidates"]),
            split != "train" and bool(found[split]["references"]["seen"]),
        )
        for split in SPLITS_SHOWN
        if split in found and found[split]["items"]
    )


def data_facts(data: Card) -> Iterator[tuple[str, str]]:
    """Yield on what a model was trained: dataset, digest, licence, split, as name and words."""
    yield "Dataset", str(data["dataset"])
    yield "sha256 of the dataset", str(data["sha256"])
    yield "Licence of the data", str(data.get("licence") or "none is stated")
    if split := data.get("split"):
        yield "Split", f"by {split['by']}, seed {split.get('seed', 0)}"


def model_facts(card: Card) -> Iterator[tuple[str, str]]:
    """Yield what was trained and what was chosen on the way, as name and words."""
    settings, encoder = card.get("settings") or {}, card.get("encoder") or {}
    if settings:
        yield "Method", f"{settings['method']}, preset {settings.get('preset', 'default')}"
    if encoder:
        yield "Encoder", encoder_words(encoder)
        yield "sha256 of the encoder", str(encoder.get("sha256", ""))
    if "n_training" in card:
        beside = f", {card['n_validation']} for validation" if "n_validation" in card else ""
        yield "Trained on", f"{card['n_training']} quadruplets{beside}"
    if "epochs_run" in card and "best_epoch" in card:
        yield "Epochs", f"{card['epochs_run']} run, epoch {card['best_epoch']} kept"
    if card.get("tie_threshold") is not None:
        yield "Tie threshold", f"{card['tie_threshold']:.6g}"
    yield from _chosen(card.get("chosen") or {})


def settings_facts(card: Card) -> list[tuple[str, str]]:
    """Return the settings of a training in the order of their names."""
    settings = dict(card.get("settings") or {})
    if "encoder" in settings:
        settings["encoder"] = _last_part(settings["encoder"])
    return [(name, str(settings[name])) for name in sorted(settings) if name not in _UNTOLD]


def encoder_words(encoder: Card) -> str:
    """Say which encoder it is: its name without a path, its kind and size."""
    name = _last_part(encoder.get("name", ""))
    size = encoder.get("parameters")
    told = [str(encoder.get("kind", "")), f"{encoder.get('layers')} layers" if size else ""]
    told.append(f"{size / 1e6:.1f} million parameters" if size else "")
    return ", ".join(word for word in (name, *told) if word)


def _last_part(place: Any) -> str:
    """Keep of a directory its name: where it lies tells of the machine."""
    return str(place).rstrip("/").rsplit("/", 1)[-1]


def _chosen(chosen: Card) -> Iterator[tuple[str, str]]:
    if chosen.get("chosen_by"):
        yield "Chosen by", str(chosen["chosen_by"])
    if chosen.get("weight_decay") is None:
        return
    scale = chosen.get("distance_scale")
    yield (
        # Older cards do not say how; those of fewer than ten references were not chosen.
        "Chosen" if chosen.get("chosen_by") else "Chosen by folds or recommended",
        f"weight decay {chosen['weight_decay']:g}, distance scale {scale:g}"
        if scale is not None
        else f"weight decay {chosen['weight_decay']:g}",
    )
    if chosen.get("folds_tau") is not None:
        yield "tau-b over these folds", f"{chosen['folds_tau']:.3f} (chosen on it: too high)"


def _figure(name: str, found: Card, note: str = "") -> Figure:
    return Figure(
        name,
        found.get("value"),
        found.get("low"),
        found.get("high"),
        found.get("reason") or "Too few items, or all alike.",
        note,
    )


def _share(count: Card) -> str:
    return f"{count['seen']} of {count['of']} ({share_words(count['seen'], count['of'])})"
