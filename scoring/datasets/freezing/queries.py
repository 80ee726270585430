"""A campaign's ratings, read as of one moment, as a draft of quadruplets with its card.

Comparing takes longer than reading, so all is read first: no moment of the database is held open.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from annotator.access.scopes import campaigns_for
from annotator.access.visibility import withheld_campaigns
from annotator.adjudication.settled.queries import FreezableReference, freezable_references
from annotator.models import GENUINE, Campaign, Candidate, Rating, User
from annotator.rating_values import RatedScores, ruled_points, scores_of
from core.database import one_moment
from core.errors import Refused
from patclaimeval.rubric import ALL_CRITERIA, NAMES, SCORE_COLUMNS
from scoring.access.scopes import MAY_READ, read_rows
from scoring.datasets.cards import make_card, measure_agreement
from scoring.datasets.drafts import Draft
from scoring.datasets.freezing.rules import FreezeSettings, Progress, split_json
from scoring.models import DatasetVersion, Freeze
from scoring.quadruplets import (
    TEST,
    RatedCandidate,
    RatedReference,
    build_quadruplets,
    text_key,
)

FACTS: Final = ("office", "ipc", "language", "family")


@dataclass(frozen=True, slots=True)
class FreezableRecord:
    """A reference as it was read.

    `latest` is when one of its ratings was submitted last, in seconds; `given` holds its ratings,
    whose annotators have pseudonyms in `rated`, and `adjudicators` who made its rulings, by id.
    """

    rated: RatedReference
    latest: float
    given: dict[str, RatedScores]
    adjudicators: dict[str, str]


def read_campaign(
    campaign: Campaign, *, include_unlocked: bool
) -> tuple[list[FreezableRecord], dict[str, int]]:
    """Read all that a freeze of the campaign uses, as it was at one moment.

    Returns the references, and how many are left out by the reason.
    """
    left_out: Counter[str] = Counter()
    with one_moment():
        found = freezable_references(campaign, include_unlocked=include_unlocked, left_out=left_out)
        records = list(map(_record, found))
    return records, dict(sorted(left_out.items()))


def _record(found: FreezableReference) -> FreezableRecord:
    reference = found.reference
    everything = [rating for _, ratings in found.ratings for rating in ratings]
    # Pseudonyms of this reference only: they cannot be joined over references or exports.
    order = sorted(
        {rating.annotator_id for rating in everything},
        key=lambda pk: sha256(f"{reference.claims_sha256} {pk}".encode()).digest(),
    )
    names = {pk: f"annotator-{number}" for number, pk in enumerate(order, start=1)}
    facts = {name: getattr(reference, name) for name in FACTS if getattr(reference, name)}
    candidates, given, adjudicators = [], dict[str, RatedScores](), dict[str, str]()
    for candidate, ratings in found.ratings:
        name = candidate.candidate_id
        rated = []
        for rating in ratings:
            pk, scores = str(rating.pk), scores_of(getattr(rating, c) for c in SCORE_COLUMNS)
            rated.append(RatedScores(names[rating.annotator_id], name, scores, rating=pk))
            given[pk] = RatedScores(
                str(rating.annotator_id),
                f"{reference.reference_id}\n{name}",
                scores,
                reference=reference.reference_id,
                rating=pk,
            )
        ruling, adjudication = found.rulings.get(candidate.pk), ""
        if ruling is not None:
            adjudication = str(ruling.adjudication_id)
            adjudicators[adjudication] = str(ruling.adjudication.adjudicator_id)
        candidates.append(
            RatedCandidate(
                candidate_id=name,
                text=candidate.claims,
                ratings=tuple(rated),
                ruling=ruled_points(ruling.scores) if ruling is not None else None,
                adjudication_id=adjudication,
            )
        )
    return FreezableRecord(
        rated=RatedReference(
            reference_id=reference.reference_id,
            text=reference.claims,
            candidates=tuple(candidates),
            facts=facts,
        ),
        latest=max(rating.submitted_at.timestamp() for rating in everything),
        given=given,
        adjudicators=adjudicators,
    )


READING: Final = "Reading the ratings."
COMPARING: Final = "Comparing candidates."
MEASURING: Final = "Measuring agreement among annotators."
# Shares of the whole work at which these begin; the rest is writing.
COMPARING_FROM: Final = 0.1
MEASURING_FROM: Final = 0.6
WRITING_FROM: Final = 0.7
IPC_SUBCLASS: Final = 4


def draft_freeze(
    campaign: Campaign, settings: FreezeSettings, progress: Progress
) -> tuple[Draft, dict[str, Any], tuple[str, ...]]:
    """Read, compare, split and count.

    Returns a draft with its splits, its card, and the ids of the ratings its labels follow from.
    Raises Refused when nothing is left, or when the references cannot be split as asked.
    """
    progress(0.0, READING)
    draft, used, adjudicators = Draft(), dict[str, RatedScores](), set[str]()
    records, left_out = read_campaign(campaign, include_unlocked=settings.include_unlocked)
    by_id = {record.rated.reference_id: record for record in records}
    for row in build_quadruplets(
        _reported(records, progress),
        policy=settings.policy,
        tie_band=settings.band,
        seed=settings.seed,
        criteria=settings.chosen,
        rubric_version=campaign.rubric_version,
    ):
        record = by_id[row.reference_id]
        for pk in row.provenance["ratings"]:
            used.setdefault(pk, record.given[pk])
        ruled = row.provenance["adjudications"]
        adjudicators.update(record.adjudicators[pk] for pk in ruled)
        draft.add(row, _bond(record.rated.facts, settings.split_by), record.latest)
    if not len(draft):
        raise _nothing_left(campaign, left_out)
    fixed = version_tested(campaign, settings.test_of) if settings.test_of else None
    draft.split(settings.plan, tested_keys(fixed) if fixed else ())
    progress(MEASURING_FROM, MEASURING)
    card = make_card(
        draft,
        source="freeze",
        split=split_json(settings.plan, str(fixed or "")),
        campaign=campaign.slug,
        rubric_version=campaign.rubric_version,
        **settings.as_card(),
        left_out=left_out,
        people={
            "annotators": len({given.annotator for given in used.values()}),
            "adjudicators": len(adjudicators),
        },
        agreement=measure_agreement(used.values(), settings.chosen),
    )
    return draft, card, tuple(used)


def version_tested(campaign: Campaign, pk: str) -> DatasetVersion:
    """Return the version whose test references a freeze of the campaign is to have, too."""
    found = DatasetVersion.objects.filter(pk=pk, dataset__campaign=campaign)
    version = found.select_related("dataset__campaign").first()
    if version is None:
        raise Refused(f"Campaign {campaign.slug} has no such version to take test references from.")
    return version


def tested_keys(version: DatasetVersion) -> frozenset[int]:
    """Return the keys of all texts in the test part of a version.

    Raises StoredFileDamaged when its file is missing or changed.
    """
    return frozenset(
        text_key(text)
        for row in read_rows(version)
        if row.split == TEST
        for text in (row.reference, row.b, row.c)
    )


def _nothing_left(campaign: Campaign, left_out: dict[str, int]) -> Refused:
    reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
    return Refused(
        f"Campaign {campaign.slug} gives no quadruplet: two rated candidates of one "
        f"reference are needed. Left out: {reasons or 'nothing'}."
    )


def _reported(records: Sequence[FreezableRecord], progress: Progress) -> Iterator[RatedReference]:
    span = MEASURING_FROM - COMPARING_FROM
    for number, record in enumerate(records):
        progress(COMPARING_FROM + span * number / len(records), COMPARING)
        yield record.rated


def _bond(facts: Any, split_by: str) -> str:
    """Return what a split must not divide beside equal texts: family, IPC subclass or nothing."""
    if split_by == "family":
        return str(facts.get("family", ""))
    if split_by == "ipc":
        return str(facts.get("ipc", "")).strip().upper()[:IPC_SUBCLASS]
    return ""


def preview_freeze(*, campaign: Campaign, **settings: Any) -> dict[str, Any]:
    """Return the card that a freeze with these settings would write; nothing is stored.

    `settings` are those of FreezeSettings. What is left out stands under `left_out` by reason.
    Raises Refused where the freeze would.
    """
    return draft_freeze(campaign, FreezeSettings(**settings), lambda share, words: None)[1]


# A preview is worked out while the browser waits; of more comparisons it is not.
MOST_PREVIEWED: Final = 5_000


def comparisons_of(campaign: Campaign) -> int:
    """Return how many pairs the rated candidates of each reference make: n (n - 1) / 2."""
    rated = Candidate.objects.filter(
        Exists(Rating.objects.filter(candidate=OuterRef("pk"))),
        campaign=campaign,
        purpose__in=GENUINE,
    )
    found = Counter(rated.values_list("reference_id", flat=True))
    return sum(n * (n - 1) // 2 for n in found.values())


def freezes_for(user: User) -> QuerySet[Freeze]:
    """Return the freezes of the campaigns in which the user is researcher or admin.

    How one ended counts what was left out: none of an open campaign in which they rate.
    """
    rows = Freeze.objects.filter(campaign__in=campaigns_for(user, MAY_READ))
    rows = rows.exclude(campaign__in=withheld_campaigns(user))
    return rows.select_related("campaign", "version__dataset")


def describe_settings(freeze: Freeze) -> Iterator[tuple[str, str]]:
    """Yield what was asked for, as names and values in the order of the form."""
    settings = freeze.settings
    yield "Name", settings.get("name") or freeze.campaign.slug
    yield "Policy", settings["policy"]
    yield "Tie band", f"{settings['tie_band']:g} points"
    chosen = settings["criteria"]
    names = ", ".join(NAMES[key] for key in ALL_CRITERIA if key in chosen)
    yield "Criteria", "all five" if len(chosen) == len(ALL_CRITERIA) else names
    shares = f"{settings['test_share']:g} test, {settings['validation_share']:g} validation"
    yield "Split", f"by {settings['split_by']}, {shares}, seed {settings['seed']}"
    if settings["include_unlocked"]:
        yield "Caution", "with ratings that are not locked: for trials only"
