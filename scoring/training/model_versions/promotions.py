"""Promotions: a researcher asks, an admin agrees, and what speaks against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotator import audit_log
from annotator.models import Campaign, Role, User
from core.errors import Forbidden, OutOfDate, Refused
from core.jobs.rows import JobStatus
from core.shapes import LONGEST_REASON, check_text
from patclaimeval.agreement.verdicts import BETTER, WORSE
from patclaimeval.rubric import ALL_CRITERIA
from scoring.access.scopes import has_role, is_researcher
from scoring.models import AgreementReport, ModelVersion, Promotion, PromotionAct
from scoring.training.model_versions.card import FEWEST_MEASURABLE, Headline, headline
from scoring.training.model_versions.files import BROKEN, has_manifest, is_sealed
from scoring.training.model_versions.queries import MODEL_PREFIX, models_for

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
    found: dict[str, Promotion] = {}
    for row in _standing(user):
        if row.criterion not in found or found[row.criterion].pk < row.pk:
            found[row.criterion] = row
    return {criterion: found[criterion] for criterion in ALL_CRITERIA if criterion in found}


def _standing(user: User | None) -> list[Promotion]:
    rows = promotions_for(user).filter(act__in=COUNTING).order_by("id")
    latest = {(row.criterion, row.campaign_id): row for row in rows}
    return [row for row in latest.values() if row.act == PromotionAct.AGREED]


def promoted_ids(user: User) -> set[UUID]:
    """Return the models in the person's scope that are promoted, each in its own campaign."""
    return {row.model_id for row in _standing(user)}


@dataclass(frozen=True, slots=True)
class PromotionState:
    """What a model's page shows of its promotion, and what this person may do about it."""

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


def promoted_in(campaign: Campaign) -> dict[str, ModelVersion]:
    """Return by criterion the model that is promoted in a campaign, in the rubric's order."""
    rows = Promotion.objects.filter(act__in=COUNTING, campaign=campaign).order_by("id")
    latest = {row.criterion: row for row in rows.select_related("model__run__dataset_version")}
    return {
        criterion: latest[criterion].model
        for criterion in ALL_CRITERIA
        if criterion in latest and latest[criterion].act == PromotionAct.AGREED
    }


def open_ask(model: ModelVersion) -> Promotion | None:
    """Return what was asked for the model and not answered yet."""
    rows = Promotion.objects.filter(model=model, act=PromotionAct.ASKED, answer__isnull=True)
    return rows.select_related("actor").order_by("-id").first()


def is_admin(user: User, model: ModelVersion) -> bool:
    """Return whether the person is admin of the model's campaign; of any, where it has none."""
    return has_role(user, model.run.dataset_version, Role.ADMIN)


IN_REPORT: Final = "in the newest report"
NO_REPORT: Final = (
    "No agreement report holds this model against baselines; ask for one on a test split."
)
NOT_COMPARED: Final = (
    "No agreement report compares it with the promoted model, and only a report with both can."
)


def cautions(model: ModelVersion) -> list[str]:
    """Return sentences, none if nothing speaks against the model.

    Read are its headline figure and the newest finished report that holds it. A difference that its
    test leaves undecided, and a figure of fewer than five references, are no concern; that it is
    not measurable is told.
    """
    found = []
    if model.retire_since is not None:
        found.append(
            f"A reference that it was trained on was erased on {model.retire_since:%Y-%m-%d}: it "
            "is to be retired, and another one trained without that reference."
        )
    measured = headline(model.card)
    found += [measured.not_measurable] if measured.not_measurable else _of_headline(measured)
    active = standing_promotion(model)
    active_model = None if active is None or active.model_id == model.pk else active.model
    result = _report_on(model)
    if result is None:
        return [*found, NO_REPORT] + ([NOT_COMPARED] if active_model is not None else [])
    return found + _of_report(model, active_model, result)


def weaknesses(model: ModelVersion) -> list[str]:
    """Return sentences, none where nothing shows the model to be no better than simpler things.

    Those are chance and other scorers, by its headline figure and in the newest finished report.
    """
    measured = headline(model.card)
    found = [] if measured.not_measurable else _of_headline(measured)
    result = _report_on(model)
    if result is None or _is_too_small(result):
        return found
    own = _tau(result["scorers"][_name(model)])
    return [*found, *_chance(own, IN_REPORT), *_worse_baselines(model, result)]


def _of_headline(measured: Headline) -> list[str]:
    assert measured.value is not None
    worse = [line for line in measured.overlaps if line.verdict == WORSE]
    return _chance(measured.value, measured.where) + [
        _worse(measured.value, line.tau_b.value, line.name, measured.where) for line in worse
    ]


def _chance(tau: float | None, where: str) -> list[str]:
    if tau is None or tau > 0:
        return []
    how = "worse than" if tau < 0 else "no better than"
    return [f"Its tau-b {where} is {tau:.3f}: {how} chance."]


def _of_report(
    model: ModelVersion, active: ModelVersion | None, result: Mapping[str, Any]
) -> list[str]:
    scorers = result["scorers"]
    if _is_too_small(result):
        references = result["checks"]["references"]
        found = [
            f"Not measurable in the newest report: it rests on {references} "
            f"reference{'' if references == 1 else 's'}, and at least {FEWEST_MEASURABLE} are "
            "needed."
        ]
    elif (own := _tau(scorers[_name(model)])) is None:
        found = ["Its tau-b in the newest report is undefined."]
    else:
        found = [*_chance(own, IN_REPORT), *_worse_baselines(model, result)]
    if active is None:
        return found
    if _name(active) not in scorers:
        return [*found, NOT_COMPARED]
    if _is_too_small(result) or not _is_worse(model, _name(active), result):
        return found
    own, other = (_tau(scorers[_name(row)]) for row in (model, active))
    return [*found, _worse(own, other, "the promoted model", IN_REPORT)]


def _worse_baselines(model: ModelVersion, result: Mapping[str, Any]) -> list[str]:
    own = _tau(result["scorers"][_name(model)])
    return [
        _worse(own, _tau(row), f"the baseline {name}", IN_REPORT)
        for name, row in result["baselines"].items()
        if _is_worse(model, name, result)
    ]


def _is_worse(model: ModelVersion, other: str, result: Mapping[str, Any]) -> bool:
    """Return whether the report's test, and not the figure alone, calls the model worse."""
    own = _name(model)
    families = (result.get("comparisons") or {}).get("families", [])
    verdicts = {
        (pair["first"], pair["second"]): pair["verdict"]
        for family in families
        for pair in family["pairs"]
    }
    return verdicts.get((own, other)) == WORSE or verdicts.get((other, own)) == BETTER


def _worse(own: float | None, other: float | None, whom: str, where: str) -> str:
    return (
        f"It agrees worse with annotators than {whom} {where}: tau-b {own:.3f} against {other:.3f}."
    )


def _is_too_small(result: Mapping[str, Any]) -> bool:
    return int(result["checks"]["references"]) < FEWEST_MEASURABLE


def _report_on(model: ModelVersion) -> Mapping[str, Any] | None:
    """Return the result of the newest finished report that holds the model."""
    rows = AgreementReport.objects.filter(criterion=model.criterion, status=JobStatus.SUCCEEDED)
    # SQLite cannot look into a JSON list.
    for pk, scorers in rows.order_by("-created_at").values_list("pk", "scorers"):
        if _name(model) in scorers:
            return rows.get(pk=pk).result
    return None


def _name(model: ModelVersion) -> str:
    return f"{MODEL_PREFIX}{model.pk}"


def _tau(row: Mapping[str, Any]) -> float | None:
    """Return tau-b of a scorer; None where it is undefined, or the scorer could not run."""
    value: float | None = (row.get("tau_b") or {}).get("value")
    return value


ACTS: Final = ("ask", "agree", "decline", "withdraw")


def ask_promotion(
    *, model: ModelVersion, asked_by: User, reason: str, is_aware: bool = False
) -> Promotion:
    """Ask that the model scores for its criterion; an admin answers.

    Raises Refused where something speaks against the model and the person does not confirm to be
    aware of it, Forbidden for who is no researcher of its campaign, OutOfDate when it was
    asked already or is promoted.
    """
    if not is_researcher(asked_by, model.run.dataset_version):
        raise Forbidden("Researchers of the campaign ask for a promotion.")
    why = _reason(reason)
    _refuse_without_files(model)
    found = cautions(model)
    if found and not is_aware:
        raise Refused(
            "There are concerns about this model. Read them, and confirm that you know them.",
            {"is_aware": found},
        )
    with transaction.atomic():
        _lock(model)
        if open_ask(model) is not None:
            raise OutOfDate("The promotion of this model has already been requested.")
        if _is_promoted(model):
            raise OutOfDate("This model is promoted already.")
        return _act(PromotionAct.ASKED, model, asked_by, why, cautions=found)


def answer_promotion(
    *, model: ModelVersion, answered_by: User, reason: str, agrees: bool
) -> Promotion:
    """Agree to what was asked for the model, or decline it.

    Raises Forbidden for who is no admin of its campaign or has asked themselves, OutOfDate when
    nothing is asked, or it was answered meanwhile.
    """
    if not is_admin(answered_by, model):
        raise Forbidden("Admins of the campaign answer this.")
    why = _reason(reason)
    if agrees:
        _refuse_without_files(model)
    try:
        with transaction.atomic():
            _lock(model)
            ask = open_ask(model)
            if ask is None:
                raise OutOfDate("Nothing is asked for this model, or it was answered meanwhile.")
            if ask.actor_id == answered_by.pk:
                raise Forbidden("A promotion takes two people: another admin has to agree.")
            act = PromotionAct.AGREED if agrees else PromotionAct.DECLINED
            return _act(act, model, answered_by, why, answers=ask)
    except IntegrityError as error:
        raise OutOfDate("This was answered meanwhile.") from error


def withdraw_promotion(*, model: ModelVersion, withdrawn_by: User, reason: str) -> Promotion:
    """End the promotion of a model at once; no other takes its place by itself."""
    if not (
        is_admin(withdrawn_by, model) or is_researcher(withdrawn_by, model.run.dataset_version)
    ):
        raise Forbidden("Researchers and admins of the campaign withdraw a promotion.")
    why = _reason(reason)
    with transaction.atomic():
        _lock(model)
        if not _is_promoted(model):
            raise OutOfDate("This model is not promoted now.")
        return _act(PromotionAct.WITHDRAWN, model, withdrawn_by, why)


def carry_out_act(
    act: str, *, model: ModelVersion, actor: User, reason: str, is_aware: bool = False
) -> None:
    """Do one of ACTS, as the functions above do; `is_aware` is of who asks."""
    if act == "ask":
        ask_promotion(model=model, asked_by=actor, reason=reason, is_aware=is_aware)
    elif act == "withdraw":
        withdraw_promotion(model=model, withdrawn_by=actor, reason=reason)
    else:
        answer_promotion(model=model, answered_by=actor, reason=reason, agrees=act == "agree")


def _is_promoted(model: ModelVersion) -> bool:
    row = standing_promotion(model)
    return row is not None and row.model_id == model.pk


def _lock(model: ModelVersion) -> None:
    list(ModelVersion.objects.select_for_update(no_key=True, of=("self",)).filter(pk=model.pk))


def _reason(text: str) -> str:
    given = text.strip()
    check_text("reason", given, longest=LONGEST_REASON, empty="Give a reason.")
    return given


def _refuse_without_files(model: ModelVersion) -> None:
    if not is_sealed(model):
        raise Refused(BROKEN)
    if not has_manifest(model):
        raise Refused("The files of this model are missing or were changed; it cannot score.")


def _act(
    act: PromotionAct,
    model: ModelVersion,
    actor: User,
    reason: str,
    *,
    cautions: list[str] | None = None,
    answers: Promotion | None = None,
) -> Promotion:
    campaign = model.run.dataset_version.dataset.campaign
    row = Promotion.objects.create(
        act=act,
        model=model,
        criterion=model.criterion,
        campaign=campaign,
        actor=actor,
        reason=reason,
        cautions=cautions or (answers.cautions if answers else []),
        answers=answers,
    )
    audit_log.record(
        actor=actor,
        campaign=campaign,
        action=f"promotion.{act.value}",
        object_type="model_version",
        object_id=model.pk,
        details={"criterion": model.criterion, "cautions": len(row.cautions)},
    )
    return row
