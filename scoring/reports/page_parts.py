"""The parts of a report's page: verdict, table, plots, tests, groups, ceiling."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final

from core.plots.intervals import Band, Measured, interval_plot
from core.plots.scatters import label_levels, label_plot, rating_levels, rating_plot
from core.plots.shapes import Plot
from patclaimeval.agreement.verdicts import EXPLORATORY, PLANNED, UNDECIDED
from patclaimeval.claims.languages import LATIN, language_name
from patclaimeval.metrics.languages import is_about_language
from patclaimeval.models.prior import NAME as PRIOR_NAME
from scoring.reports.files import (
    Cell,
    cell,
    entries,
    label_of,
    order_sentence,
    scored_names,
)
from scoring.scores.scorers import LEFT_OUT_NAME
from scoring.training.model_versions.queries import MODEL_PREFIX

# A part of a page, told by whoever makes it; a template shows it, and nothing else reads it.
Part = SimpleNamespace
FIXED_AND_CALIBRATED: Final = ("accuracy", "f1_weighted", "f1_macro", "tau_paper", "tau_b_labels")
BOTH_SETS: Final = ("tau_b", "tau_paper", "accuracy", "f1_weighted")
PUBLISHED: Final = ("tau_paper", "spearman", "accuracy", "f1_weighted")
# The first two are of reports that release 0.1.0 stored.
FAMILIES: Final = {
    "scorers": "Scorers among themselves",
    "baselines": "Scorers against baselines",
    EXPLORATORY: "Exploratory: all other pairs, not adjusted for the number of tests",
}
BREAKDOWNS: Final = (
    ("reference_in_items", "By whether the reference is a candidate"),
    ("system", "By system"),
    ("ipc", "By IPC section"),
    ("language", "By language"),
    ("length", "By length"),
)


def families(document: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return the planned tests, then the exploratory pairs."""
    compared = document["comparisons"]
    planned = label_of(document, compared.get("planned_scorer", ""))
    titles = FAMILIES | {PLANNED: f"Planned tests: {planned} against each other scorer"}
    return tuple(
        Part(
            title=titles.get(family["name"], family["name"]),
            is_adjusted=family.get("is_adjusted", True),
            pairs=tuple(compared_pair(document, pair) for pair in family["pairs"]),
        )
        for family in compared["families"]
        if family["pairs"]
    )


def calibrations(document: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return figures at the fixed tie threshold beside those at one chosen on other references.

    A row for each scorer that was scored.
    """
    return tuple(
        _calibration(label_of(document, name), entry)
        for _, name, entry in entries(document)
        if not entry["unavailable"]
    )


def with_and_without(document: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return figures on all items beside those on items without the reference, by scorer."""
    return tuple(
        Part(
            name=name,
            label=label_of(document, name),
            n=entry["n"],
            n_without=without["n"],
            pairs=tuple((cell(entry[key]), cell(without[key])) for key in BOTH_SETS),
        )
        for _, name, entry in entries(document)
        for without in (entry["without_reference_items"],)
        if not entry["unavailable"]
    )


def orders(document: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """Return name, label and order consistency of each scorer that compares two candidates."""
    return tuple(
        (name, label_of(document, name), sentence)
        for _, name, entry in entries(document)
        if (sentence := order_sentence(entry))
    )


def breakdowns(document: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return agreement by group, or why it is not shown: the BREAKDOWNS that the report knows."""
    stored = document["breakdowns"]
    return tuple(
        _breakdown(document, key, title, stored[key]) for key, title in BREAKDOWNS if key in stored
    )


def published(document: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return the published figures, each beside ours where the same scorer was asked for."""
    rows = []
    for name, line in document["published"].items():
        ours = document["scorers"].get(name)
        is_ours = ours is not None and not ours["unavailable"]
        pairs = tuple((line[key], cell(ours[key]) if is_ours else None) for key in PUBLISHED)
        label, is_comparable = label_of(document, name), bool(line["comparable"])
        rows.append(
            Part(label=label, pairs=pairs, source=line["source"], is_comparable=is_comparable)
        )
    return tuple(rows)


def reasons(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return why cells have no figure, each reason once."""
    return tuple(dict.fromkeys(one.reason for one in cells if one.value is None and one.reason))


def ceiling_figures(document: Mapping[str, Any]) -> tuple[tuple[str, Cell], ...]:
    """Return the figures of the human ceiling by name; none where it is unknown."""
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return ()
    names = {"tau_paper": "tau, papers'", "accuracy": "accuracy", "f1_weighted": "F1 weighted"}
    return (("tau-b", cell(ceiling)), *((name, cell(ceiling[key])) for key, name in names.items()))


def ceiling_people(document: Mapping[str, Any]) -> tuple[tuple[str, int | None, Cell], ...]:
    """Return pseudonym, items and tau-b against the others for each annotator."""
    return tuple(
        (line["annotator"], line["n"], Cell(line["value"], None, None, ""))
        for line in document["human_ceiling"].get("per_annotator") or ()
    )


def compared_pair(document: Mapping[str, Any], pair: Mapping[str, Any]) -> Part:
    """Read a stored test of two scorers: of the first minus the second.

    `differ` counts the items on which they differ; None in a report of release 0.1.0.
    """
    table = pair.get("labels")
    same = sum(line[place] for place, line in enumerate(table or ()))
    return Part(
        first_name=pair["first"],
        second_name=pair["second"],
        differ=sum(map(sum, table)) - same if table else None,
        first=label_of(document, pair["first"]),
        second=label_of(document, pair["second"]),
        difference=Cell(pair["difference"], pair["low"], pair["high"], pair.get("reason") or ""),
        p=pair["p"],
        p_holm=pair["p_holm"],
        verdict=pair["verdict"],
        sentence=pair["sentence"],
    )


def _calibration(label: str, entry: Mapping[str, Any]) -> Part:
    found = entry["calibrated"]
    fixed = tuple(cell(entry[key]) for key in FIXED_AND_CALIBRATED)
    if found.get("threshold") is None:
        nothing = Cell(None, None, None, found.get("reason") or "")
        pairs = tuple((one, nothing) for one in fixed)
        return Part(label=label, pairs=pairs, reason=nothing.reason)
    chosen = tuple(cell(found[key]) for key in FIXED_AND_CALIBRATED)
    return Part(
        label=label,
        threshold=f"{found['threshold']:.4g}",
        over_folds=f"{found['low']:.4g} … {found['high']:.4g}, {found['folds']} folds",
        in_sample=found["in_sample"]["f1_weighted"],
        pairs=tuple(zip(fixed, chosen, strict=True)),
        reason="",
    )


def _breakdown(
    document: Mapping[str, Any], key: str, title: str, stored: Mapping[str, Any]
) -> Part:
    names = tuple(
        name
        for name in scored_names(document)
        if any(name in group["scorers"] for group in stored["groups"])
    )
    groups = tuple(
        Part(
            key=f"{key}:{place}",
            name=str(group["group"]),
            n=group["n"],
            references=group["references"],
            cells=tuple(cell(group["scorers"][name]) for name in names),
        )
        for place, group in enumerate(stored["groups"])
    )
    return Part(
        key=key,
        title=title,
        reason=stored.get("reason") or "",
        names=names,
        labels=tuple(label_of(document, name) for name in names),
        groups=groups,
        undefined=reasons(one for group in groups for one in group.cells),
    )


RATINGS: Final = "ratings"


def scorer_plot(document: Mapping[str, Any]) -> Plot:
    """Draw tau-b of each scorer and baseline that was scored, over the human ceiling."""
    rows = []
    for kind, name, entry in entries(document):
        if not entry["unavailable"]:
            found = cell(entry["tau_b"])
            label = label_of(document, name)
            rows.append(Measured(label, kind, found.value, found.low, found.high))
    return interval_plot("tau-b of each scorer with people", rows, ceiling_band(document))


def ceiling_band(document: Mapping[str, Any]) -> Band | None:
    """Return the human ceiling as a band; None where it is unknown."""
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return None
    return Band("human ceiling", ceiling["value"], ceiling["low"], ceiling["high"])


def breakdown_plot(found: Part, name: str) -> Plot | None:
    """Draw tau-b of one scorer in each group; None without groups or without the scorer."""
    if name not in found.names or not found.groups:
        return None
    place = found.names.index(name)
    rows = [
        Measured(f"{group.name} ({group.n})", "scorer", one.value, one.low, one.high)
        for group in found.groups
        for one in (group.cells[place],)
    ]
    return interval_plot(f"{found.title}: tau-b of {found.labels[place]}", rows)


def scatter_names(document: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return name and label of each scorer that has a scatter, in the order of the table."""
    stored = document["scatter"]
    return tuple(
        (name, label_of(document, name)) for name in scored_names(document) if name in stored
    )


def scatter(document: Mapping[str, Any], name: str, addresses: Sequence[str] = ()) -> Part:
    """Return one scorer's scores against ratings, or its score differences against labels.

    Its `levels` tell the plot as a table; `addresses`: where each dot leads to.
    """
    stored, label = document["scatter"][name], label_of(document, name)
    points = stored["points"]
    is_of_ratings = stored["kind"] == RATINGS
    title = f"{label}: " + ("scores by rating" if is_of_ratings else "differences by label")
    return Part(
        name=name,
        label=label,
        is_of_ratings=is_of_ratings,
        n=stored["n"],
        drawn=len(points),
        plot=(rating_plot if is_of_ratings else label_plot)(title, points, addresses),
        levels=(rating_levels if is_of_ratings else label_levels)(points),
        pearson=cell(stored["pearson"]) if stored.get("pearson") else None,
        spearman=cell(stored["spearman"]) if stored.get("spearman") else None,
        reason=stored.get("reason") or "",
    )


FEWEST_REFERENCES: Final = 10


def verdict(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the verdict in sentences: who is better, what could be seen, how far people agree."""
    power = document["power"]
    sentences = (
        *(document["comparisons"]["best_sentence"], power["sentence"], power.get("plan")),
        *(*labels_added(document), _ceiling(document)),
    )
    return tuple(sentence for sentence in sentences if sentence)


def labels_added(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what training changed against PatClaimEval-0, for each trained model."""
    for family in document["comparisons"]["families"]:
        for pair in family["pairs"]:
            first, second = pair["first"], pair["second"]
            turn = 1 if second == PRIOR_NAME else -1
            trained = first if turn == 1 else second
            is_trained = trained == LEFT_OUT_NAME or trained.startswith(MODEL_PREFIX)
            if PRIOR_NAME not in (first, second) or not is_trained or pair["difference"] is None:
                continue
            value, bounds = turn * pair["difference"], ""
            if pair["low"] is not None:
                low, high = sorted((turn * pair["low"], turn * pair["high"]))
                bounds = f" (95 % interval {low:+z.3f} to {high:+z.3f})"
            chance = " This could be chance." if pair["verdict"] == UNDECIDED else ""
            yield (
                f"{label_of(document, trained)}: training changed tau-b by {value:+z.3f}{bounds} "
                f"over PatClaimEval-0, which was trained on no labels.{chance}"
            )


def cautions(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a reader must know before trusting a figure, the gravest first."""
    checks = document["checks"]
    missing = [label_of(document, n) for _, n, one in entries(document) if one["unavailable"]]
    not_scored = f"Not scored: {', '.join(missing)}. The table says what each lacks."
    few = caution(checks["references"])
    return (
        *([not_scored] if missing else []),
        *([few] if few else []),
        *_of_languages(document),
        *_of_people(checks),
        *_of_labels(checks),
    )


def languages_named(document: Mapping[str, Any]) -> str:
    """Return how many items are in which language; "" for a report that did not look."""
    found = document["checks"].get("languages") or {}
    items = found.get("items") or {}
    named = sorted((-count, language_name(code)) for code, count in items.items())
    told = ", ".join(f"{-count} in {name}" for count, name in named)
    if unrecorded := found.get("unrecorded"):
        told += f"; {unrecorded} of them have no record of it, and were read by their words"
    return told


def _of_languages(document: Mapping[str, Any]) -> Iterator[str]:
    found = document["checks"].get("languages") or {}
    items = found.get("items") or {}
    if len({"en" if code == LATIN else code for code in items}) > 1:
        yield (
            f"The items are in several languages: {languages_named(document)}. "
            "A figure over all of them holds for none: look at the figures by language."
        )
    if count := items.get(LATIN):
        yield (
            f"The words of {count} items do not tell their language, and no record names it: they "
            "were read as English."
        )
    if count := found.get("two_scripts"):
        yield f"In {count} items a candidate is written in another language than the reference."
    if count := found.get("otherwise"):
        yield (
            f"The record of {count} items names another language than their texts look like. They "
            "were read as recorded, but for texts in a script that the recorded language has not."
        )
    for name, failed in document["dropped"]["scorers"].items():
        unread = sum(n for reason, n in failed["reasons"].items() if is_about_language(reason))
        if unread:
            yield (
                f"{label_of(document, name)} could not read {unread} items for their language: "
                "see the dropped items."
            )


def _of_people(checks: Mapping[str, Any]) -> Iterator[str]:
    by_admins, copies = checks.get("by_admins") or {}, checks["contain_reference"]
    if items := by_admins.get("items"):
        rest = "rest on ratings of somebody who administers the campaign"
        yield (
            f"{items} items {rest}; they are counted, as was asked."
            if by_admins["counted"]
            else f"{items} items are left out, as they {rest}."
        )
    if copies["items"]:
        yield (
            f"In {copies['items']} of {checks['items']} items the reference itself is a candidate; "
            f"people preferred it in {copies['reference_preferred']}. Look at the figures without "
            "them."
        )


def _of_labels(checks: Mapping[str, Any]) -> Iterator[str]:
    shared = checks["shared_texts"]
    if shared["texts"]:
        splits = ", ".join(shared["splits"])
        yield (
            f"{shared['texts']} texts stand in more than one split"
            f"{f' ({splits})' if splits else ''}: a model that was trained on this dataset has "
            "seen them."
        )
    if share := checks["implied"]["share"]:
        yield (
            f"{100 * share:.0f} % of these labels follow from training labels by transitivity: "
            "a trained model can know them without judging."
        )
    if count := checks["duplicates"]["contradicting"]:
        yield f"{count} comparisons contradict an earlier one of the same candidates."


def caution(references: int) -> str:
    """Return what a reader must know of the intervals when there are few references; "" else."""
    if references >= FEWEST_REFERENCES:
        return ""
    return (
        f"Only {references} references: intervals clustered over so few mean little, narrow ones "
        "as much as wide ones."
    )


def _ceiling(document: Mapping[str, Any]) -> str:
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return str(ceiling.get("reason") or "")
    interval = ""
    if ceiling["low"] is not None:
        interval = f" (95 % interval {ceiling['low']:.2f} to {ceiling['high']:.2f})"
    return (
        f"Human ceiling: an annotator agrees with the others at tau-b {ceiling['value']:.3f}"
        f"{interval}, over {ceiling.get('n')} items. A scorer that reaches it agrees with people "
        "as far as they agree with each other."
    )
