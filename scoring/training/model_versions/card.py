"""The card of a model version: what it is, what it was trained on, how far to trust it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.plots.shares import format_share
from patclaimeval.agreement.verdicts import WORSE
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.models.config import FORMER_SETTINGS
from patclaimeval.models.prior import LABEL as PRIOR_LABEL
from patclaimeval.models.prior import NAME as PRIOR_NAME
from patclaimeval.rubric import NAMES
from scoring.datasets.markdown import NOTHING, escaped, number, section, table

Card = Mapping[str, Any]

AGREEMENT: Final = (
    ("tau_b", "tau-b", "of score differences with labels; no tie threshold"),
    ("tau_b_labels", "tau-b of labels", "after the tie threshold"),
    ("accuracy", "accuracy", "share of items with the human label"),
    ("decisive_accuracy", "decisive accuracy", "where people prefer one candidate"),
)
OVERLAP_NAMES: Final = {
    **{name: entry.label for name, entry in NGRAM.items()},
    PRIOR_NAME: PRIOR_LABEL,
}
SPLITS_SHOWN: Final = ("train", "validation", "test")
# What a training stores for the record and no reader of a card asks for.
_HIDDEN: Final = FORMER_SETTINGS | {"criterion"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95 % interval, or the reason why there is none; a note is what it is."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Overlap:
    """An n-gram metric on the same items: its tau-b, and by how much the model leads.

    ``p_holm`` is None where the lead is undefined, and on older cards.
    """

    name: str
    tau_b: Figure
    lead: Figure
    verdict: str
    p_holm: float | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A split: its items, and how many of its references and candidates training saw, as text."""

    split: str
    items: int
    references: str
    candidates: str
    leaks: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """How far a model agrees with people on some items, and n-gram metrics beside it."""

    title: str
    items: str
    n: int
    references: int | None
    interval: str
    agreement: tuple[Figure, ...]
    without: Figure | None
    n_without: int
    overlaps: tuple[Overlap, ...]


MEASURED: Final = (
    (
        *("unseen", "Agreement on training items, each reference left out in turn"),
        "training items, each reference left out in turn,",
    ),
    ("validation", "Agreement with people on the validation items", "validation items"),
)
FEWEST_MEASURABLE: Final = 5
"""References below which a figure is called not measurable, and is no concern."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The figure by which a model is judged: its tau-b on references that it did not learn from.

    `is_left_out`: each training reference left out in turn, else the validation items. `low` and
    `high` are None where there is no interval. `overlaps` are the scorers on the same items.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    references: int | None
    is_left_out: bool
    overlaps: tuple[Overlap, ...]

    @property
    def where(self) -> str:
        return "with each reference left out in turn" if self.is_left_out else "on validation"

    @property
    def not_measurable(self) -> str:
        """Why nothing can be concluded from the figure; "" where something can."""
        if not self.n:
            return "Not measurable: no item was kept apart from training."
        if self.references is None:
            return "Not measurable: its references were not counted."
        if self.references < FEWEST_MEASURABLE:
            return (
                f"Not measurable: {self.n} items of {self.references} "
                f"reference{'' if self.references == 1 else 's'}, and at least {FEWEST_MEASURABLE} "
                "references are needed."
            )
        return "" if self.value is not None else "Not measurable: its tau-b is undefined."

    @property
    def words(self) -> str:
        """Return the figure with its interval, or why there is none."""
        if self.not_measurable:
            return self.not_measurable
        interval = "" if self.low is None else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"tau-b {self.value:.2f}{interval}"


def headline(card: Card) -> Headline:
    """Return the figure by which a model is judged everywhere.

    That is its tau-b on training items, each reference left out in turn, where it was measured so;
    of a fine-tuned encoder its tau-b on the validation items.
    """
    unseen = (card.get("chosen") or {}).get("unseen") or {}
    found = unseen if unseen.get("n") else card.get("validation") or {}
    # Cards of older models have no intervals.
    figure = (found.get("figures") or {}).get("tau_b") or {"value": found.get("tau_b")}
    return Headline(
        value=figure.get("value"),
        low=figure.get("low"),
        high=figure.get("high"),
        n=found.get("n") or 0,
        references=found.get("references"),
        is_left_out=found is unseen,
        overlaps=overlaps({"validation": found}),
    )


def measured(card: Card) -> tuple[Measured, ...]:
    """Return each set of items on which the model was measured; older cards have fewer figures."""
    unseen = (card.get("chosen") or {}).get("unseen")
    cards = {"validation": card, "unseen": {"validation": unseen}}
    return tuple(
        _measured(cards[key], title, items)
        for key, title, items in MEASURED
        if (cards[key].get("validation") or {}).get("n")
    )


def _measured(card: Card, title: str, items: str) -> Measured:
    found, left = card["validation"], without_reference(card)
    return Measured(
        title=title,
        items=items,
        n=found["n"],
        references=found.get("references"),
        interval=found.get("interval", ""),
        agreement=agreement(card),
        without=left[0] if left else None,
        n_without=left[1] if left else 0,
        overlaps=overlaps(card),
    )


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
    """Return what stands beside the model, in a fixed order; none on older cards."""
    found = (card.get("validation") or {}).get("overlaps") or {}
    return tuple(
        Overlap(
            label,
            _figure(label, found[name]["tau_b"]),
            _figure(f"lead over {label}", found[name]["lead"]),
            verdict(found[name]["lead"]),
            found[name]["lead"].get("p_holm"),
        )
        for name, label in OVERLAP_NAMES.items()
        if name in found
    )


def verdict(lead: Card) -> str:
    """Return what a lead shows: better, worse, or undecided; on older cards by its interval."""
    if "verdict" in lead:
        return str(lead["verdict"])
    if lead.get("low") is None or lead.get("high") is None:
        return "cannot tell"
    if lead["low"] > 0:
        return "better"
    return "worse" if lead["high"] < 0 else "cannot tell"


def seen(card: Card) -> tuple[Seen, ...]:
    """Return the splits with what training saw of them; none where the card does not hold it."""
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
    """Yield on what a model was trained: dataset, digest, licence, split, as name and value."""
    yield "Dataset", str(data["dataset"])
    yield "sha256 of the dataset", str(data["sha256"])
    yield "Licence of the data", str(data.get("licence") or "none is stated")
    if split := data.get("split"):
        yield "Split", f"by {split['by']}, seed {split.get('seed', 0)}"


def model_facts(card: Card) -> Iterator[tuple[str, str]]:
    """Yield what was trained and what was chosen on the way, as name and value."""
    settings, encoder = card.get("settings") or {}, card.get("encoder") or {}
    if settings:
        yield "Method", f"{settings['method']}, preset {settings.get('preset', 'default')}"
    if encoder:
        yield "Encoder", describe_encoder(encoder)
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
    return [(name, str(settings[name])) for name in sorted(settings) if name not in _HIDDEN]


def describe_encoder(encoder: Card) -> str:
    """Return which encoder it is: its name without a path, its kind and size."""
    name = _last_part(encoder.get("name", ""))
    size = encoder.get("parameters")
    parts = [str(encoder.get("kind", "")), f"{encoder.get('layers')} layers" if size else ""]
    parts.append(f"{size / 1e6:.1f} million parameters" if size else "")
    return ", ".join(part for part in (name, *parts) if part)


def _last_part(place: Any) -> str:
    """Return of a directory its name: where it lies reveals the machine."""
    return str(place).rstrip("/").rsplit("/", 1)[-1]


def _chosen(chosen: Card) -> Iterator[tuple[str, str]]:
    if chosen.get("chosen_by"):
        yield "Chosen by", str(chosen["chosen_by"])
    if weights := chosen.get("weights"):
        # The database keeps no order of keys.
        heaviest = sorted(weights.items(), key=lambda one: (-one[1], one[0]))
        yield "Weight of each group", ", ".join(f"{name} {w:.3f}" for name, w in heaviest)
    if unseen := chosen.get("unseen"):
        figure = _figure("", unseen["figures"]["tau_b"])
        interval = "" if figure.low is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
        value = "undefined" if figure.value is None else f"{figure.value:.3f}{interval}"
        yield "tau-b, each reference left out in turn", f"{value}, n = {unseen['n']}"


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
    return f"{count['seen']} of {count['of']} ({format_share(count['seen'], count['of'])})"


FEWEST_REFERENCES: Final = 10
FEW_TO_LEARN_FROM: Final = 40
CONFIDENTIAL: Final = (
    "A model is as confidential as the claim sets it was trained on. Their licence covers it too."
)


def model_limits(card: Card, data: Card) -> list[str]:
    """Return the cautions of a model.

    Input: what a training left (`TrainingResult` as a mapping) and what is known of its dataset:
    `split`. What an older card does not hold is left out.
    """
    behind = (_behind(found) for found in measured(card))
    return [
        *(*_of_texts(card), *_of_data(card, data), *_of_figures(card)),
        *(*filter(None, behind), *_of_ties(card)),
    ]


def _of_texts(card: Card) -> Iterator[str]:
    encoder, settings = card.get("encoder") or {}, card.get("settings") or {}
    if settings.get("method") == "probe":
        yield (
            "Antecedents, noun phrases and vague words are read in English only: in other "
            "languages it rests on structure, words in common, terms, citations and order."
        )
    elif settings.get("encoder") == "default":
        yield (
            "The embedded encoder has read English. Of claim sets in another language only what "
            "the texts share literally counts."
        )
    elif encoder:
        yield (
            "It has learnt the language of its encoder and of its training texts; in others it was "
            "not measured."
        )
    limit, own = encoder.get("limit"), encoder.get("own_positions")
    if limit:
        yield f"A pair of more than {limit:,} tokens is refused; nothing is ever cut."
    if limit and own and own < limit:
        yield (
            f"The encoder's own positions end at {own:,} tokens; beyond, they are repeated, which "
            "it was not trained on."
        )


def _of_data(card: Card, data: Card) -> Iterator[str]:
    trained = (card.get("seen_in_training") or {}).get("train")
    if trained and trained["references"]["of"] < FEW_TO_LEARN_FROM:
        yield (
            f"It has learnt from {trained['references']['of']} references only: expect less of it "
            "on other technical fields."
        )
    leaking = [line.split for line in seen(card) if line.leaks]
    if leaking:
        yield (
            f"Training saw references of {' and '.join(leaking)} (split by "
            f"{(data.get('split') or {}).get('by', 'item')}): figures there tell nothing of "
            "references that are new."
        )


def _of_figures(card: Card) -> Iterator[str]:
    found = headline(card)
    if not found.n:
        yield "Not measured: the dataset version has no validation items."
        return
    if found.not_measurable:
        yield found.not_measurable
    elif found.references is not None and found.references < FEWEST_REFERENCES:
        yield (
            f"Its figures come from {found.n} items of {found.references} references: intervals "
            "over so few are rough, narrow ones as much as wide ones."
        )


def _behind(found: Measured) -> str:
    better = [line.name for line in found.overlaps if line.verdict == WORSE]
    if not better or (found.references or 0) < FEWEST_MEASURABLE:
        return ""
    return f"On its {found.items} it agrees with people less than {', '.join(better)}."


def _of_ties(card: Card) -> Iterator[str]:
    unseen = (card.get("chosen") or {}).get("unseen") or {}
    rates = (unseen or card.get("validation") or {}).get("tie_rates") or {}
    items = "training items, each reference left out in turn," if unseen else "validation items"
    people, scorer = rates.get("people"), rates.get("scorer")
    if people is not None and scorer is not None:
        yield (
            f"It calls {100 * scorer:.0f} % of its {items} a tie, people call "
            f"{100 * people:.0f} %. A score means nothing by itself: compare two candidates of one "
            "reference, and call them equal up to the tie threshold."
        )
    yield CONFIDENTIAL


def model_card_markdown(card: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Write the card of a model.

    Input: what a training left (`TrainingResult` as a mapping); `data` with the `dataset` as
    NAME@NUMBER, its `sha256`, its `licence`, its `split`. Output: the same text for the same
    input: no time, no id of a run.
    """
    criterion = str((card.get("settings") or {}).get("criterion", ""))
    lines = [
        f"# PatClaimEval, {escaped(NAMES.get(criterion, criterion))}",
        "",
        "Scores a candidate claim set Q against a reference P, s(Q given P) in (0, 1). Higher is "
        "better. It tells which of two candidates of one reference people would prefer.",
        "",
        *section("Data", _facts(data_facts(data))),
        *section("Training", _facts(model_facts(card))),
        *(line for found in measured(card) for line in section(found.title, _agreement(found))),
        *section("Seen in training", _seen(card)),
        *section("Limitations", (f"- {escaped(line)}" for line in model_limits(card, data))),
        *section("Settings", _facts(settings_facts(card))),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _facts(facts: Iterable[tuple[str, str]]) -> list[str]:
    rows = [(escaped(name), escaped(value)) for name, value in facts]
    return table(("Fact", "Value"), rows) if rows else []


def _agreement(found: Measured) -> Iterator[str]:
    figures = [*found.agreement, *([found.without] if found.without else [])]
    rows = [(f"{f.name}, {f.note}" if f.note else f.name, *_cells(f)) for f in figures]
    yield from table(("Figure", "Value", "95 % interval"), rows)
    if found.overlaps:
        yield ""
        yield from table(
            ("Scorer", "Its tau-b", "95 % interval", "Lead", "95 % interval", "p, Holm", "Verdict"),
            (
                (
                    *(o.name, *_cells(o.tau_b), *_cells(o.lead)),
                    *(NOTHING if o.p_holm is None else f"{o.p_holm:.4f}", o.verdict),
                )
                for o in found.overlaps
            ),
        )
    yield ""
    yield (
        f"{number(found.n)} items of {number(found.references)} references; intervals are "
        f"clustered by reference ({escaped(found.interval or NOTHING)}), those of a lead are "
        "paired, each for itself. Verdicts follow p after Holm's correction over the table."
    )


def _cells(figure: Figure) -> tuple[str, str]:
    if figure.value is None:
        return "undefined", NOTHING
    if figure.low is None or figure.high is None:
        return number(figure.value), NOTHING
    return number(figure.value), f"{number(figure.low)} to {number(figure.high)}"


def _seen(card: Mapping[str, Any]) -> list[str]:
    rows = [(s.split, number(s.items), s.references, s.candidates) for s in seen(card)]
    return table(("Split", "Items", "References", "Candidates"), rows) if rows else []
