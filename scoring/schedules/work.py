"""What the sweeper does for schedules: begin the chain that is due, take each a step further.

A step and the row that it asks for are one transaction, which locks the chain: a program that dies
leaves both or neither, and of two sweepers one finds that it is done. What a job found is read from
its row.
"""

import logging
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, Q

from annotator import audit_log
from annotator.adjudication.settled.queries import count_freezable
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused, TooOften
from core.files import why_stopped
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobRow, JobStatus
from core.text_io.shapes import LONGEST_REASON
from scoring.datasets.freezing.services import request_freeze
from scoring.models import (
    Chain,
    ChainStatus,
    ChainStep,
    DatasetVersion,
    ModelVersion,
    Outcome,
    Promotion,
    Schedule,
    TrainingRun,
)
from scoring.reports.services import ask_for_report
from scoring.schedules.queries import (
    ERASED,
    FIRST_GONE,
    erased_since,
    is_first_gone,
    learned_from,
    rhythm_of,
    right_lost,
    waiting,
)
from scoring.schedules.rules import compare, has_enough, may_begin, newly_settled
from scoring.schedules.services import end_chain, end_schedule, locked_chain, seen_in_training
from scoring.training.model_versions.promotions import (
    ask_promotion,
    open_ask,
    promoted_in,
    standing_promotion,
)
from scoring.training.model_versions.queries import MODEL_PREFIX
from scoring.training.runs.services import options_of, request_trainings

logger = logging.getLogger("annotator.jobs")
# Counting the settled candidates reads all ratings of an open campaign.
LOOK_EVERY: Final = timedelta(seconds=10)
NOT_PROMOTED_NOW: Final = (
    "The model that it was compared with is not the promoted one any more. The next chain compares "
    "with the one that is."
)


def sweep_schedules() -> int:
    """Take every schedule as far as it can go now; return how many chains are under way."""
    for schedule in _to_look_at():
        _begin_if_due(schedule)
    chains = Chain.objects.filter(finished_at=None).values_list("pk", flat=True)
    for pk in (keys := list(chains)):
        advance_chain(pk)
    return len(keys)


def _to_look_at() -> list[Schedule]:
    """Return the schedules without a chain that were not looked at lately, and mark them."""
    now = database_now()
    under_way = Chain.objects.filter(schedule=OuterRef("pk"), finished_at=None)
    rows = Schedule.objects.filter(~Exists(under_way), ended_at=None)
    rows = rows.filter(Q(looked_at=None) | Q(looked_at__lte=now - LOOK_EVERY))
    found = rows.select_related("campaign", "switched_on_by", "first_version")
    marked = Schedule.objects.filter(ended_at=None)
    return [
        row
        for row in found
        if marked.filter(pk=row.pk, looked_at=row.looked_at).update(looked_at=now)
    ]


def _begin_if_due(schedule: Schedule) -> None:
    """Begin the next chain where it is time for one, or end a schedule that cannot go on."""
    lost = right_lost(schedule.switched_on_by, schedule.campaign)
    if lost or is_first_gone(schedule):
        end_schedule(schedule, because=lost or FIRST_GONE)
        return
    since, rhythm = waiting(schedule), rhythm_of(schedule)
    if not may_begin(rhythm, began_at=since.began_at, now=database_now()):
        return
    settled = count_freezable(schedule.campaign)
    if has_enough(rhythm, newly_settled(since.settled, settled)) and promoted_in(schedule.campaign):
        begin_chain(schedule, settled)


def begin_chain(schedule: Schedule, settled: int) -> None:
    """Store a chain of a schedule that is on and has none under way."""
    with transaction.atomic():
        rows = Schedule.objects.select_for_update(no_key=True, of=("self",))
        if not rows.filter(pk=schedule.pk, ended_at=None).exists():
            return
        if schedule.chains.filter(finished_at=None).exists():
            return
        chain = Chain.objects.create(schedule=schedule, settled=settled)
        audit_log.record_on(chain, "chain.begun", None, schedule.campaign, settled=settled)


def advance_chain(pk: UUID) -> None:
    """Take a chain as far as it can go without waiting; what refuses it ends it with a sentence.

    A right that was lost ends the schedule. What was asked too often, and a database that is busy,
    is tried again by the next sweep.
    """
    chain = (
        Chain.objects.select_related(
            *("schedule__campaign", "schedule__switched_on_by"),
            *("schedule__first_version__dataset__campaign", "freeze__version__dataset__campaign"),
        )
        .filter(pk=pk, finished_at=None)
        .first()
    )
    if chain is None:
        return
    schedule = chain.schedule
    try:
        if lost := right_lost(schedule.switched_on_by, schedule.campaign):
            raise Forbidden(lost)
        if erased_since(chain):
            raise Refused(ERASED)
        _advance(chain)
    except Forbidden as refusal:
        end_schedule(schedule, because=refusal.sentence)
    except TooOften:
        return
    except Refused as refusal:
        end_chain(chain, ChainStatus.FAILED, refusal.sentence)
    except _DoneElsewhere:
        return
    except DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 - one chain must not end the sweeps of all others
        # Its text may quote claims: only its kind is logged and shown.
        logger.warning("chain %s: %s", pk, type(error).__name__)
        end_chain(chain, ChainStatus.FAILED, why_stopped("The chain", error))


class _DoneElsewhere(Exception):
    """Another sweeper has done it meanwhile, or the chain was stopped."""


def _advance(chain: Chain) -> None:
    if chain.freeze is None:
        _request_freeze(chain)
        return
    if not chain.freeze.is_final:
        return
    version = chain.freeze.version
    if chain.freeze.status != JobStatus.SUCCEEDED or version is None:
        raise Refused(_why_ended("The freeze", chain.freeze))
    if chain.status == ChainStatus.FREEZING:
        _begin_training(chain)
    steps = chain.steps.filter(outcome="").select_related(
        *("promoted__run__dataset_version__dataset", "report"),
        *("run__dataset_version__dataset", "run__model_version", "run__reused_model"),
    )
    for step in steps.order_by("criterion"):
        _advance_step(chain, step, version)
    _note_status(chain)


def _why_ended(what: str, job: JobRow) -> str:
    if job.status == JobStatus.CANCELLED:
        return f"{what} was cancelled."
    return f"{what} failed: {job.message}"


def freeze_settings(first: DatasetVersion) -> dict[str, Any]:
    """Return the settings of a freeze like an earlier one's, with its test references."""
    card = first.card
    return {
        "name": first.dataset.name,
        **{name: card[name] for name in ("policy", "tie_band", "criteria")},
        "split_by": card["split"]["by"],
        **{name: card["split"][name] for name in ("test_share", "validation_share", "seed")},
        "include_unlocked": False,
        "test_of": str(first.pk),
    }


def _request_freeze(chain: Chain) -> None:
    with transaction.atomic():
        row = locked_chain(chain)
        if row is None or row.freeze_id is not None:
            return
        row.freeze = request_freeze(
            campaign=row.schedule.campaign,
            settings=freeze_settings(chain.schedule.first_version),
            asked_by=row.schedule.switched_on_by,
        )
        row.save(update_fields=["freeze"])
        _enqueue(row.freeze)


def _enqueue(job: JobRow) -> None:
    if job.status == JobStatus.QUEUED:
        enqueue_on_commit(job)


def _begin_training(chain: Chain) -> None:
    """Store a step for each model that is promoted now."""
    with transaction.atomic():
        row = locked_chain(chain)
        if row is None or row.status != ChainStatus.FREEZING:
            return
        models = promoted_in(row.schedule.campaign)
        if not models:
            raise Refused("No model is promoted any more, so there is none to train again.")
        ChainStep.objects.bulk_create(
            ChainStep(chain=row, criterion=criterion, promoted=model)
            for criterion, model in models.items()
        )
        row.status = ChainStatus.TRAINING
        row.save(update_fields=["status"])


def _advance_step(chain: Chain, step: ChainStep, version: DatasetVersion) -> None:
    if step.run is None:
        _request_training(chain, step, version)
        return
    if not step.run.is_final:
        return
    model = step.run.model
    if step.run.status != JobStatus.SUCCEEDED or model is None:
        _settle(chain, step, Outcome.FAILED, _why_ended("The training", step.run))
    elif model.pk == step.promoted_id:
        _settle(chain, step, Outcome.SAME, "Data, settings and code are those of the promoted one.")
    elif step.report is None:
        _request_report(chain, step, model)
    elif step.report.status == JobStatus.SUCCEEDED:
        _request_promotion(chain, step, model)
    elif step.report.is_final:
        _settle(chain, step, Outcome.FAILED, _why_ended("The report", step.report))


def _request_training(chain: Chain, step: ChainStep, version: DatasetVersion) -> None:
    """Ask for a training with the settings of the promoted model, where a fair test can follow."""
    first = chain.schedule.first_version
    if seen := learned_from(step.promoted, first):
        sentence = seen_in_training(step.criterion, seen, first)
        _settle(chain, step, Outcome.UNCOMPARED, sentence)
        return

    def note(runs: list[TrainingRun]) -> None:
        (run,) = runs
        own = ChainStep.objects.filter(pk=step.pk, run=None, outcome="")
        if locked_chain(chain) is None or not own.update(run=run):
            raise _DoneElsewhere
        _enqueue(run)

    try:
        request_trainings(
            version=version,
            criteria=[step.criterion],
            options=options_of(step.promoted.run),
            requested_by=chain.schedule.switched_on_by,
            on_stored=note,
        )
    except (Forbidden, TooOften):
        raise
    except Refused as refusal:
        _settle(chain, step, Outcome.FAILED, refusal.sentence)


def _request_report(chain: Chain, step: ChainStep, model: ModelVersion) -> None:
    """Ask for a report on the first version's test part with both models side by side."""
    with transaction.atomic():
        own = ChainStep.objects.filter(pk=step.pk, report=None, outcome="")
        if locked_chain(chain) is None or not own.exists():
            return
        report = ask_for_report(
            version=chain.schedule.first_version,
            criterion=step.criterion,
            scorers=[_scorer(model), _scorer(step.promoted)],
            requested_by=chain.schedule.switched_on_by,
        ).report
        own.update(report=report)
        _enqueue(report)


def _scorer(model: ModelVersion) -> str:
    return f"{MODEL_PREFIX}{model.pk}"


def _request_promotion(chain: Chain, step: ChainStep, model: ModelVersion) -> None:
    """Compare, and request promotion where the new model is not worse, in one transaction."""
    with transaction.atomic():
        own = ChainStep.objects.filter(pk=step.pk, outcome="")
        if locked_chain(chain) is not None and own.exists():
            outcome, sentence, promotion = _outcome(chain.schedule, step, model)
            _settle(chain, step, outcome, sentence, promotion)


def _outcome(
    schedule: Schedule, step: ChainStep, model: ModelVersion
) -> tuple[Outcome, str, Promotion | None]:
    assert step.report is not None and step.report.result is not None
    found = compare(step.report.result, _scorer(model), _scorer(step.promoted))
    if found.is_worse is None:
        return Outcome.UNCOMPARED, found.sentence, None
    if found.is_worse:
        return Outcome.WORSE, found.sentence, None
    standing = standing_promotion(step.promoted)
    if standing is None or standing.model_id != step.promoted_id:
        return Outcome.UNCOMPARED, NOT_PROMOTED_NOW, None
    try:
        promotion = ask_promotion(
            model=model,
            asked_by=schedule.switched_on_by,
            reason=f"By the schedule. {found.sentence}"[:LONGEST_REASON],
            is_aware=schedule.asks_with_concerns,
        )
    except (Forbidden, TooOften):
        raise
    except OutOfDate as refusal:
        by_hand = open_ask(model)
        return Outcome.REQUESTED if by_hand else Outcome.SAME, refusal.sentence, by_hand
    except Refused as refusal:
        concerns = refusal.fields.get("is_aware", [refusal.sentence])
        return Outcome.CONCERNS, " ".join([found.sentence, *concerns]), None
    return Outcome.REQUESTED, found.sentence, promotion


def _settle(
    chain: Chain,
    step: ChainStep,
    outcome: Outcome,
    sentence: str,
    promotion: Promotion | None = None,
) -> None:
    """Store what became of a criterion, once."""
    with transaction.atomic():
        own = ChainStep.objects.filter(pk=step.pk, outcome="")
        if locked_chain(chain) is None or not own.update(
            outcome=outcome, sentence=sentence, promotion=promotion
        ):
            return
        audit_log.record_on(
            *(chain, "chain.compared", None, chain.schedule.campaign),
            criterion=step.criterion,
            outcome=outcome.value,
        )


def _note_status(chain: Chain) -> None:
    """End a chain whose criteria all have an outcome, or note how far the slowest is."""
    steps = list(chain.steps.select_related("run"))
    outcomes = {step.outcome for step in steps}
    if "" not in outcomes:
        is_failed = outcomes == {Outcome.FAILED}
        end_chain(chain, ChainStatus.FAILED if is_failed else ChainStatus.DONE)
    elif all(step.outcome or (step.run is not None and step.run.is_final) for step in steps):
        open_chains = Chain.objects.filter(pk=chain.pk, finished_at=None)
        open_chains.filter(status=ChainStatus.TRAINING).update(status=ChainStatus.REPORTING)
