"""Writes of datasets: freeze a campaign, import a file, each an immutable version."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotator.models import AuditEvent, Campaign, Rating, Ruling, User
from annotator.queries.settled_ratings import FreezableReference, freezable_references
from annotator.refusals import Refused
from annotator.rubric import OVERALL, TOTAL_WEIGHT
from scoring import storage
from scoring.cards import make_card, split_items
from scoring.formats import patent_ce_jsonl
from scoring.formats.rows import DatasetRow
from scoring.models import Dataset, DatasetVersion
from scoring.quadruplets import (
    POLICIES,
    Quadruplet,
    RatedCandidate,
    RatedReference,
    RatedValues,
    RuledValues,
    build_quadruplets,
)
from scoring.splits import SPLIT_NAMES, SplitError, split_by_item, split_by_reference

FACTS = ("office", "ipc", "language", "family")


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version, and whether it is new: the same content in one dataset is the same version."""

    version: DatasetVersion
    is_new: bool


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How rows are split: "reference", "item", or "file" for what the file says."""

    by: str = "reference"
    test_share: float = 0.15
    validation_share: float = 0.1
    seed: int = 0


def freeze_dataset(
    *,
    campaign: Campaign,
    name: str | None = None,
    policy: str = "settled",
    tie_band: float = 0.0,
    test_share: float = 0.15,
    validation_share: float = 0.1,
    seed: int = 0,
    include_unlocked: bool = False,
    created_by: User | None = None,
) -> Frozen:
    """Freeze what may be frozen of a campaign into a dataset version, split by reference.

    Raises Refused when nothing is left, or when the references cannot be split as asked.
    """
    if policy not in POLICIES or not (math.isfinite(tie_band) and tie_band >= 0):
        raise Refused(
            f"The policy is one of {', '.join(POLICIES)}; the tie band is a number, 0 or more."
        )
    left_out: Counter[str] = Counter()
    references = [
        _rated_reference(found)
        for found in freezable_references(
            campaign, include_unlocked=include_unlocked, left_out=left_out
        )
    ]
    band = Fraction(str(tie_band))
    quadruplets = build_quadruplets(references, policy=policy, tie_band=band, seed=seed)
    if not quadruplets:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        raise Refused(
            f"Campaign {campaign.slug} gives no quadruplet: two rated candidates of one "
            f"reference are needed. Left out: {reasons or 'nothing'}."
        )
    rows = [_row(quadruplet, policy, campaign.rubric_version) for quadruplet in quadruplets]
    plan = SplitPlan("reference", test_share, validation_share, seed)
    made = {
        "campaign": campaign.slug,
        "rubric_version": campaign.rubric_version,
        "policy": policy,
        "tie_band": tie_band,
        "include_unlocked": include_unlocked,
        "left_out": dict(sorted(left_out.items())),
    }
    return _store(name or campaign.slug, campaign, rows, plan, "freeze", made, created_by)


def import_dataset(
    *,
    name: str,
    rows: Sequence[DatasetRow],
    plan: SplitPlan,
    files: Sequence[str] = (),
    campaign: Campaign | None = None,
    created_by: User | None = None,
) -> Frozen:
    """Store quadruplets that were made elsewhere as a dataset version; order and sides are kept.

    Raises Refused for no rows, for a split that cannot be made, or for rows without a split where
    the file was to say it.
    """
    if not rows:
        raise Refused("The files hold 0 quadruplets.")
    made = {"files": list(files)}
    return _store(name, campaign, list(rows), plan, "import", made, created_by)


def _store(
    name: str,
    campaign: Campaign | None,
    rows: list[DatasetRow],
    plan: SplitPlan,
    source: str,
    made: Mapping[str, Any],
    created_by: User | None,
) -> Frozen:
    _refuse_name(name, campaign)
    rows = _split(rows, plan)
    split = {"by": plan.by, "seed": plan.seed, "test_share": plan.test_share}
    split["validation_share"] = plan.validation_share
    card = make_card(rows, source=source, split=split, **made)
    # The file is whole on disk before any row names it; a file without a row harms nobody.
    digest = storage.store_dataset(b"".join(patent_ce_jsonl.write(rows)))
    with transaction.atomic():
        dataset = _dataset(name, campaign)
        known = DatasetVersion.objects.filter(dataset=dataset, sha256=digest).first()
        if known:
            return Frozen(known, is_new=False)
        last = dataset.versions.order_by("-number").first()
        version = DatasetVersion.objects.create(
            dataset=dataset,
            number=last.number + 1 if last else 1,
            sha256=digest,
            items=len(rows),
            card=card,
            created_by=created_by,
        )
        AuditEvent.objects.create(
            actor=created_by,
            campaign=campaign,
            action=f"dataset.{source}",
            object_type="dataset_version",
            object_id=str(version.pk),
            details={"dataset": str(version), "sha256": digest, "items": len(rows)},
        )
    return Frozen(version, is_new=True)


def _refuse_name(name: str, campaign: Campaign | None) -> None:
    try:
        Dataset._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise Refused(
            f"{name[:100]!r} cannot be a dataset's name: use up to 80 letters, digits, - and _."
        ) from error
    dataset = Dataset.objects.filter(name=name).first()
    if dataset is not None:
        _refuse_other_campaign(dataset, campaign)


def _refuse_other_campaign(dataset: Dataset, campaign: Campaign | None) -> None:
    if dataset.campaign_id != (campaign.pk if campaign else None):
        raise Refused(
            f"The dataset {dataset.name!r} belongs to another campaign; choose another name."
        )


def _dataset(name: str, campaign: Campaign | None) -> Dataset:
    """Return the dataset, locked so that two freezes cannot take one number."""
    dataset, _ = Dataset.objects.get_or_create(name=name, defaults={"campaign": campaign})
    _refuse_other_campaign(dataset, campaign)
    return Dataset.objects.select_for_update().get(pk=dataset.pk)


def _split(rows: list[DatasetRow], plan: SplitPlan) -> list[DatasetRow]:
    if plan.by == "file":
        missing = sum(row.split not in SPLIT_NAMES for row in rows)
        if missing:
            raise Refused(f"{missing} quadruplets name no split; split by reference instead.")
        return rows
    split = split_by_reference if plan.by == "reference" else split_by_item
    try:
        of_row = split(
            split_items(rows),
            test_share=plan.test_share,
            validation_share=plan.validation_share,
            seed=plan.seed,
        )
    except SplitError as error:
        raise Refused(str(error)) from error
    return [replace(row, split=of_row[row.id]) for row in rows]


def _rated_reference(found: FreezableReference) -> RatedReference:
    people = {rating.annotator_id for _, ratings in found.ratings for rating in ratings}
    # Pseudonyms of this reference only: they cannot be joined over references or exports.
    order = sorted(people, key=lambda pk: _mixed(found.reference.claims_sha256, pk))
    names = {pk: f"annotator-{number}" for number, pk in enumerate(order, start=1)}
    reference = found.reference
    return RatedReference(
        reference_id=reference.reference_id,
        text=reference.claims,
        candidates=tuple(
            RatedCandidate(
                candidate_id=candidate.candidate_id,
                text=candidate.claims,
                ratings=tuple(_values(rating, names[rating.annotator_id]) for rating in ratings),
                ruling=_ruled(found.rulings.get(candidate.pk)),
            )
            for candidate, ratings in found.ratings
        ),
        facts={name: getattr(reference, name) for name in FACTS if getattr(reference, name)},
    )


def _mixed(digest: str, pk: object) -> str:
    return sha256(f"{digest} {pk}".encode()).hexdigest()


def _values(rating: Rating, pseudonym: str) -> RatedValues:
    overall = Fraction(rating.overall_numerator, TOTAL_WEIGHT)
    return RatedValues(pseudonym, str(rating.pk), {**rating.scores, OVERALL: overall})


def _ruled(ruling: Ruling | None) -> RuledValues | None:
    if ruling is None:
        return None
    values = {key: Fraction(value) for key, value in ruling.scores.items()}
    return RuledValues(str(ruling.adjudication_id), values)


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
