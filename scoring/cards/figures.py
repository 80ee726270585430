"""Figures of a data card as Markdown: agreement among annotators, labels, lengths."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotator.rubric import NAMES
from scoring.cards.markdown import NOTHING, escaped, number, table

Card = Mapping[str, Any]
_SIZES: Final = ("n", "min", "max", "mean", "median", "sd")
_FIGURES: Final = {
    "alpha_interval": "Krippendorff's alpha (interval)",
    "ac2": "Gwet's AC2 (quadratic)",
    "exact": "equal scores",
    "within_one": "at most one point apart",
}
_TEXTS: Final = {"claims": "all claim sets", "reference": "references", "candidate": "candidates"}


def agreement_lines(card: Card) -> Iterator[str]:
    """Yield a table of coefficients; nothing where the card has none."""
    found = list(_estimates(card.get("agreement") or {}, ()))
    if found:
        yield from table(
            ("Figure", "Value", "95 % interval", "n"), (_estimate(*one) for one in found)
        )
        methods = sorted({one["interval"] for _, one in found if one.get("interval")})
        yield ""
        how = f" ({escaped(', '.join(methods))})" if methods else ""
        yield f"n counts what was rated twice or more; intervals are clustered by reference{how}."


def _estimates(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Card]]:
    """Yield every estimate with the words that lead to it, however deep the card keeps it."""
    if isinstance(value, list):
        for entry in value:
            yield from _estimates(entry, path)
    elif isinstance(value, Mapping):
        if "value" in value:
            yield (*path, str(value.get("key", ""))), value
        for key, inner in value.items():
            yield from _estimates(inner, path if key == "others" else (*path, str(key)))


def _estimate(path: tuple[str, ...], found: Card) -> tuple[str, str, str, str]:
    low, high = found.get("low"), found.get("high")
    interval = NOTHING if low is None or high is None else f"{number(low)} to {number(high)}"
    said = number(found["value"])
    if found["value"] is None:
        said = f"undefined: {escaped(found.get('reason') or 'no reason is on the card')}"
    return (
        ", ".join(words_of(name) for name in path if name),
        said,
        interval,
        number(found.get("n")),
    )


def words_of(name: str) -> str:
    """Return what a key is called, with no character that is markup."""
    return NAMES.get(name) or _FIGURES.get(name) or escaped(name.replace("_", " "))


def labels_lines(card: Card) -> Iterator[str]:
    """Yield a table of labels by criterion, the published ones beside them."""
    labels = card.get("labels")
    if not labels:
        return
    published = card["published"]
    head = ("Criterion", "B better", "equal", "C better", "ties", "published", "published ties")
    yield from table(head, (_label_row(key, labels[key], published["labels"]) for key in labels))
    yield ""
    sizes = published["sizes"]
    yield (
        f"Published: {number(sizes['items'])} quadruplets ({number(sizes['train'])} to train, "
        f"{number(sizes['test'])} to test), as B better / equal / C better; "
        f"{escaped(published['source'])}, {escaped(published['labels_where'])}."
    )


def _label_row(key: str, counts: Card, published: Card) -> tuple[str, ...]:
    theirs = published.get(key, {})
    shown = " / ".join(number(theirs[label]) for label in ("1", "0", "-1")) if theirs else NOTHING
    ours = [number(counts.get(label)) for label in ("1", "0", "-1")]
    return (words_of(key), *ours, _ties(counts), shown, _ties(theirs))


def _ties(counts: Card) -> str:
    total = sum(counts.values())
    return f"{100 * counts['0'] / total:.1f} %" if total else NOTHING


def lengths_lines(card: Card) -> Iterator[str]:
    """Yield a table of lengths in tokens and claims, the published ones among them."""
    tokens = card.get("tokens")
    if not tokens:
        return
    published = card["published"]["tokens"]
    groups = [(f"tokens, {words}", tokens.get(key)) for key, words in _TEXTS.items()]
    groups += [("tokens, published", published), *_claim_counts(card)]
    rows = [(name, *(number(sizes.get(key)) for key in _SIZES)) for name, sizes in groups if sizes]
    yield from table(("What", *_SIZES), rows)
    yield ""
    if "counted_by" in tokens:
        yield f"Tokens are counted by {escaped(tokens['counted_by'])}."
    yield (
        f"Published: {escaped(card['published']['source'])}, {escaped(published['where'])}, "
        f"counted by {escaped(published['counted_by'])}."
    )


def _claim_counts(card: Card) -> Iterator[tuple[str, Any]]:
    found = card.get("claims_per_set") or {}
    for key, words in _TEXTS.items():
        if sizes := found.get(key):
            is_sample = sizes.get("of", sizes.get("n")) != sizes.get("n")
            of = f", a sample of {number(sizes['of'])}" if is_sample else ""
            yield f"claims a set, {words}{of}", sizes
