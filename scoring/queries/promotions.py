"""Reads of promotions: which model is promoted for a criterion, and who may say so."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from annotator.models import Role, User
from annotator.queries.access import campaigns_for
from annotator.refusals import Refused
from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.models import ModelVersion, Promotion, PromotionAct
from scoring.queries.datasets import is_researcher
from scoring.queries.models import models_for

COUNTING: Final = (PromotionAct.AGREED, PromotionAct.WITHDRAWN)


def promotions_for(user: User | None) -> QuerySet[Promotion]:
    """Return the acts on models in a person's scope; None means a command on this machine."""
    rows = Promotion.objects.select_related("model__run__dataset_version__dataset", "actor")
    return rows if user is None else rows.filter(model__in=models_for(user))


def promoted(user: User | None) -> dict[str, Promotion]:
    """Return by criterion the agreement that counts now, in the order of the rubric.

    In each campaign the latest act counts; of several campaigns in the person's scope, the
    latest agreement.
    """
    rows = promotions_for(user).filter(act__in=COUNTING).order_by("id")
    found: dict[str, Promotion] = {}
    for row in _standing(rows):
        if row.criterion not in found or found[row.criterion].pk < row.pk:
            found[row.criterion] = row
    return {criterion: found[criterion] for criterion in ALL_CRITERIA if criterion in found}


def _standing(rows: Iterable[Promotion]) -> list[Promotion]:
    latest = {(row.criterion, row.campaign_id): row for row in rows}
    return [row for row in latest.values() if row.act == PromotionAct.AGREED]


def promoted_ids(user: User) -> set[UUID]:
    """Return the models in the person's scope that are promoted, each in its own campaign."""
    rows = promotions_for(user).filter(act__in=COUNTING).order_by("id")
    return {row.model_id for row in _standing(rows)}


def promoted_model(criterion: str, user: User | None = None) -> ModelVersion:
    """Return the promoted model of a criterion, or refuse with what to do."""
    row = promoted(user).get(criterion)
    if row is None:
        raise Refused(no_model([criterion]))
    return row.model


def no_model(criteria: Collection[str]) -> str:
    """Return what is said of criteria without a promoted model; nothing for none."""
    if not criteria:
        return ""
    names = ", ".join(NAMES[criterion] for criterion in criteria)
    return (
        f"No model is promoted for {names}. A researcher asks for it on the page of a model "
        "version, and an admin agrees."
    )


@dataclass(frozen=True, slots=True)
class PromotionState:
    """What a model's page says of its promotion, and what this person may do about it."""

    is_promoted: bool
    promoted_instead: ModelVersion | None
    open_ask: Promotion | None
    acts: tuple[Promotion, ...]
    may_ask: bool
    may_answer: bool
    may_withdraw: bool


def promotion_state(model: ModelVersion, user: User) -> PromotionState:
    """Return the state of a model in the person's scope."""
    counting = standing_promotion(model)
    ask = open_ask(model)
    is_promoted = counting is not None and counting.model_id == model.pk
    asks, agrees = is_researcher(user, model.run.dataset_version), is_admin(user, model)
    return PromotionState(
        is_promoted=is_promoted,
        promoted_instead=None if counting is None or is_promoted else counting.model,
        open_ask=ask,
        acts=tuple(Promotion.objects.filter(model=model).select_related("actor")),
        may_ask=asks and ask is None and not is_promoted,
        may_answer=agrees and ask is not None and ask.actor_id != user.pk,
        may_withdraw=is_promoted and (asks or agrees),
    )


def standing_promotion(model: ModelVersion) -> Promotion | None:
    """Return the agreement that counts for the model's criterion in its campaign, if any."""
    row = (
        Promotion.objects.filter(
            act__in=COUNTING,
            criterion=model.criterion,
            campaign=model.run.dataset_version.dataset.campaign,
        )
        .select_related("model__run__dataset_version__dataset")
        .order_by("-id")
        .first()
    )
    return row if row is not None and row.act == PromotionAct.AGREED else None


def open_ask(model: ModelVersion) -> Promotion | None:
    """Return what was asked for the model and not answered yet."""
    rows = Promotion.objects.filter(model=model, act=PromotionAct.ASKED, answer__isnull=True)
    return rows.select_related("actor").order_by("-id").first()


def is_admin(user: User, model: ModelVersion) -> bool:
    """Say whether the person is admin of the model's campaign; of any, where it has none."""
    campaigns = campaigns_for(user, [Role.ADMIN])
    campaign = model.run.dataset_version.dataset.campaign
    return campaigns.exists() if campaign is None else campaigns.filter(pk=campaign.pk).exists()
