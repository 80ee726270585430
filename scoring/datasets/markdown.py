"""The data card as Markdown, for people: what is in the data, how it came, limitations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from patclaimeval.plurals import counted
from patclaimeval.rubric import NAMES
from scoring.datasets.cards import withheld_text

NOTHING: Final = "\u2013"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!&~$])")


def escaped(value: object) -> str:
    """Return a text on one line in which no character is markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(value).split()))


def number(value: Any) -> str:
    """Write a number: whole ones with thousands apart, others with at most three decimals.

    Input: an int or a float; anything else, None included, gives a dash.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NOTHING
    rounded = round(value, 3)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.3f}".rstrip("0")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the first column holds text, the others numbers."""
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


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
    """Yield every estimate with the keys that lead to it, however deep the card holds it."""
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
    shown_value = number(found["value"])
    if found["value"] is None:
        shown_value = f"undefined: {escaped(found.get('reason') or 'no reason is on the card')}"
    return (
        ", ".join(label_of(name) for name in path if name),
        shown_value,
        interval,
        number(found.get("n")),
    )


def label_of(name: str) -> str:
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
    return (label_of(key), *ours, _ties(counts), shown, _ties(theirs))


def _ties(counts: Card) -> str:
    total = sum(counts.values())
    return f"{100 * counts['0'] / total:.1f} %" if total else NOTHING


def lengths_lines(card: Card) -> Iterator[str]:
    """Yield a table of lengths in tokens and claims, the published ones among them."""
    tokens = card.get("tokens")
    if not tokens:
        return
    published = card["published"]["tokens"]
    groups = [(f"tokens, {label}", tokens.get(key)) for key, label in _TEXTS.items()]
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
    for key, label in _TEXTS.items():
        if sizes := found.get(key):
            is_sample = sizes.get("of", sizes.get("n")) != sizes.get("n")
            of = f", a sample of {number(sizes['of'])}" if is_sample else ""
            yield f"claims a set, {label}{of}", sizes


OLD_MAJORITY: Final = (
    "Its labels follow the first rule of the policy majority: the sign of the sum of the "
    "annotators' signs. A candidate that fewer than half of them prefer stands as better where the "
    "others hold both equal. Freeze again for labels by more than half; you get this version again "
    "where no label differs."
)


def follows_old_majority(card: Mapping[str, Any]) -> bool:
    """Return whether labels were made by the rule given up; cards then named no version."""
    return card.get("policy") == "majority" and card.get("policy_version", 1) == 1


def limits(card: Mapping[str, Any]) -> list[str]:
    """Return the cautions that follow from a card's counts; what it does not say is left out."""
    return [
        *_of_making(card),
        *_of_texts(card.get("counts", {})),
        *_of_labels(card),
        "Ratings and rulings are named by ids that say nothing of a person; annotators, where a "
        "row names one, by a pseudonym that holds within one reference.",
    ]


def _of_making(card: Mapping[str, Any]) -> Iterator[str]:
    if card.get("include_unlocked"):
        yield "It holds ratings that were not locked yet: for trials only."
    if follows_old_majority(card):
        yield OLD_MAJORITY
    if card.get("split", {}).get("by") == "item":
        yield (
            "It is split by single items: many test labels follow from training labels, so test "
            "figures are too good."
        )


def _of_texts(counts: Mapping[str, Any]) -> Iterator[str]:
    shared = counts.get("texts_in_several_splits")
    if shared == 0:
        yield "No claim text stands in more than one split."
    elif shared:
        yield f"{number(shared)} claim texts stand in more than one split: it leaks."
    if found := counts.get("contain_reference"):
        yield (
            f"{number(found)} quadruplets have the reference itself as a candidate; report with "
            "and without them."
        )
    if found := counts.get("self_comparisons"):
        yield f"{number(found)} quadruplets compare a text with itself."


def _of_labels(card: Mapping[str, Any]) -> Iterator[str]:
    for key, found in card.get("transitivity", {}).items():
        if violations := found.get("violations"):
            yield (
                f"{NAMES.get(key, key)}: the labels of {number(violations)} of "
                f"{number(found.get('triples'))} triples of candidates contradict each other."
            )
    if not card.get("agreement"):
        yield "How far annotators agree is not known."


_POLICIES: Final = {
    "settled": "Labels compare settled ratings: the ruling where there is one, else the mean.",
    "per-annotator": "Labels compare each annotator's own ratings; a row names its annotator by "
    "a pseudonym that holds for one reference.",
    "majority": "Labels are what more than half of the annotators who rated both candidates say; "
    "where nothing is said by so many, the label is a tie.",
}
_SPLIT_BY: Final = {
    "reference": "whole references",
    "family": "whole patent families",
    "ipc": "whole IPC subclasses",
    "time": "references in the order of their last rating, the newest to test",
    "item": "single items, which leaks labels by transitivity",
    "file": "what the imported files say",
}
FILES: Final = (
    "`patent-ce-jsonl` holds one quadruplet a line: A is the reference, B and C are two candidate "
    "claim sets for it, and `y` says per criterion whether B is better (1), both are equal (0) or "
    "C is better (-1). In CSV a text that a spreadsheet would take for a formula has an "
    "apostrophe before it, and the last column names the columns in which one was put."
)


def card_markdown(card: Card) -> bytes:
    """Write what scoring.datasets.cards.data_card gives as Markdown in UTF-8.

    Input: the document; sections whose keys an older card lacks are left out. Output: the same
    bytes for the same document.
    """
    lines = [
        *_head(card),
        *section("How it was made", _making(card)),
        *section("People", _people(card)),
        *section("Agreement among annotators", agreement_lines(card)),
        *section("Labels", labels_lines(card)),
        *section("Length of claim sets", lengths_lines(card)),
        *section("Context", _context(card)),
        *section("Limitations", (f"- {sentence}" for sentence in limits(card))),
        *section("Licence", _licence(card)),
        *section("Rubric", _rubric(card)),
    ]
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


def section(title: str, body: Iterable[str]) -> list[str]:
    """Return the lines of a section with its heading; none where the body is empty."""
    lines = list(body)
    return [f"## {title}", "", *lines, ""] if lines else []


def _head(card: Card) -> list[str]:
    counts = card.get("counts", {})
    splits = [f"{name} {number(count)}" for name, count in card.get("splits", {}).items()]
    facts = {
        "Quadruplets": number(card["items"]),
        "References": number(counts.get("references")),
        "Candidates": number(counts.get("candidates")),
        "Splits": ", ".join(splits) or NOTHING,
        "Made": escaped(card["created_at"]),
        "sha256 of the JSONL": f"`{card['sha256']}`",
    }
    return [
        f"# {escaped(card['dataset'])}, version {card['version']}",
        "",
        "Pairs of candidate claim sets, each pair judged against the claims of one reference.",
        "",
        *table(("Fact", "Value"), ((name, value) for name, value in facts.items())),
        "",
        FILES,
        "",
    ]


def _making(card: Card) -> Iterator[str]:
    if card.get("source") == "import":
        # Older cards list names, newer ones also digests.
        files = card.get("files", [])
        names = [entry if isinstance(entry, str) else entry["name"] for entry in files]
        yield f"Imported from {', '.join(escaped(name) for name in names) or 'files'}."
    elif "campaign" in card:
        yield f"Frozen from the ratings of the campaign {escaped(card['campaign'])}."
    if follows_old_majority(card):
        yield "Policy: majority, by its first rule; see limitations."
    elif sentence := _POLICIES.get(card.get("policy", "")):
        yield sentence
    if "tie_band" in card:
        yield f"Values at most {number(card['tie_band'])} points apart are equal."
    criteria = card.get("criteria") or ()
    if 0 < len(criteria) < len(NAMES):
        yield f"Criteria: {', '.join(label_of(key) for key in criteria)}."
    yield from _split(card)
    if "app_version" in card:
        yield f"Made by version {escaped(card['app_version'])} of this program."
    if left_out := card.get("left_out"):
        yield from ("", "Left out:", "")
        yield from (f"- {number(count)}: {escaped(why)}" for why, count in left_out.items())


def _split(card: Card) -> Iterator[str]:
    if split := card.get("split"):
        by = _SPLIT_BY.get(split.get("by"), escaped(split.get("by")))
        tested = f"test share {number(split.get('test_share'))}"
        if "test_of" in split:
            tested = f"tested on the test references of {escaped(split['test_of'])}"
        yield (
            f"Split by {by}; {tested}, validation share "
            f"{number(split.get('validation_share'))}, seed {split.get('seed')}."
        )
    if card.get("split_references"):
        yield f"Withheld from training: {withheld_text(card)}."


def _people(card: Card) -> Iterator[str]:
    if people := card.get("people"):
        yield (
            f"Annotators: {number(people.get('annotators'))}. "
            f"Adjudicators: {number(people.get('adjudicators'))}."
        )
    if ruled := card.get("counts", {}).get("ruled"):
        yield f"{number(ruled)} quadruplets rest on a ruling."


def _context(card: Card) -> Iterator[str]:
    if found := card.get("context"):
        yield (
            f"`{found['file']}` holds description, abstract and drawings of "
            f"{counted(found['references'], 'reference')}: "
            f"{counted(found['paragraphs'], 'paragraph')}, {counted(found['drawings'], 'drawing')}."
        )


def _licence(card: Card) -> Iterator[str]:
    yield escaped(card.get("licence") or "None is stated.")
    if "confidentiality" in card:
        yield from ("", card["confidentiality"])


def _rubric(card: Card) -> Iterator[str]:
    rubric = card.get("rubric")
    if not rubric:
        if "rubric_version" in card:
            yield f"Version {escaped(card['rubric_version'])}."
        return
    yield f"Version {rubric['version']}: {rubric['scale']}; overall: {rubric['overall']}."
    yield ""
    bands = [f"{band['from']}-{band['to']}" for band in rubric["overall_bands"]]
    yield from table(("Criterion", "Weight", *bands), _rubric_rows(rubric))


def _rubric_rows(rubric: Card) -> Iterator[tuple[str, ...]]:
    for entry in rubric["criteria"]:
        sentences = (escaped(band["sentence"]) for band in entry["bands"])
        yield f"{entry['name']}: {escaped(entry['question'])}", str(entry["weight"]), *sentences
    overall = (escaped(band["sentence"]) for band in rubric["overall_bands"])
    yield "Overall quality", NOTHING, *overall
