"""What a page shows of a card: labels beside published ones, checks, sizes, what was left out.

Cards of older versions lack some of it; what is absent is not shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.cards.limits import OLD_MAJORITY, follows_old_majority
from scoring.cards.published_dataset import published_dataset
from scoring.cards.version_card import withheld_text
from scoring.plots.ranges import KEYS, range_plot
from scoring.plots.shapes import Plot
from scoring.plots.shares import share_bar, share_words
from scoring.splits import SPLIT_NAMES

LABELS: Final = (("1", "b", "B better"), ("0", "tie", "equal"), ("-1", "c", "C better"))
SIZES: Final = (
    ("tokens", "claims", "Tokens, all sets"),
    ("tokens", "reference", "References"),
    ("tokens", "candidate", "Candidates"),
    ("claims_per_set", "claims", "Claims, all sets"),
    ("claims_per_set", "reference", "Claims, references"),
    ("claims_per_set", "candidate", "Claims, candidates"),
)


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One criterion: counts as B better, equal, C better, their bar, and the published ones."""

    name: str
    counts: tuple[int, ...]
    ties: str
    plot: Plot
    published: tuple[int, ...]
    published_ties: str
    published_plot: Plot | None
    contradictions: str


@dataclass(frozen=True, slots=True)
class SizeLine:
    """How long something is: the five figures as words, "" where there is none."""

    name: str
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a reader must know; `is_bad` marks what should not be."""

    name: str
    words: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """How far annotators agree on one criterion, or why that is not known."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class CardPage:
    """A card, ready for its template."""

    items: int
    labels: tuple[LabelLine, ...]
    published_source: str
    checks: tuple[Check, ...]
    sizes: tuple[SizeLine, ...]
    size_plot: Plot | None
    counted_by: str
    agreement: tuple[AgreementLine, ...]
    splits: tuple[tuple[str, int, str], ...]
    left_out: tuple[tuple[str, int], ...]


def card_page(card: Mapping[str, Any]) -> CardPage:
    """Return the page of a card as it is stored, or as a preview gives it."""
    published = published_dataset()
    items = card["counts"]["items"]
    return CardPage(
        items=items,
        labels=tuple(_labels(card, published["labels"])),
        published_source=f"{published['source']}, {published['labels_where']}",
        checks=tuple(_checks(card)),
        sizes=tuple(_sizes(card)),
        size_plot=_size_plot(card, published["tokens"]),
        counted_by=str(card.get("tokens", {}).get("counted_by", "")),
        agreement=tuple(_agreement(card)),
        splits=tuple(
            (name, card["splits"].get(name, 0), share_words(card["splits"].get(name, 0), items))
            for name in SPLIT_NAMES
        ),
        left_out=tuple(sorted(card.get("left_out", {}).items())),
    )


def _labels(card: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[LabelLine]:
    for key in ALL_CRITERIA:
        if key not in card["labels"]:
            continue
        counts = _counts(card["labels"][key])
        printed = _counts(published[key]) if key in published else ()
        triples = card.get("transitivity", {}).get(key)
        yield LabelLine(
            name=NAMES[key],
            counts=counts,
            ties=share_words(counts[1], sum(counts)),
            plot=_bar(f"Labels for {NAMES[key]}", counts),
            published=printed,
            published_ties=share_words(printed[1], sum(printed)) if printed else "",
            published_plot=_bar(f"Published labels for {NAMES[key]}", printed) if printed else None,
            contradictions=f"{triples['violations']} of {triples['triples']}" if triples else "",
        )


def _counts(found: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(found.get(label, 0) for label, _, _ in LABELS)


def _bar(title: str, counts: Sequence[int]) -> Plot:
    parts = [(kind, name, count) for (_, kind, name), count in zip(LABELS, counts, strict=True)]
    return share_bar(title, parts)


def _checks(card: Mapping[str, Any]) -> Iterator[Check]:
    counts = card["counts"]
    leaks = counts["texts_in_several_splits"]
    yield Check(
        "Leak check",
        f"{leaks} claim texts stand in several splits" if leaks else "no claim text in two splits",
        bool(leaks),
    )
    yield _count_check("Items that contain the reference", counts["contain_reference"])
    yield _count_check("Self-comparisons", counts["self_comparisons"])
    yield Check("Withheld from training", withheld_text(card))
    if counts.get("ruled"):
        yield Check("Items with a ruling", str(counts["ruled"]))
    if follows_old_majority(card):
        yield Check("Caution", OLD_MAJORITY, True)
    if card.get("include_unlocked"):
        yield Check("Caution", "holds ratings that were not locked: for trials only", True)


def _count_check(name: str, count: int) -> Check:
    return Check(name, str(count) if count else "none", bool(count))


def _sizes(card: Mapping[str, Any]) -> Iterator[SizeLine]:
    for group, key, name in SIZES:
        found = card.get(group, {}).get(key)
        if isinstance(found, Mapping) and found.get("min") is not None:
            yield SizeLine(name, tuple(_figure(found.get(figure)) for figure in KEYS))


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if float(value).is_integer() or value >= 100 else f"{value:.1f}"


def _size_plot(card: Mapping[str, Any], published: Mapping[str, Any]) -> Plot | None:
    rows = []
    for group, key, name in SIZES[1:3]:
        found = card.get(group, {}).get(key)
        if isinstance(found, Mapping) and found.get("min") is not None:
            figures = {figure: float(found.get(figure) or 0) for figure in KEYS}
            rows.append(("own", name, figures))
    if not rows:
        return None
    rows.append(("published", "Published", {figure: float(published[figure]) for figure in KEYS}))
    return range_plot("Length of claim sets", "tokens", rows)


def _agreement(card: Mapping[str, Any]) -> Iterator[AgreementLine]:
    found = card.get("agreement") or {}
    for key in ALL_CRITERIA:
        entry = found.get(key)
        if isinstance(entry, Mapping):
            yield AgreementLine(NAMES[key], _agreement_words(entry))


def _agreement_words(entry: Mapping[str, Any]) -> str:
    value = entry.get("value")
    if value is None:
        return str(entry.get("reason") or "undefined")
    words = f"{value:.3f}"
    if entry.get("low") is not None and entry.get("high") is not None:
        words += f" (95 % interval {entry['low']:.2f} to {entry['high']:.2f})"
    return (
        f"{words}, n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{entry['n']}"
        if entry.get("n") is not None
        else words
    )
