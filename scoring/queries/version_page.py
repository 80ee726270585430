"""What the page of a version says beside its card's figures: how it was made, and its series."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.models import DatasetVersion
from scoring.plots.columns import column_plot
from scoring.plots.shapes import Plot
from scoring.quadruplets import policy_label
from scoring.queries.quadruplet_words import files_of

MOST_SIBLINGS: Final = 20


def making_words(card: Mapping[str, Any], *, tells_files: bool) -> Iterator[tuple[str, str]]:
    """Yield how a version was made, as names and words, as far as its card says.

    What the files of an import were called may tell a client: it is for admins.
    """
    if card["source"] == "import":
        names = ", ".join(entry["name"] for entry in files_of(card) if tells_files)
        yield "Source", f"imported from {names}" if names else "imported"
    else:
        yield "Source", f"frozen from campaign {card['campaign']}"
        policy = policy_label(card["policy"], card.get("policy_version", 1))
        yield "Policy", f"{policy}, tie band {card['tie_band']:g} points"
    criteria = [NAMES[key] for key in ALL_CRITERIA if key in (card.get("criteria") or ())]
    if criteria and len(criteria) < len(ALL_CRITERIA):
        yield "Criteria", ", ".join(criteria)
    split = card["split"]
    shares = f"{split['test_share']:g} test, {split['validation_share']:g} validation"
    yield "Split", f"by {split['by']}, {shares}, seed {split['seed']}"
    if people := card.get("people"):
        told = [(people.get(key, 0), key) for key in ("annotators", "adjudicators")]
        yield "People", ", ".join(f"{n} {key if n != 1 else key[:-1]}" for n, key in told if n)
    if card.get("rubric_version"):
        yield "Rubric version", str(card["rubric_version"])


def siblings_of(version: DatasetVersion) -> list[DatasetVersion]:
    """Return the other versions of the same dataset, the newest first."""
    rows = DatasetVersion.objects.filter(dataset=version.dataset_id).exclude(pk=version.pk)
    return list(rows.select_related("dataset").order_by("-number")[:MOST_SIBLINGS])


def people_plot(counts: Sequence[tuple[str, int]]) -> Plot | None:
    """Return columns of how many ratings each annotator gave; None where that is not told."""
    if not counts:
        return None
    columns = [(name.removeprefix("Annotator "), count) for name, count in counts]
    return column_plot("Ratings by annotator", "ratings", columns, "own")
