"""Writes of promotions: a researcher asks, an admin agrees, and neither is alone in it."""

import hashlib

from django.db import IntegrityError, transaction

from annotator.formats.free_text import check_words
from annotator.models import User
from annotator.refusals import Forbidden, OutOfDate, Refused
from annotator.services import audit
from scoring import storage
from scoring.model_directories.seals import BROKEN, is_sealed
from scoring.models import ModelVersion, Promotion, PromotionAct
from scoring.queries.datasets import is_researcher
from scoring.queries.promotion_cautions import cautions
from scoring.queries.promotions import is_admin, open_ask, standing_promotion

MOST_CHARACTERS = 2000


def ask_promotion(
    *, model: ModelVersion, asked_by: User, reason: str, is_aware: bool = False
) -> Promotion:
    """Ask that the model scores for its criterion; an admin answers.

    Raises Refused where something speaks against the model and the person does not say that they
    are aware of it, Forbidden for who is no researcher of its campaign, OutOfDate when it was
    asked already or is promoted.
    """
    if not is_researcher(asked_by, model.run.dataset_version):
        raise Forbidden("Researchers of the campaign ask for a promotion.")
    words = _reason(reason)
    _refuse_without_files(model)
    found = cautions(model)
    if found and not is_aware:
        raise Refused(
            "Something speaks against this model. Read it, and say that you are aware of it.",
            {"is_aware": found},
        )
    with transaction.atomic():
        _lock(model)
        if open_ask(model) is not None:
            raise OutOfDate("The promotion of this model was asked for already.")
        if _is_promoted(model):
            raise OutOfDate("This model is promoted already.")
        return _act(PromotionAct.ASKED, model, asked_by, words, cautions=found)


def answer_promotion(
    *, model: ModelVersion, answered_by: User, reason: str, agrees: bool
) -> Promotion:
    """Agree to what was asked for the model, or decline it.

    Raises Forbidden for who is no admin of its campaign or has asked themselves, OutOfDate when
    nothing is asked, or it was answered meanwhile.
    """
    if not is_admin(answered_by, model):
        raise Forbidden("Admins of the campaign answer this.")
    words = _reason(reason)
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
            return _act(act, model, answered_by, words, answers=ask)
    except IntegrityError as error:
        raise OutOfDate("This was answered meanwhile.") from error


def withdraw_promotion(*, model: ModelVersion, withdrawn_by: User, reason: str) -> Promotion:
    """End the promotion of a model at once; no other takes its place by itself."""
    if not (
        is_admin(withdrawn_by, model) or is_researcher(withdrawn_by, model.run.dataset_version)
    ):
        raise Forbidden("Researchers and admins of the campaign withdraw a promotion.")
    words = _reason(reason)
    with transaction.atomic():
        _lock(model)
        if not _is_promoted(model):
            raise OutOfDate("This model is not promoted now.")
        return _act(PromotionAct.WITHDRAWN, model, withdrawn_by, words)


def _is_promoted(model: ModelVersion) -> bool:
    row = standing_promotion(model)
    return row is not None and row.model_id == model.pk


def _lock(model: ModelVersion) -> None:
    list(ModelVersion.objects.select_for_update(no_key=True, of=("self",)).filter(pk=model.pk))


def _reason(text: str) -> str:
    words = text.strip()
    check_words("reason", words, longest=MOST_CHARACTERS, empty="Give a reason.")
    return words


def _refuse_without_files(model: ModelVersion) -> None:
    if not is_sealed(model):
        raise Refused(BROKEN)
    manifest = storage.models_directory() / model.directory / "MANIFEST.json"
    try:
        is_same = hashlib.sha256(manifest.read_bytes()).hexdigest() == model.manifest_sha256
    except OSError:
        is_same = False
    if not is_same:
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
    audit.record(
        actor=actor,
        campaign=campaign,
        action=f"promotion.{act.value}",
        object_type="model_version",
        object_id=model.pk,
        details={"criterion": model.criterion, "cautions": len(row.cautions)},
    )
    return row
