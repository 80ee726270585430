"""The data card as Markdown, for people: what is in the data, how it came, what to mind."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotator.rubric import NAMES
from scoring.cards.figures import agreement_lines, labels_lines, lengths_lines, words_of
from scoring.cards.limits import follows_old_majority, limits
from scoring.cards.markdown import NOTHING, escaped, number, table
from scoring.cards.version_card import withheld_text

Card = Mapping[str, Any]
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
    """Write what scoring.cards.data_card.data_card gives as Markdown in UTF-8.

    Input: the document; sections whose keys an older card lacks are left out. Output: the same
    bytes for the same document.
    """
    lines = [
        *_head(card),
        *_section("How it was made", _making(card)),
        *_section("People", _people(card)),
        *_section("Agreement among annotators", agreement_lines(card)),
        *_section("Labels", labels_lines(card)),
        *_section("Length of claim sets", lengths_lines(card)),
        *_section("What to mind", _bullets(limits(card))),
        *_section("Licence", _licence(card)),
        *_section("Rubric", _rubric(card)),
    ]
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


def _section(title: str, body: Iterator[str]) -> list[str]:
    lines = list(body)
    return [f"## {title}", "", *lines, ""] if lines else []


def _bullets(sentences: list[str]) -> Iterator[str]:
    return (f"- {sentence}" for sentence in sentences)


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
        yield "Policy: majority, by its first rule; see what to mind."
    elif words := _POLICIES.get(card.get("policy", "")):
        yield words
    if "tie_band" in card:
        yield f"Values at most {number(card['tie_band'])} points apart are equal."
    criteria = card.get("criteria") or ()
    if 0 < len(criteria) < len(NAMES):
        yield f"Criteria: {', '.join(words_of(key) for key in criteria)}."
    yield from _split(card)
    if "app_version" in card:
        yield f"Made by version {escaped(card['app_version'])} of this program."
    if left_out := card.get("left_out"):
        yield from ("", "Left out:", "")
        yield from (f"- {number(count)}: {escaped(why)}" for why, count in left_out.items())


def _split(card: Card) -> Iterator[str]:
    if split := card.get("split"):
        by = _SPLIT_BY.get(split.get("by"), escaped(split.get("by")))
        yield (
            f"Split by {by}; test share {number(split.get('test_share'))}, validation share "
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
