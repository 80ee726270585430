"""A campaign's ratings as a draft of quadruplets with its card: what a freeze stores, or shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

from annotator.models import Campaign
from annotator.refusals import Refused
from scoring import storage
from scoring.cards.rating_agreement import measure_agreement
from scoring.cards.version_card import make_card
from scoring.datasets.drafts import Draft
from scoring.datasets.freeze_settings import FreezeSettings, split_words
from scoring.datasets.progress import Progress
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import Quadruplet, RatedReference, build_quadruplets
from scoring.queries.freezable_records import (
    FreezableRecord,
    GivenScores,
    ReadAside,
    read_aside,
)
from scoring.splits import SplitError

READING: Final = "Reading the ratings."
COMPARING: Final = "Comparing candidates."
MEASURING: Final = "Measuring agreement among annotators."
# Shares of the whole work at which these begin; the rest is writing.
COMPARING_FROM: Final = 0.1
MEASURING_FROM: Final = 0.6
WRITING_FROM: Final = 0.7
IPC_SUBCLASS: Final = 4


@dataclass(frozen=True, slots=True)
class FreezeDraft:
    """A draft with its splits, its card, and the ids of the ratings its labels follow from."""

    draft: Draft
    card: dict[str, Any]
    used_ratings: tuple[str, ...]


def draft_freeze(
    campaign: Campaign,
    settings: FreezeSettings,
    progress: Progress,
    spool: IO[bytes] | None = None,
) -> FreezeDraft:
    """Read, compare, split and count; with a spool the rows are kept there.

    Raises Refused when nothing is left, or when the references cannot be split as asked.
    """
    progress(0.0, READING)
    with storage.spool() as aside:
        read = read_aside(campaign, aside, include_unlocked=settings.include_unlocked)
        comparison = _Comparison(read, settings, campaign.rubric_version, progress)
        draft = comparison.fill(Draft(spool))
    if not len(draft):
        raise Refused(_nothing(campaign, read))
    try:
        draft.split(settings.plan)
    except SplitError as error:
        raise Refused(str(error)) from error
    progress(MEASURING_FROM, MEASURING)
    return FreezeDraft(draft, comparison.card(campaign, draft), tuple(comparison.used))


class _Comparison:
    """Makes rows of what was read and remembers which ratings and people they follow from."""

    def __init__(
        self, read: ReadAside, settings: FreezeSettings, rubric_version: str, progress: Progress
    ) -> None:
        self.used: dict[str, GivenScores] = {}
        self._adjudicators: set[str] = set()
        self._read = read
        self._settings = settings
        self._rubric_version = rubric_version
        self._progress = progress
        self._record: FreezableRecord | None = None

    def fill(self, draft: Draft) -> Draft:
        settings = self._settings
        for quadruplet in build_quadruplets(
            self._references(),
            policy=settings.policy,
            tie_band=settings.band,
            seed=settings.seed,
            criteria=settings.chosen,
        ):
            # Quadruplets of a reference all come before the next reference is asked for.
            record = self._record
            assert record is not None
            for pk in quadruplet.rating_ids:
                self.used.setdefault(pk, record.given[pk])
            self._adjudicators.update(record.adjudicators[pk] for pk in quadruplet.adjudication_ids)
            row = _row(quadruplet, settings.policy, self._rubric_version)
            draft.add(row, _bond(record.rated.facts, settings.split_by), record.latest)
        return draft

    def card(self, campaign: Campaign, draft: Draft) -> dict[str, Any]:
        return make_card(
            draft,
            source="freeze",
            split=split_words(self._settings.plan),
            campaign=campaign.slug,
            rubric_version=self._rubric_version,
            **self._settings.as_card(),
            left_out=dict(sorted(self._read.left_out.items())),
            people={
                "annotators": len({given.annotator for given in self.used.values()}),
                "adjudicators": len(self._adjudicators),
            },
            agreement=measure_agreement(self.used.values(), self._settings.chosen),
        )

    def _references(self) -> Iterator[RatedReference]:
        span = MEASURING_FROM - COMPARING_FROM
        for number, record in enumerate(self._read.records()):
            self._progress(COMPARING_FROM + span * number / self._read.references, COMPARING)
            self._record = record
            yield record.rated


def _nothing(campaign: Campaign, read: ReadAside) -> str:
    left_out = sorted(read.left_out.items())
    reasons = ", ".join(f"{count} {reason}" for reason, count in left_out)
    return (
        f"Campaign {campaign.slug} gives no quadruplet: two rated candidates of one "
        f"reference are needed. Left out: {reasons or 'nothing'}."
    )


def _bond(facts: Any, split_by: str) -> str:
    """Return what keeps references together beside their texts: family, IPC subclass or nothing."""
    if split_by == "family":
        return str(facts.get("family", ""))
    if split_by == "ipc":
        return str(facts.get("ipc", "")).strip().upper()[:IPC_SUBCLASS]
    return ""


def _row(quadruplet: Quadruplet, policy: str, rubric_version: str) -> DatasetRow:
    extras: dict[str, Any] = {"y_soft": dict(quadruplet.y_soft)}
    if quadruplet.annotator:
        extras["annotator"] = quadruplet.annotator
    extras |= quadruplet.facts
    if quadruplet.flags:
        extras["flags"] = list(quadruplet.flags)
    return DatasetRow(
        id=quadruplet.id,
        reference_id=quadruplet.reference_id,
        reference=quadruplet.reference,
        b=quadruplet.b,
        c=quadruplet.c,
        b_id=quadruplet.b_id,
        c_id=quadruplet.c_id,
        y=quadruplet.y,
        provenance={
            "policy": policy,
            "rubric_version": rubric_version,
            "annotators": quadruplet.annotators,
            "ratings": list(quadruplet.rating_ids),
            "adjudications": list(quadruplet.adjudication_ids),
        },
        extras=extras,
    )
